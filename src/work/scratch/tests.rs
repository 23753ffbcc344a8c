use super::*;

fn in_folder(test: impl FnOnce(&Arc<Scratch>, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    test(&Arc::new(Scratch::new(folder.path())), folder.path());
}

#[test]
fn pieces_are_what_was_written() {
    in_folder(|scratch, folder| {
        let piece = scratch.write("some", "of this", b"abcdefg").unwrap();
        assert_eq!(piece[..], *b"abcdefg");
        assert_eq!(piece[2..4], *b"cd");
        piece.check().unwrap();
        let again = Scratch::new(folder);
        assert_eq!(again.find("some", "of this").unwrap()[..], *b"abcdefg");
        assert!(again.find("some", "of that").is_none());
        assert!(again.find("other", "of this").is_none());
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        assert!(scratch.used() == 15 && scratch.room().unwrap() > 15);
        assert!(scratch.write("none", "", b"").unwrap().is_empty());
    });
}

#[test]
fn flipped_and_truncated_files_are_noticed() {
    in_folder(|scratch, folder| {
        let bytes = [7; 40_000];
        let path = folder.join("some.scratch");
        let written = || scratch.write("some", "of this", &bytes).unwrap();
        let whole = {
            drop(written());
            fs::read(&path).unwrap()
        };
        for at in [0, 4095, 39_999, 40_000, 40_004, 40_007] {
            let piece = written();
            let mut flipped = whole.clone();
            flipped[at] ^= 16;
            fs::write(&path, flipped).unwrap();
            // `check` doesn't read the trailer, which is for later runs.
            assert_eq!(piece.check().is_err(), at < 40_000, "{at}");
            assert!(scratch.find("some", "of this").is_none(), "{at}");
        }
        for length in [0, 7, 8, 4096, 39_999, 40_007] {
            let piece = written();
            fs::write(&path, &whole[..length]).unwrap();
            let error = piece.check().unwrap_err().to_string();
            assert!(error.contains("some.scratch"), "{error}");
            assert!(scratch.find("some", "of this").is_none(), "{length}");
        }
        fs::remove_file(&path).unwrap();
        let longer = [&whole[..], b"\0"].concat();
        fs::write(&path, longer).unwrap();
        assert!(scratch.find("some", "of this").is_none());
    });
}

#[cfg(unix)]
#[test]
fn another_file_in_the_place_of_a_damaged_one_is_noticed() {
    in_folder(|scratch, folder| {
        let (path, copy) = (folder.join("some.scratch"), folder.join("copy"));
        let piece = scratch.write("some", "of this", b"abc").unwrap();
        fs::copy(&path, &copy).unwrap();
        fs::write(&path, b"xyz").unwrap();
        fs::rename(&copy, &path).unwrap();
        assert_ne!(piece[..], *b"abc");
        assert!(piece.check().is_err());
        assert_eq!(scratch.find("some", "of this").unwrap()[..], *b"abc");
    });
}

#[test]
fn read_pages_are_released_and_read_again() {
    if taken().is_none() {
        return;
    }
    in_folder(|scratch, _| {
        let bytes: Vec<u8> = (0..100_000_000u32).map(|at| (at >> 12) as u8).collect();
        let piece = scratch.write("some", "of this", &bytes).unwrap();
        let sum = |bytes: &[u8]| {
            bytes
                .iter()
                .step_by(4096)
                .map(|&byte| u64::from(byte))
                .sum::<u64>()
        };
        let wanted = sum(&bytes);
        assert_eq!(sum(&piece), wanted);
        assert!(taken().unwrap().of_files > 90_000_000);
        scratch.evict_if_needed();
        let before = taken().unwrap().of_files;
        assert!(before > 90_000_000);
        scratch.limit_memory(0);
        scratch.evict_if_needed();
        let after = taken().unwrap().of_files;
        assert!(after + 60_000_000 < before, "{before}, then {after}");
        assert_eq!(sum(&piece), wanted);
    });
}

#[test]
fn failed_writes_leave_no_file() {
    in_folder(|scratch, folder| {
        fs::create_dir(folder.join("some.scratch")).unwrap();
        let error = scratch.write("some", "of this", b"abc").unwrap_err();
        assert!(error.to_string().contains("some.scratch"), "{error}");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
        assert!(scratch.find("some", "of this").is_none());
    });
}
