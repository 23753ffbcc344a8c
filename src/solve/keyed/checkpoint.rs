//! The checkpoints of the solver by keys.
//!
//! Each process writes its classes to a file in the table's directory; a further file lists
//! the valid files. A later run may have another number of processes: each reads all files and
//! takes the classes that it owns.

use super::keys::{Key, Reader, owner};
use super::layers::{FoundClasses, LayerOrder, bytes, put_code};
use super::set::KeySet;
use super::solver::KeySolver;
use crate::game::{SolveError, Team, check_cancelled};
use crate::work::DiskError;
use crate::work::folder::{Folder, damaged};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

/// Name of the file that lists the files, and prefix of the files' names.
const NAME: &str = "classes";

/// Shortest time assumed for a checkpoint.
const LEAST: Duration = Duration::from_millis(50);

/// The list of a checkpoint's files.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Checkpoint {
    /// Number of the checkpoint, increasing.
    number: u32,
    processes: u32,
    order: LayerOrder,
    is_all_found: bool,
}

impl Checkpoint {
    /// Returns the names of its files, by rank.
    fn files(self) -> impl Iterator<Item = String> + Clone {
        let (number, processes) = (self.number, self.processes);
        (0..processes).map(move |process| format!("{NAME}-{number}-{process}-of-{processes}"))
    }
}

/// The checkpoints of one run.
pub struct KeyCheckpoints {
    /// Directory of the checkpoints; `None` if none are saved.
    folder: Option<Folder>,
    /// Greatest share of the time to spend on checkpoints.
    share: f64,
    /// The last checkpoint, when it was made, and how long that took.
    checkpoint: Checkpoint,
    last: Instant,
    took: Duration,
}

impl KeyCheckpoints {
    /// Saves checkpoints in a directory, if there is one, spending at most this share of the time.
    pub fn new(folder: Option<Folder>, share: f64) -> KeyCheckpoints {
        KeyCheckpoints {
            folder,
            share,
            checkpoint: Checkpoint::default(),
            last: Instant::now(),
            took: LEAST,
        }
    }

    /// Returns whether a checkpoint is due. The first process decides.
    pub fn is_due(&self, team: &Team<'_>) -> bool {
        team.is_first() && self.took.as_secs_f64() <= self.share * self.last.elapsed().as_secs_f64()
    }

    /// Saves everything found so far and replaces the previous checkpoint.
    ///
    /// # Errors
    /// In all processes if one of them fails.
    pub fn save<K: Key>(
        &mut self,
        solver: &KeySolver<'_, K>,
        found: &FoundClasses<K>,
        order: LayerOrder,
    ) -> Result<(), SolveError> {
        let (began, team) = (Instant::now(), solver.team);
        let folder = self.folder.as_ref();
        let folder = folder.expect("nothing is ever due without a folder");
        self.checkpoint = Checkpoint {
            number: self.checkpoint.number + 1,
            processes: team.size() as u32,
            order,
            is_all_found: found.is_all,
        };
        // Each process writes a file. The checkpoint counts only once all files are written.
        let files = self.checkpoint.files();
        let local = files.clone().nth(team.rank()).expect("a file of each");
        let written = folder.put(&local, "", &mut |out| {
            for (&stage, layer) in &found.layers {
                put(out, solver, stage, &layer.keys, Some(&layer.codes))?;
            }
            let mut open = found.open.iter();
            open.try_for_each(|(&stage, set)| {
                let mut parts = set.parts();
                parts.try_for_each(|keys| put(out, solver, stage, &keys, None))
            })
        });
        team.all_gather(written.map(|_| []).map_err(Into::into))?;
        let text = serde_json::to_vec(&self.checkpoint).expect("it is plain data");
        let listed = || folder.put(NAME, "", &mut |out| out.write_all(&text));
        let listed = team.is_first().then(listed).transpose();
        team.all_gather(listed.map(|_| []).map_err(Into::into))?;
        if team.is_first() {
            // The files of earlier checkpoints are no longer needed.
            let is_before = |name: &str| {
                let is_file = name.starts_with(&format!("{NAME}-"));
                is_file && !files.clone().any(|file| file == name)
            };
            // Remaining files are removed with the directory.
            let _ = folder.remove(is_before);
        }
        (self.last, self.took) = (Instant::now(), began.elapsed().max(LEAST));
        Ok(())
    }

    /// Loads the classes of this process from an earlier run's checkpoint.
    ///
    /// A damaged checkpoint is ignored, and its work is repeated.
    ///
    /// # Errors
    /// If memory doesn't suffice, or any process is cancelled.
    pub fn load<K: Key>(
        &mut self,
        solver: &KeySolver<'_, K>,
    ) -> Result<(FoundClasses<K>, LayerOrder), SolveError> {
        let nothing = || Ok((FoundClasses::default(), LayerOrder::default()));
        let (Some(folder), team) = (&self.folder, solver.team) else {
            return nothing();
        };
        // The first process decides which checkpoint all of them read.
        let text = team.broadcast(|| Ok(read_checkpoint(folder, team)))?;
        let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(&text) else {
            return nothing();
        };
        self.checkpoint = checkpoint;
        team.progress()
            .phase("reading what an earlier run has left", "classes", 0);
        let mut found = FoundClasses {
            is_planted: true,
            is_all: checkpoint.is_all_found,
            ..FoundClasses::default()
        };
        let mut files = checkpoint.files();
        let problem = match files.try_for_each(|name| read(folder, &name, solver, &mut found)) {
            Ok(()) => Ok(Vec::new()),
            Err(SolveError::Disk(error)) => Ok(error.to_string().into_bytes()),
            Err(error) => Err(error),
        };
        // If a file is damaged in one process, all of them start from nothing.
        let problems = team.exchange(problem.map(|problem| vec![problem; team.size()]), 0)?;
        let mut problems = problems.messages.iter();
        if let Some(problem) = problems.find(|problem| !problem.is_empty()) {
            note_damage(team, &String::from_utf8_lossy(problem));
            return nothing();
        }
        // The files of a job with another number of processes come in another order.
        for layer in found.layers.values_mut() {
            // Fast, because this merges a few sorted runs.
            if layer.codes.is_empty() {
                layer.keys.sort();
                continue;
            }
            let size = solver.code_bytes();
            let mut entries: Vec<(K, u32)> = layer.entries(0, size).collect();
            entries.sort();
            layer.keys.clear();
            layer.codes.clear();
            for (key, code) in entries {
                layer.keys.push(key);
                put_code(code, size, &mut layer.codes);
            }
        }
        note(team, &found, solver.code_bytes())?;
        self.last = Instant::now();
        Ok((found, checkpoint.order))
    }
}

/// Notes for the user how far the earlier run got.
fn note<K: Key>(
    team: &Team<'_>,
    found: &FoundClasses<K>,
    code_bytes: usize,
) -> Result<(), SolveError> {
    let keys = found.layers.values().map(|layer| layer.keys.len() as u64);
    let scores = found.layers.values();
    let scores = scores.map(|layer| (layer.codes.len() / code_bytes) as u64);
    let gathered = team.all_gather(Ok([keys.sum(), scores.sum()]))?;
    let [keys, scores] = [0, 1].map(|n| gathered.iter().map(|numbers| numbers[n]).sum());
    let keys = crate::text::count(keys);
    let what = match (found.is_all, scores) {
        (false, _) => format!("{keys} classes in the layers that are complete"),
        (true, 0) => "all".to_owned(),
        (true, _) => {
            let scores = crate::text::count(scores);
            format!("all, and the scores of {scores} of {keys} classes")
        }
    };
    team.progress().note(&format!(
        "reachable positions kept from an earlier run: {what}"
    ));
    Ok(())
}

fn read_checkpoint(folder: &Folder, team: &Team<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    let read = folder.get(NAME, "").and_then(|found| {
        let found = found.map(|found| found.read()).transpose()?;
        Ok(found.map(|mut found| found.read_to_end(&mut text)))
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

/// In the header of some keys: their layer is complete.
const COMPLETE: u8 = 1;
/// In the header of some keys: their scores follow.
const SCORED: u8 = 2;

/// Writes the keys of a stage, with codes if its layer is complete and scored.
fn put<K: Key>(
    out: &mut dyn Write,
    solver: &KeySolver<'_, K>,
    stage: u32,
    keys: &[K],
    codes: Option<&[u8]>,
) -> io::Result<()> {
    let is_scored = codes.is_some_and(|codes| !codes.is_empty());
    let state = u8::from(codes.is_some()) * COMPLETE + u8::from(is_scored) * SCORED;
    let size = solver.code_bytes();
    let mut codes = codes.unwrap_or_default().chunks(solver.block * size);
    // In parts of a size that another run can read at once.
    for keys in keys.chunks(solver.block) {
        let mut bytes = Vec::with_capacity(9 + keys.len() * (solver.width.0 + size));
        bytes.push(state);
        bytes.extend(stage.to_le_bytes());
        bytes.extend((keys.len() as u32).to_le_bytes());
        keys.iter()
            .for_each(|&key| solver.width.put(key, &mut bytes));
        bytes.extend(codes.next().unwrap_or_default());
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Adds the classes in a file that belong to this process.
fn read<K: Key>(
    folder: &Folder,
    name: &str,
    solver: &KeySolver<'_, K>,
    found: &mut FoundClasses<K>,
) -> Result<(), SolveError> {
    let mut file = folder.find(name, "")?.read()?;
    let error = || DiskError::of(&folder.place(name), "read it");
    while take(&mut file, solver, found).map_err(|cause| error()(cause))? {
        let open: u64 = found.open.values().map(KeySet::bytes).sum();
        solver.check_memory(bytes(&found.layers) + open)?;
        check_cancelled(solver.team.progress(), SolveError::Interrupted)?;
    }
    Ok(())
}

/// Adds the next keys of a file that belong to this process, if there are more.
fn take<K: Key>(
    file: &mut impl Read,
    solver: &KeySolver<'_, K>,
    found: &mut FoundClasses<K>,
) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(9).read_to_end(&mut head)?;
    let Some((&state, rest)) = head.split_first() else {
        return Ok(false);
    };
    let mut reader = Reader(rest);
    let stage = reader.u32().ok_or_else(damaged)?;
    let count = reader.u32().ok_or_else(damaged)? as usize;
    let is_scored = state & SCORED != 0;
    let size = if is_scored { solver.code_bytes() } else { 0 };
    let bytes = count as u64 * (solver.width.0 + size) as u64;
    let mut body = Vec::new();
    file.take(bytes).read_to_end(&mut body)?;
    let mut reader = Reader(&body);
    let keys: Vec<K> = reader.keys(count, solver.width).ok_or_else(damaged)?;
    let codes = reader.0;
    if is_scored && codes.len() != count * size {
        return Err(damaged());
    }
    let is_local = |key: &K| owner(key.wide(), solver.team.size()) == solver.team.rank();
    if state & COMPLETE == 0 {
        let local = keys.into_iter().filter(is_local);
        let open = found.open.entry(stage).or_default();
        open.add(&[local.collect()]);
        return Ok(true);
    }
    let layer = found.layers.entry(stage).or_default();
    if is_scored {
        let codes = keys.iter().zip(codes.chunks_exact(size));
        let codes = codes.filter(|(key, _)| is_local(key));
        layer.codes.extend(codes.flat_map(|(_, code)| code));
    }
    layer.keys.extend(keys.into_iter().filter(is_local));
    match layer.codes.is_empty() || layer.codes.len() == layer.keys.len() * solver.code_bytes() {
        true => Ok(true),
        false => Err(damaged()),
    }
}
