//! Checks with damaged texts.

use crate::game::{Broken, Notation};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Checks that damaged positions and moves are refused or read as something usable.
pub(super) fn hostile_texts<G: Notation>(game: &G, position: &G::Position) -> Result<(), Broken> {
    let moves = game.legal_moves(position).into_iter().take(1);
    let texts = moves.map(|mv| game.format_move(mv));
    for text in texts.chain([game.format_position(position)]) {
        let mut damaged = vec![String::new(), "-1".to_owned(), "9".repeat(40)];
        damaged.extend([" ", ",", "\0", "\u{e4}"].map(|end| format!("{text}{end}{text}")));
        damaged.push(text.repeat(1000));
        for (at, letter) in text.char_indices().take(100) {
            let (begin, rest) = (&text[..at], &text[at + letter.len_utf8()..]);
            damaged.push(begin.to_owned());
            damaged.extend(["", "9", "\u{e4}"].map(|other| [begin, other, rest].concat()));
        }
        for text in damaged {
            let read = catch_unwind(AssertUnwindSafe(|| {
                let _ = game.parse_move(&text);
                let Ok(read) = game.parse_position(&text) else {
                    return true;
                };
                let canonical = game.canonical(&read);
                let _ = (game.final_score(&canonical), game.legal_moves(&read));
                game.parse_position(&game.format_position(&read)) == Ok(read)
            }));
            let text: String = text.chars().take(200).collect();
            let found = match read {
                Ok(true) => continue,
                Ok(false) => format!("what is read of {text:?} can't be written and read back"),
                Err(_) => format!("{text:?} makes them panic"),
            };
            let promise = "parse_position and parse_move refuse what they can't read";
            return Err(Broken::new(game.rules(), promise, found));
        }
    }
    Ok(())
}
