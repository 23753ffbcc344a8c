//! Checkpoints: what every process has, in files in the table's folder, and a list of what all of
//! them have written. Another run goes on from there, with any number of processes: what it reads is
//! dealt anew.

use super::saved_list::{Batch, LIST, List};
use crate::game::peers::broken;
use crate::game::{Journal, SolveError};
use crate::solve::keyed::{
    Checkpoints, Found, Job, Key, Layers, Pile, Places, Reader, Walk, bytes, more, owner,
};
use crate::solve::{MORE, Team};
use crate::table::{Parts, WriteError};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// How long a process waits until it sees the first one's folder: network file systems take a while.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 5000 });

/// In the flags of an exchange: a file of this process's is missing or damaged.
const DAMAGED: u8 = 2;

/// The checkpoints of one run.
pub struct Saved<'a> {
    parts: Parts,
    /// Where the first process keeps the list.
    journal: Option<&'a mut dyn Journal>,
    list: List,
    /// The places whose keys, and whose scores, are written.
    found: BTreeSet<u32>,
    scored: BTreeSet<u32>,
    every: Duration,
    last: Instant,
}

/// An error unless all processes see the folder that the first one works in.
pub fn check_shared(parts: &Parts, team: &Team<'_>) -> Result<(), SolveError> {
    if team.size() == 1 {
        return Ok(());
    }
    let made = || {
        let mut token = format!("{} {:?}", std::process::id(), std::time::SystemTime::now());
        token.push_str(&parts.folder().to_string_lossy());
        parts
            .put_token(token.as_bytes())
            .map_err(|cause| failed(parts, "keep what has been found", cause))?;
        Ok(token.into_bytes())
    };
    let token = team.hear_first(match team.is_first() {
        true => made(),
        false => Ok(Vec::new()),
    })?;
    let began = Instant::now();
    while !parts.has_token(&token) && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    let seen = match parts.has_token(&token) {
        true => Ok([]),
        false => Err(SolveError::NotShared {
            process: team.rank(),
            folder: parts.folder().to_owned(),
        }),
    };
    let seen = team.tell(seen);
    if team.is_first() {
        parts.remove_token();
    }
    seen.map(|_| ())
}

fn failed(parts: &Parts, action: &'static str, cause: io::Error) -> SolveError {
    SolveError::Journal(Box::new(WriteError::io(parts.folder(), action)(cause)))
}

impl<'a> Saved<'a> {
    pub fn new(parts: Parts, journal: Option<&'a mut dyn Journal>, every: Duration) -> Saved<'a> {
        Saved {
            parts,
            journal,
            list: List::default(),
            found: BTreeSet::new(),
            scored: BTreeSet::new(),
            every,
            last: Instant::now(),
        }
    }

    /// The keys of layers that are complete and not written yet.
    fn save_layers<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        layers: &Layers<K>,
    ) -> Result<(), SolveError> {
        let batch = self.batch(job.team);
        let name = batch.file(job.team.rank() as u32);
        let fresh = layers
            .iter()
            .filter(|(place, _)| !self.found.contains(place));
        let fresh: Vec<_> = fresh.collect();
        let kept = self.parts.keep(&name, &mut |out| {
            fresh
                .iter()
                .try_for_each(|(place, layer)| put(out, **place, &layer.keys, &[], job))
        });
        self.found.extend(layers.keys());
        self.list.found.push(batch);
        // The list is written with what follows.
        job.team
            .tell(kept.map(|()| []).map_err(|cause| self.failed(cause)))?;
        Ok(())
    }

    fn batch(&mut self, team: &Team<'_>) -> Batch {
        let number = self.list.next;
        self.list.next += 1;
        Batch {
            number,
            processes: team.size() as u32,
        }
    }

    /// Writes the list when all have written their files.
    fn agree(&mut self, team: &Team<'_>, kept: io::Result<()>) -> Result<(), SolveError> {
        team.tell(kept.map(|()| []).map_err(|cause| self.failed(cause)))?;
        let list = &self.list;
        let written = match &mut self.journal {
            Some(journal) => journal.keep(LIST, &mut |out| {
                serde_json::to_writer(out, list).map_err(io::Error::from)
            }),
            None => Ok(()),
        };
        team.tell(written.map(|()| []))?;
        self.last = Instant::now();
        Ok(())
    }

    fn failed(&self, cause: io::Error) -> SolveError {
        failed(&self.parts, "keep what has been found", cause)
    }

    fn remove(&self, batch: Batch, team: &Team<'_>) {
        if team.is_first() {
            for process in 0..batch.processes {
                self.parts.remove(&batch.file(process));
            }
        }
    }

    /// What an earlier run has found, dealt to the processes of this one.
    pub fn load<K: Key>(&mut self, job: &Job<'_, K>) -> Result<(Found<K>, Places), SolveError> {
        let mut text = Vec::new();
        if let Some(journal) = &mut self.journal
            && let Some(mut kept) = journal.kept(LIST)
            && kept.read_to_end(&mut text).is_err()
        {
            text.clear();
        }
        let text = job.team.hear_first(Ok(text))?;
        let Ok(list) = serde_json::from_slice::<List>(&text) else {
            if job.team.is_first() {
                self.parts.remove_all(LIST);
            }
            job.team.tell(Ok([]))?;
            return Ok((Found::default(), Places::Up));
        };
        self.list = list;
        let progress = job.team.progress();
        progress.phase("reading what an earlier run has left", "classes", 0);
        let mut found = Found::default();
        if self.load_found(job, &mut found)?.is_none() {
            <Self as Checkpoints<K>>::forget(self);
            return Ok((Found::default(), Places::Up));
        }
        found.is_planted = true;
        found.is_all = self.list.is_all_found;
        for number in 0..self.list.scored.len() {
            if self
                .load_scores(job, self.list.scored[number], &mut found.layers)?
                .is_none()
            {
                self.list.scored.truncate(number);
                break;
            }
        }
        let [layers, scored] = [found.layers.keys().copied().collect(), self.scored.clone()];
        self.found = layers;
        self.note(job, &found, &scored)?;
        self.last = Instant::now();
        Ok((found, self.list.places))
    }

    fn note<K: Key>(
        &self,
        job: &Job<'_, K>,
        found: &Found<K>,
        scored: &BTreeSet<u32>,
    ) -> Result<(), SolveError> {
        let keys = found.layers.values().map(|layer| layer.keys.len() as u64);
        let scores = found.layers.values().map(|layer| layer.codes.len() as u64);
        let told = job.team.tell(Ok([keys.sum(), scores.sum()]))?;
        let [keys, scores] =
            [0, 1].map(|n| crate::text::count(told.iter().map(|told| told[n]).sum()));
        let what = match (found.is_all, scored.is_empty()) {
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

    /// Nothing if a file is missing or damaged.
    fn load_found<K: Key>(
        &self,
        job: &Job<'_, K>,
        found: &mut Found<K>,
    ) -> Result<Option<()>, SolveError> {
        let mut layers: BTreeMap<u32, Pile<K>> = BTreeMap::new();
        let batches = self.list.found.iter().chain(&self.list.open);
        for (index, &batch) in batches.enumerate() {
            let is_open = index == self.list.found.len();
            let all = self.deal(job, batch, false, |place, keys, _| {
                let piles = if is_open {
                    &mut found.open
                } else {
                    &mut layers
                };
                piles.entry(place).or_default().push(keys);
                piles.values().map(Pile::bytes).sum()
            })?;
            if all.is_none() {
                return Ok(None);
            }
        }
        for (place, pile) in layers {
            found.layers.entry(place).or_default().keys = pile.finish();
        }
        Ok(Some(()))
    }

    fn load_scores<K: Key>(
        &mut self,
        job: &Job<'_, K>,
        batch: Batch,
        layers: &mut Layers<K>,
    ) -> Result<Option<()>, SolveError> {
        let kept = bytes(layers);
        let mut scores: BTreeMap<u32, (Vec<u8>, usize)> = BTreeMap::new();
        let all = self.deal(job, batch, true, |place, keys, codes| {
            let known = layers.get(&place).map_or(&[][..], |layer| &layer.keys[..]);
            let (all, count) = scores
                .entry(place)
                .or_insert_with(|| (vec![0; known.len()], 0));
            let mut walk = Walk::new(known);
            for (key, &code) in keys.into_iter().zip(codes) {
                if let Some(index) = walk.find(key) {
                    all[index] = code;
                    *count += 1;
                }
            }
            2 * kept
        })?;
        if all.is_none() {
            return Ok(None);
        }
        // Every class has to have one, or none counts.
        let is_whole = scores.values().all(|(codes, count)| codes.len() == *count);
        let told = job.team.tell(Ok([u64::from(is_whole)]))?;
        if told.contains(&[0]) {
            return Ok(None);
        }
        for (place, (codes, _)) in scores {
            self.scored.insert(place);
            layers.entry(place).or_default().codes = codes;
        }
        Ok(Some(()))
    }

    /// The files of a batch that this process reads; nothing if any process's is missing or damaged.
    fn open(&self, batch: Batch, team: &Team<'_>) -> Result<Option<Vec<impl Read>>, SolveError> {
        let mine = (team.rank() as u32..batch.processes).step_by(team.size());
        let mut problem = String::new();
        let mut files = Vec::new();
        for name in mine.map(|process| batch.file(process)) {
            match self.parts.kept(&name) {
                Ok(Some(file)) => files.push(file),
                Ok(None) => problem = format!("{name}: it is missing"),
                Err(cause) => problem = format!("{name}: {cause}"),
            }
        }
        let flags = if problem.is_empty() { 0 } else { DAMAGED };
        let problems = vec![problem.into_bytes(); team.size()];
        let incoming = team.exchange(Ok(problems), flags)?;
        if incoming.flags & DAMAGED == 0 {
            return Ok(Some(files));
        }
        let mut problems = incoming.messages.iter().filter(|text| !text.is_empty());
        let problem = problems.next().map(|text| String::from_utf8_lossy(text));
        team.progress().note(&format!(
            "what an earlier run has left in {} can't all be used: {}",
            self.parts.folder().display(),
            problem.unwrap_or_default()
        ));
        Ok(None)
    }

    /// Reads the files of a batch, each in one process, and sends what is in them to its owners.
    /// `take` gets places, ascending keys and their codes, and says how many bytes it may come to
    /// use. Nothing if a file is missing or damaged.
    fn deal<K: Key>(
        &self,
        job: &Job<'_, K>,
        batch: Batch,
        has_codes: bool,
        mut take: impl FnMut(u32, Vec<K>, &[u8]) -> u64,
    ) -> Result<Option<()>, SolveError> {
        let Some(files) = self.open(batch, job.team)? else {
            return Ok(None);
        };
        let mut files = files.into_iter();
        let mut file = files.next();
        let mut bytes = 0;
        loop {
            let read = match &mut file {
                Some(file) => messages(file, job, has_codes),
                None => Ok(None),
            };
            let outgoing = match read {
                Ok(None) => {
                    file = files.next();
                    Ok(job.team.nothing())
                }
                Ok(Some(messages)) => Ok(messages),
                Err(cause) => Err(self.failed(cause)),
            };
            let fits = job.check_memory(bytes, false);
            let outgoing = fits.and(outgoing);
            let incoming = job.team.exchange(outgoing, more(file.is_some()))?;
            for message in &incoming.messages {
                let mut reader = Reader(message);
                while !reader.is_empty() {
                    let mut group = || {
                        let (place, count) = (reader.u32()?, reader.u32()? as usize);
                        let keys: Vec<K> = reader.keys(count, job.width)?;
                        let codes = reader.bytes(if has_codes { count } else { 0 })?;
                        Some((place, keys, codes))
                    };
                    let (place, keys, codes) = group().ok_or_else(broken)?;
                    bytes = take(place, keys, codes);
                }
            }
            if incoming.flags & MORE == 0 {
                return Ok(Some(()));
            }
        }
    }
}

impl<K: Key> Checkpoints<K> for Saved<'_> {
    fn is_due(&self, team: &Team<'_>) -> bool {
        team.is_first() && self.last.elapsed() >= self.every
    }

    fn forget(&mut self) {
        self.list = List {
            next: self.list.next,
            ..List::default()
        };
        self.found.clear();
        self.scored.clear();
    }

    fn save_found(
        &mut self,
        job: &Job<'_, K>,
        found: &mut Found<K>,
        places: Places,
    ) -> Result<(), SolveError> {
        self.list.places = places;
        self.save_layers(job, &found.layers)?;
        let batch = self.batch(job.team);
        let name = batch.file(job.team.rank() as u32);
        for pile in found.open.values_mut() {
            pile.merged();
        }
        let open = &mut found.open;
        let kept = self.parts.keep(&name, &mut |out| {
            for (&place, pile) in open.iter_mut() {
                put(out, place, pile.merged(), &[], job)?;
            }
            Ok(())
        });
        let before = self.list.open.replace(batch);
        self.agree(job.team, kept)?;
        if let Some(before) = before {
            self.remove(before, job.team);
        }
        Ok(())
    }

    fn save_scores(&mut self, job: &Job<'_, K>, layers: &Layers<K>) -> Result<(), SolveError> {
        if !self.list.is_all_found {
            self.save_layers(job, layers)?;
            self.list.is_all_found = true;
        }
        let batch = self.batch(job.team);
        let name = batch.file(job.team.rank() as u32);
        let fresh = layers.iter().filter(|(place, layer)| {
            layer.codes.len() == layer.keys.len() && !self.scored.contains(place)
        });
        let fresh: Vec<_> = fresh.collect();
        let kept = self.parts.keep(&name, &mut |out| {
            fresh
                .iter()
                .try_for_each(|(place, layer)| put(out, **place, &layer.keys, &layer.codes, job))
        });
        self.scored.extend(fresh.iter().map(|(place, _)| **place));
        self.list.scored.push(batch);
        let open = self.list.open.take();
        self.agree(job.team, kept)?;
        if let Some(open) = open {
            self.remove(open, job.team);
        }
        Ok(())
    }
}

/// Writes the keys of a place, and their codes if there are any.
fn put<K: Key>(
    out: &mut dyn Write,
    place: u32,
    keys: &[K],
    codes: &[u8],
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

/// The next piece of the file, as messages to the owners of the keys.
fn messages<K: Key>(
    file: &mut impl Read,
    job: &Job<'_, K>,
    has_codes: bool,
) -> io::Result<Option<Vec<Vec<u8>>>> {
    let mut head = Vec::new();
    file.by_ref().take(8).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(None);
    }
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let mut reader = Reader(&head);
    let place = reader.u32().ok_or_else(damaged)?;
    let count = reader.u32().ok_or_else(damaged)? as usize;
    let mut body = Vec::new();
    let bytes = count as u64 * (job.width.bytes() + usize::from(has_codes)) as u64;
    file.by_ref().take(bytes).read_to_end(&mut body)?;
    let mut reader = Reader(&body);
    let keys: Vec<K> = reader.keys(count, job.width).ok_or_else(damaged)?;
    let codes = reader.0;
    if codes.len() != if has_codes { count } else { 0 } {
        return Err(damaged());
    }
    let mut dealt: Vec<(Vec<K>, Vec<u8>)> = vec![Default::default(); job.team.size()];
    for (index, key) in keys.into_iter().enumerate() {
        let (keys, of_keys) = &mut dealt[owner(key.wide(), job.team.size())];
        keys.push(key);
        of_keys.extend(codes.get(index));
    }
    let messages = dealt.into_iter().map(|(keys, codes)| {
        let mut message = Vec::new();
        if !keys.is_empty() {
            message.extend(place.to_le_bytes());
            message.extend((keys.len() as u32).to_le_bytes());
            keys.iter()
                .for_each(|&key| job.width.put(key, &mut message));
            message.extend(codes);
        }
        message
    });
    Ok(Some(messages.collect()))
}
