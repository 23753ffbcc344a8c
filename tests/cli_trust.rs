//! Tests of untrusted tables, and of tables that others change while they are open.

use crate::run::{Home, ZERMELO};
use crate::table_faults::fix_header;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// Replaces text in the metadata by text of equal length; recomputes checksums.
fn forge(home: &Home, name: &str, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(home.path(name)).unwrap();
    let at = |place: usize| u64::from_le_bytes(bytes[place..place + 8].try_into().unwrap());
    let metadata = at(56) as usize;
    let mut places = bytes.windows(from.len()).enumerate().skip(metadata);
    let place = places.find(|(_, text)| *text == from.as_bytes()).unwrap().0;
    bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
    let sum = crc32fast::hash(&bytes[metadata..]).to_le_bytes();
    bytes[88..92].copy_from_slice(&sum);
    let digest = Sha256::digest(&bytes[128..]);
    bytes[92..124].copy_from_slice(&digest);
    fix_header(&mut bytes);
    fs::write(home.path(name), bytes).unwrap();
}

#[test]
fn text_from_a_file_does_nothing_to_the_terminal() {
    let home = Home::with_table("t.bin", &["tictactoe"]);
    for (from, to, word) in [
        ("(shor", "(\x1b[7m", "name"),
        ("scoring=", "scori\x1b[7", "rules"),
    ] {
        forge(&home, "t.bin", from, to);
        for args in [
            &["info", "t.bin"][..],
            &["query", "t.bin"],
            &["verify", "t.bin"],
        ] {
            let message = home.zermelo(args).assert_refused();
            assert!(message.contains(word), "{message}");
        }
    }
}

/// Only the rules are right.
#[test]
fn an_endgame_of_another_shape_is_refused() {
    let game = ["kalah", "--pits", "2", "--up-to", "6"];
    let home = Home::with_table("endgame.bin", &game);
    forge(&home, "endgame.bin", "pits=2 ", "pits=3 ");
    let args = ["query", "kalah", "--pits", "3", "--seeds", "2", "--endgame"];
    home.zermelo(&[&args[..], &["endgame.bin"]].concat())
        .assert_refused_with(&["endgame.bin", "name"]);
}

/// Another program truncates the file, which without protection kills the process.
#[cfg(unix)]
#[test]
fn a_table_that_is_cut_off_while_open_is_an_error_and_answers_stay() {
    let home = Home::with_table("t.bin", &["kalah", "--pits", "4", "--seeds", "2"]);
    for access in [&[][..], &["--no-mmap"]] {
        let copy = home.path("copy.bin");
        fs::copy(home.path("t.bin"), &copy).unwrap();
        let args = [&["query", "copy.bin", "--batch"], access].concat();
        let mut command = home.command(ZERMELO, &args);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut questions = child.stdin.take().unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        writeln!(questions, "2,2,2,2/2,2,2,2").unwrap();
        let first = answers.next().unwrap().unwrap();
        assert!(first.starts_with("+6\twin"), "{first}");

        let file = fs::File::options().write(true).open(&copy).unwrap();
        file.set_len(4096).unwrap();
        let mut asked = 0;
        for seeds in 0..3u32.pow(7) {
            let pit = |place: u32| seeds / 3u32.pow(place) % 3;
            let mine = [pit(0), pit(1), pit(2), pit(3)].map(|seeds| seeds.to_string());
            let other = [pit(4), pit(5), pit(6), 1].map(|seeds| seeds.to_string());
            writeln!(questions, "{}/{}", mine.join(","), other.join(",")).unwrap();
            asked += 1;
        }
        drop(questions);
        let answers: Vec<String> = answers.map(Result::unwrap).collect();
        assert_eq!(answers.len(), asked);
        let cut_off = answers
            .iter()
            .filter(|line| line.starts_with("error: copy.bin: can't read"));
        assert!(cut_off.count() > 0, "{access:?}: nothing was missed");
        assert_eq!(child.wait().unwrap().code(), Some(2), "{access:?}");
    }
}
