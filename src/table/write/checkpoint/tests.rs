use super::*;
use crate::table::format::{GroupRecord, HEADER_LENGTH, Header};
use crate::work::DiskError;
use crate::work::folder::files;
use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

const STATES: [u32; 3] = [2, 3, 5];
const LOG: &str = "checkpoints.log";
/// Name of the second checkpoint.
const SECOND: &str = "group-1.piece";

fn open(
    path: &Path,
    rules: &str,
    restart: bool,
) -> Result<(Run, Vec<u32>, Option<String>), WriteError> {
    open_as(path, (false, restart), rules, "level=7")
}

fn open_as(
    path: &Path,
    (force, restart): (bool, bool),
    rules: &str,
    options: &str,
) -> Result<(Run, Vec<u32>, Option<String>), WriteError> {
    let identity = Identity::new(rules.to_owned(), options.to_owned());
    let opened = Workspace::open(path, (force, restart), &identity, &|_, _| true);
    opened.map(|(workspace, output, found)| {
        let states = found.states.iter().map(|state| state.group.end).collect();
        (Run { workspace, output }, states, found.discarded)
    })
}

fn state_of(end: u32) -> GroupState {
    let distributions = Vec::new();
    GroupState {
        group: GroupRecord { end, distributions },
        counts: Vec::new(),
    }
}

struct Run {
    workspace: Workspace,
    output: Output<'static>,
}

impl Run {
    /// Appends the block of a state and writes a checkpoint.
    fn go_on(&mut self, state: u32) {
        let some = vec![state as u8; 1000 * state as usize];
        self.output.block(&some, state, &[]).unwrap();
        let Run { workspace, output } = self;
        workspace.checkpoint(output, state_of(state)).unwrap();
    }

    fn finish(&mut self) -> Result<(), WriteError> {
        self.output.finish(&[9], 0).unwrap();
        self.workspace.finish()
    }

    fn finished(mut self) -> Vec<u8> {
        self.finish().unwrap();
        fs::read(&self.workspace.target.path).unwrap()
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let Workspace { folder, title, .. } = &self.workspace;
        let written = folder.put("found", title, &mut |out| out.write_all(bytes));
        written.map(drop)
    }

    /// Returns the saved bytes, if there are any.
    fn kept(&self) -> Result<Option<Vec<u8>>, DiskError> {
        let Workspace { folder, title, .. } = &self.workspace;
        let Some(piece) = folder.get("found", title)? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        piece.read()?.read_to_end(&mut bytes).unwrap();
        Ok(Some(bytes))
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = files(folder)
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// Returns the bytes between header and index, which are a single block.
fn block_of(table: &[u8]) -> &[u8] {
    let header = Header::decode(table, table.len() as u64).unwrap();
    assert_eq!(header.block_count, 1);
    assert_eq!(header.blocks.offset, HEADER_LENGTH as u64);
    &table[HEADER_LENGTH..header.index.offset as usize]
}

/// Stops a run after three checkpoints and a further block; returns its directory.
fn left(path: &Path) -> PathBuf {
    let (mut run, ..) = open(path, "rules", false).unwrap();
    run.keep(&[7; 5000]).unwrap();
    for state in STATES {
        run.go_on(state);
    }
    run.output.block(&[1; 100], 0, &[]).unwrap();
    run.output.flush().unwrap();
    run.workspace.saved_in().unwrap().to_owned()
}

fn undisturbed() -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let (mut run, ..) = open(&home.path().join("t.bin"), "rules", false).unwrap();
    for state in STATES {
        run.go_on(state);
    }
    run.finished()
}

#[test]
fn a_run_without_checkpoints_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut run, states, discarded) = open(&path, "rules", false).unwrap();
    assert!(states.is_empty() && discarded.is_none());
    run.output.block(b"something", 0, &[]).unwrap();
    assert_eq!(run.workspace.saved_in(), None);
    drop(run);
    assert!(names_in(home.path()).is_empty());
    // A killed run leaves files, but none that the next run uses, whatever table that writes.
    let (killed, ..) = open(&path, "rules", false).unwrap();
    killed.workspace.folder.unlock();
    std::mem::forget(killed);
    let (run, states, discarded) = open(&path, "others", false).unwrap();
    assert!(states.is_empty() && discarded.is_none());
    drop(run);
    assert!(names_in(&home.path().join("a")).is_empty());
}

#[test]
fn a_finished_table_is_all_that_stays() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut run, ..) = open(&path, "rules", false).unwrap();
    run.go_on(2);
    let bytes = run.finished();
    assert_eq!(block_of(&bytes), [2; 2000]);
    assert_eq!(names_in(home.path()), ["t.bin"]);
    assert!(matches!(
        open(&path, "rules", false),
        Err(WriteError::Exists { .. })
    ));
}

#[test]
fn unfinished_tables_are_resumed() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    left(&path);
    let (run, states, discarded) = open(&path, "rules", false).unwrap();
    assert_eq!(states, STATES);
    assert_eq!(discarded, None);
    assert_eq!(run.kept().unwrap().unwrap(), [7; 5000]);
    assert!(
        (run.workspace.folder.get("other", &run.workspace.title))
            .unwrap()
            .is_none()
    );
    assert_eq!(run.finished(), undisturbed());
    assert_eq!(names_in(home.path()), ["t.bin"]);
}

#[test]
fn two_runs_at_once_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut run, ..) = open(&path, "rules", false).unwrap();
    for restart in [false, true] {
        let second = open(&path, "rules", restart);
        let Err(WriteError::Disk(error)) = second else {
            panic!("two runs at once");
        };
        assert_eq!(error.cause.kind(), io::ErrorKind::ResourceBusy);
    }
    run.go_on(2);
    assert_eq!(block_of(&run.finished()), [2; 2000]);
}

#[test]
fn another_table_is_neither_gone_on_with_nor_lost() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let folder = left(&path);
    let names = names_in(&folder);
    let error = open(&path, "others", false).err().unwrap().to_string();
    for words in ["expected others, found rules", ".t.bin.partial"] {
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(names_in(&folder), names);
    let options = open_as(&path, (false, false), "rules", "level=9");
    assert!(matches!(options, Err(WriteError::Unfinished { .. })));
    let (run, states, _) = open(&path, "rules", false).unwrap();
    assert_eq!(states, STATES);
    drop(run);

    let (run, states, discarded) = open(&path, "others", true).unwrap();
    assert!(states.is_empty() && discarded.is_none());
    assert!(run.kept().unwrap().is_none());
    drop(run);
    assert!(names_in(home.path()).is_empty());
}

/// Checks that a resumed run is right, whichever byte is lost or changed.
#[test]
fn damage_is_cut_off() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let wanted = undisturbed();
    let mut held = [0; 4];
    for name in [TABLE, SECOND, LOG] {
        for at in 0..20 {
            for cut in [false, true] {
                let folder = left(&path);
                let file = folder.join(name);
                let mut bytes = fs::read(&file).unwrap();
                let at = at * bytes.len() / 20;
                if cut {
                    bytes.truncate(at);
                } else {
                    bytes[at] ^= 1;
                }
                fs::write(&file, bytes).unwrap();
                let (mut run, states, _) = open(&path, "rules", false).unwrap();
                assert_eq!(states, STATES[..states.len()], "{name} {at} {cut}");
                held[states.len()] += 1;
                for &state in &STATES[states.len()..] {
                    run.go_on(state);
                }
                assert!(run.finished() == wanted, "{name} {at} {cut}");
                fs::remove_file(&path).unwrap();
            }
        }
    }
    assert!(held[..3].iter().all(|&cases| cases > 5), "{held:?}");
    for name in [TABLE, "group-0.piece", LOG] {
        let folder = left(&path);
        fs::remove_file(folder.join(name)).unwrap();
        let (run, states, discarded) = open(&path, "rules", false).unwrap();
        assert!(states.is_empty() && discarded.is_some(), "{name}");
        // The file has its own checksum, but the log says which table it belongs to.
        assert_eq!(run.kept().unwrap().is_some(), name != LOG);
        drop(run);
    }
}

#[test]
fn damaged_pieces_are_errors_and_failed_ones_leave_the_old() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut run, ..) = open(&path, "rules", false).unwrap();
    run.keep(b"first").unwrap();
    let Workspace { folder, title, .. } = &run.workspace;
    let failed = folder.put("found", title, &mut |out| {
        out.write_all(b"second")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(
        failed.err().unwrap().cause.kind(),
        io::ErrorKind::StorageFull
    );
    assert_eq!(run.kept().unwrap().unwrap(), b"first");
    let file = run.workspace.folder.place("found");
    assert_eq!(names_in(run.workspace.folder.path()).len(), 4);
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(&file, &damaged).unwrap();
        assert!(run.kept().is_err(), "{at}");
        fs::write(&file, &whole[..at]).unwrap();
        assert!(run.kept().is_err(), "{at}");
    }
}

#[test]
fn files_that_took_the_tables_place_and_checkpoints_are_preserved() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut run, ..) = open(&path, "rules", false).unwrap();
    run.go_on(2);
    fs::write(&path, "somebody else's").unwrap();
    let result = run.finish();
    assert!(matches!(result, Err(WriteError::Exists { .. })));
    drop(run);
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    let (run, states, _) = open_as(&path, (true, false), "rules", "level=7").unwrap();
    assert_eq!(states, [2]);
    assert_eq!(block_of(&run.finished()), [2; 2000]);
    assert_eq!(names_in(home.path()), ["t.bin"]);
}

#[test]
fn files_of_others_are_preserved() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let folder = folder_of(&path);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("precious"), "").unwrap();
    drop(open(&path, "rules", true).unwrap());
    assert_eq!(names_in(&folder), ["precious"]);
    fs::remove_file(folder.join("precious")).unwrap();
    fs::remove_dir(&folder).unwrap();
    fs::write(&folder, "a file").unwrap();
    assert!(matches!(
        open(&path, "rules", false),
        Err(WriteError::Disk(_))
    ));
    assert_eq!(fs::read(&folder).unwrap(), b"a file");
}

/// Checks that links, which lead elsewhere, and pipes, which block, are refused.
#[cfg(unix)]
#[test]
fn irregular_files_are_refused() {
    use nix::sys::stat::Mode;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let precious = home.path().join("precious");
    fs::write(&precious, "somebody else's").unwrap();
    for name in [TABLE, SECOND, LOG, "lock"] {
        for is_link in [true, false] {
            let folder = left(&path);
            let file = folder.join(name);
            fs::remove_file(&file).unwrap();
            if is_link {
                std::os::unix::fs::symlink(&precious, &file).unwrap();
            } else {
                nix::unistd::mkfifo(&file, Mode::S_IRWXU).unwrap();
            }
            let error = open(&path, "rules", false).err().unwrap().to_string();
            for words in [name, "expected a regular file"] {
                assert!(error.contains(words), "{error}");
            }
            assert_eq!(fs::read(&precious).unwrap(), b"somebody else's");
            fs::remove_dir_all(folder).unwrap();
        }
    }
    // The solver's damaged file is not used; the run resumes otherwise.
    left(&path);
    let (mut run, ..) = open(&path, "rules", false).unwrap();
    let piece = run.workspace.folder.place("found");
    fs::remove_file(&piece).unwrap();
    nix::unistd::mkfifo(&piece, Mode::S_IRWXU).unwrap();
    assert!(run.kept().is_err());
    run.keep(b"new").unwrap();
    assert!(run.kept().unwrap().is_some());
}
