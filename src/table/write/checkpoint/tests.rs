use super::folder::{INDEX, LOG, files};
use super::*;
use crate::table::format::HEADER_LENGTH;

const STATES: [u32; 3] = [2, 3, 5];

fn open(path: &Path, rules: &str, restart: bool) -> Result<(Workspace, Found<u32>), WriteError> {
    Workspace::open(path, false, restart, rules, "level=7", |_, _| true)
}

/// Appends what belongs to a state, and makes a checkpoint of it.
fn go_on(workspace: &mut Workspace, state: u32) {
    let some = vec![state as u8; 1000 * state as usize];
    workspace.output.table.write_all(&some).unwrap();
    workspace.output.index.write_all(&some[..10]).unwrap();
    workspace.checkpoint(&state).unwrap();
}

fn finished(mut workspace: Workspace) -> Vec<u8> {
    let Output { table, index } = &mut workspace.output;
    table.append_all(index).unwrap();
    workspace.finish(&[9; HEADER_LENGTH]).unwrap();
    fs::read(workspace.target.path()).unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = files(folder)
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// A folder that a run has left after three checkpoints and something more.
fn left(path: &Path) -> PathBuf {
    let (mut workspace, _) = open(path, "rules", false).unwrap();
    workspace
        .keep("found", &mut |out| out.write_all(&[7; 5000]))
        .unwrap();
    for state in STATES {
        go_on(&mut workspace, state);
    }
    workspace.output.table.write_all(&[1; 100]).unwrap();
    workspace.output.table.prefix().unwrap();
    workspace.kept_in().unwrap().to_owned()
}

fn undisturbed() -> Vec<u8> {
    let home = tempfile::tempdir().unwrap();
    let (mut workspace, _) = open(&home.path().join("t.bin"), "rules", false).unwrap();
    for state in STATES {
        go_on(&mut workspace, state);
    }
    finished(workspace)
}

#[test]
fn a_run_without_checkpoints_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut workspace, found) = open(&path, "rules", false).unwrap();
    assert!(found.states.is_empty() && found.discarded.is_none());
    workspace.output.table.write_all(b"something").unwrap();
    assert_eq!(workspace.kept_in(), None);
    drop(workspace);
    assert!(names_in(home.path()).is_empty());
    // Nor if it was killed, as far as the next run is concerned, whatever that writes.
    std::mem::forget(open(&path, "rules", false).unwrap().0._lock.unlock());
    let (workspace, found) = open(&path, "others", false).unwrap();
    assert!(found.states.is_empty() && found.discarded.is_none());
    drop(workspace);
    assert!(names_in(&home.path().join("a")).is_empty());
}

#[test]
fn a_finished_table_is_all_that_stays() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut workspace, _) = open(&path, "rules", false).unwrap();
    go_on(&mut workspace, 2);
    let bytes = finished(workspace);
    assert_eq!(bytes[..HEADER_LENGTH], [9; HEADER_LENGTH]);
    assert_eq!(bytes[HEADER_LENGTH..], [2; 2010]);
    assert_eq!(names_in(home.path()), ["t.bin"]);
    assert!(matches!(
        open(&path, "rules", false),
        Err(WriteError::Exists { .. })
    ));
}

#[test]
fn what_was_left_is_gone_on_with() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    left(&path);
    let (workspace, found) = open(&path, "rules", false).unwrap();
    assert_eq!(found.states, STATES);
    assert_eq!(found.discarded, None);
    let mut kept = Vec::new();
    let piece = workspace.kept("found").unwrap();
    piece.unwrap().read_to_end(&mut kept).unwrap();
    assert_eq!(kept, [7; 5000]);
    assert!(workspace.kept("other").unwrap().is_none());
    assert_eq!(finished(workspace), undisturbed());
    assert_eq!(names_in(home.path()), ["t.bin"]);
}

#[test]
fn two_runs_at_once_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut workspace, _) = open(&path, "rules", false).unwrap();
    for restart in [false, true] {
        let second = open(&path, "rules", restart);
        assert!(matches!(second, Err(WriteError::Busy { .. })));
    }
    go_on(&mut workspace, 2);
    assert_eq!(finished(workspace)[HEADER_LENGTH..], [2; 2010]);
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
    let options = Workspace::open::<u32>(&path, false, false, "rules", "level=9", |_, _| true);
    assert!(matches!(options, Err(WriteError::Unfinished { .. })));
    let (workspace, found) = open(&path, "rules", false).unwrap();
    assert_eq!(found.states, STATES);
    drop(workspace);

    let (workspace, found) = open(&path, "others", true).unwrap();
    assert!(found.states.is_empty() && found.discarded.is_none());
    assert!(workspace.kept("found").unwrap().is_none());
    drop(workspace);
    assert!(names_in(home.path()).is_empty());
}

/// Whichever byte of whichever file is lost or changed, what is continued is right.
#[test]
fn damage_is_cut_off() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let wanted = undisturbed();
    let mut held = [0; 4];
    for name in [TABLE, INDEX, LOG] {
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
                let (mut workspace, found) = open(&path, "rules", false).unwrap();
                let states = found.states;
                assert_eq!(states, STATES[..states.len()], "{name} {at} {cut}");
                held[states.len()] += 1;
                for &state in &STATES[states.len()..] {
                    go_on(&mut workspace, state);
                }
                assert!(finished(workspace) == wanted, "{name} {at} {cut}");
                fs::remove_file(&path).unwrap();
            }
        }
    }
    assert!(held[..3].iter().all(|&cases| cases > 5), "{held:?}");
    for name in [TABLE, INDEX, LOG] {
        let folder = left(&path);
        fs::remove_file(folder.join(name)).unwrap();
        let (workspace, found) = open(&path, "rules", false).unwrap();
        assert!(
            found.states.is_empty() && found.discarded.is_some(),
            "{name}"
        );
        // The piece has a digest of its own, but what it belongs to is in the log.
        assert_eq!(workspace.kept("found").unwrap().is_some(), name != LOG);
        drop(workspace);
    }
}

#[test]
fn damaged_pieces_are_errors_and_failed_ones_leave_the_old() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut workspace, _) = open(&path, "rules", false).unwrap();
    workspace
        .keep("found", &mut |out| out.write_all(b"first"))
        .unwrap();
    let failed = workspace.keep("found", &mut |out| {
        out.write_all(b"second")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
    let read = |workspace: &Workspace| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        workspace.kept("found")?.unwrap().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    assert_eq!(read(&workspace).unwrap(), b"first");
    let file = workspace.folder.join("found.piece");
    assert_eq!(names_in(&workspace.folder).len(), 5);
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        fs::write(&file, &damaged).unwrap();
        assert!(read(&workspace).is_err(), "{at}");
        fs::write(&file, &whole[..at]).unwrap();
        assert!(read(&workspace).is_err(), "{at}");
    }
}

#[test]
fn what_came_to_the_tables_place_meanwhile_is_kept_and_so_is_the_work() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let (mut workspace, _) = open(&path, "rules", false).unwrap();
    go_on(&mut workspace, 2);
    fs::write(&path, "somebody else's").unwrap();
    let result = workspace.finish(&[9; HEADER_LENGTH]);
    assert!(matches!(result, Err(WriteError::Exists { .. })));
    drop(workspace);
    assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    let (workspace, found) =
        Workspace::open::<u32>(&path, true, false, "rules", "level=7", |_, _| true).unwrap();
    assert_eq!(found.states, [2]);
    assert_eq!(
        finished(workspace)[HEADER_LENGTH..],
        [[2; 2000].as_slice(), &[2; 10]].concat()
    );
    assert_eq!(names_in(home.path()), ["t.bin"]);
}

#[test]
fn what_is_none_of_ours_stays() {
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
        Err(WriteError::Io { .. })
    ));
    assert_eq!(fs::read(&folder).unwrap(), b"a file");
}

/// A link leads to what is none of ours, and a pipe waits for ever.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused() {
    use nix::sys::stat::Mode;
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("t.bin");
    let precious = home.path().join("precious");
    fs::write(&precious, "somebody else's").unwrap();
    for name in [TABLE, INDEX, LOG, "lock"] {
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
    // Of what the solver has kept, nothing is taken, and the rest goes on.
    left(&path);
    let (mut workspace, _) = open(&path, "rules", false).unwrap();
    let piece = workspace.folder.join("found.piece");
    fs::remove_file(&piece).unwrap();
    nix::unistd::mkfifo(&piece, Mode::S_IRWXU).unwrap();
    assert!(workspace.kept("found").is_err());
    workspace
        .keep("found", &mut |out| out.write_all(b"new"))
        .unwrap();
    assert!(workspace.kept("found").unwrap().is_some());
}
