//! Checkpoints: what every process has, in files in the table's folder, and a list of what all of
//! them have written. Another run goes on from there, with any number of processes: each reads all
//! of the files, and takes the classes that belong to it.

use super::job::{Found, Job, Layers, bytes};
use super::keys::{Key, Pile, Reader, Walk, owner};
use super::places::Places;
use crate::game::SolveError;
use crate::solve::team::Team;
use crate::work::DiskError;
use crate::work::folder::{Folder, damaged};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// The name of the list. It counts, and no file that is not in it.
const LIST: &str = "classes";

/// What all processes have written.
#[derive(Clone, Default, Serialize, Deserialize)]
struct List {
    places: Places,
    /// Keys of layers that are complete.
    found: Vec<Batch>,
    /// Keys of layers that are not.
    open: Option<Batch>,
    is_all_found: bool,
    /// Keys and scores.
    scored: Vec<Batch>,
    /// The number of the next batch.
    next: u32,
}

/// A file of each of so many processes.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Batch {
    number: u32,
    processes: u32,
}

impl Batch {
    fn file(self, process: u32) -> String {
        format!("{LIST}-{}-{process}-of-{}", self.number, self.processes)
    }
}

/// The keys of a place, ascending, and their codes, if there are any.
type Part<'a, K> = (u32, &'a [K], &'a [u8]);

/// The same as it is read, with a code for each key, which is 0 if the file has none.
type Taken<K> = (u32, Vec<K>, Vec<u8>);

/// The checkpoints of one run.
pub struct Saved {
    /// Nothing if there is nowhere to keep any.
    folder: Option<Folder>,
    list: List,
    /// The places whose keys, and whose scores, are written.
    found: BTreeSet<u32>,
    scored: BTreeSet<u32>,
    every: Duration,
    last: Instant,
}

impl Saved {
    /// Checkpoints in a folder, with at least so much time from one to the next.
    pub fn new(folder: Folder, every: Duration) -> Saved {
        Saved {
            folder: Some(folder),
            every,
            ..Saved::nowhere()
        }
    }

    /// Keeps nothing.
    pub fn nowhere() -> Saved {
        Saved {
            folder: None,
            list: List::default(),
            found: BTreeSet::new(),
            scored: BTreeSet::new(),
            every: Duration::MAX,
            last: Instant::now(),
        }
    }

    fn folder(&self) -> &Folder {
        let folder = self.folder.as_ref();
        folder.expect("nothing is ever due without a folder")
    }

    /// Whether it is time for one; the first process's word counts.
    pub fn is_due(&self, team: &Team<'_>) -> bool {
        team.is_first() && self.last.elapsed() >= self.every
    }

    /// Nothing of what is kept is of use. It stays until there is something better.
    pub fn forget(&mut self) {
        self.list = List {
            next: self.list.next,
            ..List::default()
        };
        self.found.clear();
        self.scored.clear();
    }

    /// Writes down which classes are found.
    ///
    /// # Errors
    /// In all processes if one of them can't.
    pub fn save_found<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        found: &mut Found<K>,
        places: Places,
    ) -> Result<(), SolveError> {
        self.list.places = places;
        self.save_layers(job, &found.layers)?;
        let open = found.open.iter_mut();
        let batch = self.save(
            job,
            open.map(|(&place, pile)| (place, pile.merged(), &[][..])),
        )?;
        let before = self.list.open.replace(batch);
        self.save_list(job.team, before)
    }

    /// Writes down which scores are known.
    ///
    /// # Errors
    /// In all processes if one of them can't.
    pub fn save_scores<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        layers: &Layers<K>,
    ) -> Result<(), SolveError> {
        if !self.list.is_all_found {
            self.save_layers(job, layers)?;
            self.list.is_all_found = true;
        }
        let is_fresh = |place: &u32| !self.scored.contains(place);
        let fresh = layers
            .iter()
            .filter(|(place, layer)| layer.codes.len() == layer.keys.len() && is_fresh(place));
        let fresh: Vec<Part<'_, K>> = fresh
            .map(|(&place, layer)| (place, &layer.keys[..], &layer.codes[..]))
            .collect();
        let places: Vec<u32> = fresh.iter().map(|(place, ..)| *place).collect();
        let batch = self.save(job, fresh.into_iter())?;
        self.scored.extend(places);
        self.list.scored.push(batch);
        let open = self.list.open.take();
        self.save_list(job.team, open)
    }

    /// Writes this process's file of a new batch, and waits for the others'.
    fn save<'k, K: Key>(
        &mut self,
        job: &Job<'_, K>,
        mut parts: impl Iterator<Item = Part<'k, K>>,
    ) -> Result<Batch, SolveError> {
        let batch = Batch {
            number: self.list.next,
            processes: job.team.size() as u32,
        };
        self.list.next += 1;
        let name = batch.file(job.team.rank() as u32);
        let written = self.folder().put(&name, "", &mut |out| {
            parts.try_for_each(|part| put(out, part, job))
        });
        job.team.tell(written.map(|_| []).map_err(Into::into))?;
        Ok(batch)
    }

    /// The keys of layers that are complete and not written yet. The list is written with what
    /// follows.
    fn save_layers<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        layers: &Layers<K>,
    ) -> Result<(), SolveError> {
        let fresh = layers
            .iter()
            .filter(|(place, _)| !self.found.contains(place));
        let fresh: Vec<Part<'_, K>> = fresh
            .map(|(&place, layer)| (place, &layer.keys[..], &[][..]))
            .collect();
        let batch = self.save(job, fresh.into_iter())?;
        self.found.extend(layers.keys());
        self.list.found.push(batch);
        Ok(())
    }

    /// Writes the list, of which the batch `before` is no part any more.
    fn save_list(&mut self, team: &Team<'_>, before: Option<Batch>) -> Result<(), SolveError> {
        let list = || {
            self.folder().put(LIST, "", &mut |out| {
                serde_json::to_writer(out, &self.list).map_err(io::Error::from)
            })
        };
        let written = team.is_first().then(list).transpose();
        team.tell(written.map(|_| []).map_err(Into::into))?;
        self.last = Instant::now();
        if let Some(before) = before.filter(|_| team.is_first()) {
            let files = (0..before.processes).map(|process| before.file(process));
            let is_before = |name: &str| files.clone().any(|file| file == name);
            // What can't be removed goes with the folder.
            let _ = self.folder().remove(is_before);
        }
        Ok(())
    }

    /// What an earlier run has found of what belongs to this process.
    pub fn load<K: Key>(&mut self, job: &Job<'_, K>) -> Result<(Found<K>, Places), SolveError> {
        let Some(folder) = &self.folder else {
            return Ok((Found::default(), Places::Up));
        };
        let text = job.team.hear_first(Ok(match job.team.is_first() {
            true => read_list(folder, job.team),
            false => Vec::new(),
        }))?;
        let Ok(list) = serde_json::from_slice::<List>(&text) else {
            if job.team.is_first() {
                let _ = folder.remove(|name| name.starts_with(LIST));
            }
            job.team.tell(Ok([]))?;
            return Ok((Found::default(), Places::Up));
        };
        self.list = list;
        let progress = job.team.progress();
        progress.phase("reading what an earlier run has left", "classes", 0);
        let mut found = Found::default();
        if !self.load_found(job, &mut found)? {
            self.forget();
            return Ok((Found::default(), Places::Up));
        }
        found.is_planted = true;
        found.is_all = self.list.is_all_found;
        for number in 0..self.list.scored.len() {
            if !self.load_scores(job, self.list.scored[number], &mut found.layers)? {
                self.list.scored.truncate(number);
                break;
            }
        }
        self.found = found.layers.keys().copied().collect();
        self.note(job, &found)?;
        self.last = Instant::now();
        Ok((found, self.list.places))
    }

    fn note<K: Key>(&self, job: &Job<'_, K>, found: &Found<K>) -> Result<(), SolveError> {
        let keys = found.layers.values().map(|layer| layer.keys.len() as u64);
        let scores = found.layers.values().map(|layer| layer.codes.len() as u64);
        let told = job.team.tell(Ok([keys.sum(), scores.sum()]))?;
        let [keys, scores] =
            [0, 1].map(|n| crate::text::count(told.iter().map(|told| told[n]).sum()));
        let what = match (found.is_all, self.scored.is_empty()) {
            (false, _) => format!("{keys} classes in the layers that are complete"),
            (true, true) => "all".to_owned(),
            (true, false) => format!("all, and the scores of {scores} of {keys} classes"),
        };
        let progress = job.team.progress();
        progress.note(&format!(
            "reachable positions kept from an earlier run: {what}"
        ));
        Ok(())
    }

    /// Whether all files are there and whole.
    fn load_found<K: Key>(
        &self,
        job: &Job<'_, K>,
        found: &mut Found<K>,
    ) -> Result<bool, SolveError> {
        let mut layers: BTreeMap<u32, Pile<K>> = BTreeMap::new();
        let batches = self.list.found.iter().chain(&self.list.open);
        for (index, &batch) in batches.enumerate() {
            let is_open = index == self.list.found.len();
            let all = self.read(job, batch, false, |place, keys, _| {
                let piles = if is_open {
                    &mut found.open
                } else {
                    &mut layers
                };
                piles.entry(place).or_default().push(keys);
                piles.values().map(Pile::bytes).sum()
            })?;
            if !all {
                return Ok(false);
            }
        }
        for (place, pile) in layers {
            found.layers.entry(place).or_default().keys = pile.finish();
        }
        Ok(true)
    }

    fn load_scores<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        batch: Batch,
        layers: &mut Layers<K>,
    ) -> Result<bool, SolveError> {
        let kept = bytes(layers);
        let mut scores: BTreeMap<u32, (Vec<u8>, usize)> = BTreeMap::new();
        let all = self.read(job, batch, true, |place, keys, codes| {
            let known = layers.get(&place).map_or(&[][..], |layer| &layer.keys[..]);
            let (all, count) = scores
                .entry(place)
                .or_insert_with(|| (vec![0; known.len()], 0));
            let mut walk = Walk::new(known);
            for (key, code) in keys.into_iter().zip(codes) {
                if let Some(index) = walk.find(key) {
                    all[index] = code;
                    *count += 1;
                }
            }
            2 * kept
        })?;
        if !all {
            return Ok(false);
        }
        // Every class has to have one, or none counts.
        let is_whole = scores.values().all(|(codes, count)| codes.len() == *count);
        let told = job.team.tell(Ok([u64::from(is_whole)]))?;
        if told.contains(&[0]) {
            return Ok(false);
        }
        for (place, (codes, _)) in scores {
            self.scored.insert(place);
            layers.entry(place).or_default().codes = codes;
        }
        Ok(true)
    }

    /// Reads the files of a batch. `take` gets places, the ascending keys there that belong to this
    /// process, and their codes, and says how many bytes it may come to use. Says whether no process
    /// has found a file that is missing or damaged.
    fn read<K: Key>(
        &self,
        job: &Job<'_, K>,
        batch: Batch,
        has_codes: bool,
        mut take: impl FnMut(u32, Vec<K>, Vec<u8>) -> u64,
    ) -> Result<bool, SolveError> {
        let mut files = (0..batch.processes).map(|process| batch.file(process));
        let read = files.try_for_each(|name| self.read_file(job, &name, has_codes, &mut take));
        let problem = match read {
            Ok(()) => Ok(String::new()),
            Err(SolveError::Disk(error)) => Ok(error.to_string()),
            Err(error) => Err(error),
        };
        let problems = problem.map(|problem| vec![problem.into_bytes(); job.team.size()]);
        let problems = job.team.exchange(problems, 0)?.messages;
        let Some(problem) = problems.iter().find(|problem| !problem.is_empty()) else {
            return Ok(true);
        };
        note_damage(job.team, &String::from_utf8_lossy(problem));
        Ok(false)
    }

    fn read_file<K: Key>(
        &self,
        job: &Job<'_, K>,
        name: &str,
        has_codes: bool,
        take: &mut impl FnMut(u32, Vec<K>, Vec<u8>) -> u64,
    ) -> Result<(), SolveError> {
        let is_own = |key: &K| owner(key.wide(), job.team.size()) == job.team.rank();
        let mut file = self.folder().find(name, "")?.read()?;
        let error = || DiskError::of(&self.folder().place(name), "read it");
        while let Some((place, keys, codes)) =
            next(&mut file, job, has_codes).map_err(|cause| error()(cause))?
        {
            let own = keys.into_iter().zip(codes);
            let (keys, codes) = own.filter(|(key, _)| is_own(key)).unzip();
            job.check_memory(take(place, keys, codes), false)?;
            if job.team.progress().cancelled() {
                return Err(SolveError::Interrupted);
            }
        }
        Ok(())
    }
}

fn read_list(folder: &Folder, team: &Team<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    let read = folder.get(LIST, "").and_then(|list| {
        let list = list.map(|list| list.read()).transpose()?;
        Ok(list.map(|mut list| list.read_to_end(&mut text)))
    });
    if let Err(error) = read {
        note_damage(team, &error.to_string());
    }
    text
}

fn note_damage(team: &Team<'_>, problem: &str) {
    team.progress().note(&format!(
        "what an earlier run has left can't all be used: {problem}"
    ));
}

/// Writes the keys of a place, and their codes if there are any.
fn put<K: Key>(
    out: &mut dyn Write,
    (place, keys, codes): Part<'_, K>,
    job: &Job<'_, K>,
) -> io::Result<()> {
    // In pieces of a size that another run can read at once.
    for (number, keys) in keys.chunks(job.block).enumerate() {
        let mut bytes = Vec::with_capacity(8 + keys.len() * (job.width.bytes() + 1));
        bytes.extend(place.to_le_bytes());
        bytes.extend((keys.len() as u32).to_le_bytes());
        keys.iter().for_each(|&key| job.width.put(key, &mut bytes));
        if !codes.is_empty() {
            let start = number * job.block;
            bytes.extend(&codes[start..start + keys.len()]);
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// The next keys of a file.
fn next<K: Key>(
    file: &mut impl Read,
    job: &Job<'_, K>,
    has_codes: bool,
) -> io::Result<Option<Taken<K>>> {
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(None);
    }
    let mut reader = Reader(&head);
    let place = reader.u32().ok_or_else(damaged)?;
    let count = reader.u32().ok_or_else(damaged)? as usize;
    let mut body = Vec::new();
    let bytes = count as u64 * (job.width.bytes() + usize::from(has_codes)) as u64;
    file.by_ref().take(bytes).read_to_end(&mut body)?;
    let mut reader = Reader(&body);
    let keys = reader.keys(count, job.width).ok_or_else(damaged)?;
    let codes = match has_codes {
        true => reader.bytes(count).ok_or_else(damaged)?.to_vec(),
        false => vec![0; count],
    };
    Ok(Some((place, keys, codes)))
}
