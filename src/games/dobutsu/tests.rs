use super::notation::EXAMPLE;
use super::rules::START;
use super::*;
use crate::game::{Drawing, Game, Notation, WON};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

type Rows = Vec<Vec<char>>;

/// Returns the squares to which a side's pieces can go, found by walking over the letters of the board.
fn ways(rows: &Rows, is_first: bool) -> Vec<[(usize, usize); 2]> {
    let is_own = |letter: char| letter != '.' && letter.is_uppercase() == is_first;
    let mut ways = Vec::new();
    for (row, column) in (0..4).flat_map(|row| (0..3).map(move |column| (row, column))) {
        let steps: &[(i32, i32)] = match rows[row][column].to_ascii_uppercase() {
            _ if !is_own(rows[row][column]) => &[],
            'C' => &[(1, 0)],
            'E' => &[(1, -1), (1, 1), (-1, -1), (-1, 1)],
            'G' => &[(1, 0), (0, -1), (0, 1), (-1, 0)],
            'H' => &[(1, 0), (0, -1), (0, 1), (-1, 0), (1, -1), (1, 1)],
            _ => &[
                (1, 0),
                (0, -1),
                (0, 1),
                (-1, 0),
                (1, -1),
                (1, 1),
                (-1, -1),
                (-1, 1),
            ],
        };
        for (forward, right) in steps {
            let up = if is_first { -forward } else { *forward };
            let (to_row, to_column) = (row as i32 + up, column as i32 + right);
            if (0..4).contains(&to_row) && (0..3).contains(&to_column) {
                let to = (to_row as usize, to_column as usize);
                if !is_own(rows[to.0][to.1]) {
                    ways.push([(row, column), to]);
                }
            }
        }
    }
    ways
}

/// Returns the texts of the positions after each move, or the final score.
fn children(text: &str) -> Result<BTreeSet<String>, i32> {
    let words: Vec<&str> = text.split(' ').collect();
    let rows: Rows = words[0]
        .split('/')
        .map(|row| row.chars().collect())
        .collect();
    let is_first = words[2] == "first";
    let hand: Vec<char> = words[1].chars().filter(|&letter| letter != '-').collect();
    let ways = ways(&rows, is_first);
    let lion = if is_first { 'l' } else { 'L' };
    if ways.iter().any(|[_, to]| rows[to.0][to.1] == lion) {
        return Err(WON - 1);
    }
    if rows[if is_first { 3 } else { 0 }].contains(&lion) {
        return Err(-WON);
    }
    let written = |rows: &Rows, mut hand: Vec<char>| {
        let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
        hand.sort_unstable();
        let hand: String = hand.into_iter().collect();
        let hand = if hand.is_empty() { "-" } else { &hand };
        format!(
            "{} {hand} {}",
            rows.join("/"),
            if is_first { "second" } else { "first" }
        )
    };
    let cased = |letter: char| match is_first {
        true => letter.to_ascii_uppercase(),
        false => letter.to_ascii_lowercase(),
    };
    let mut texts = BTreeSet::new();
    for [from, to] in ways {
        let (mut rows, mut hand) = (rows.clone(), hand.clone());
        let piece = std::mem::replace(&mut rows[from.0][from.1], '.');
        let is_last = to.0 == if is_first { 0 } else { 3 };
        let is_chick = piece.eq_ignore_ascii_case(&'c');
        let piece = if is_chick && is_last {
            cased('h')
        } else {
            piece
        };
        match std::mem::replace(&mut rows[to.0][to.1], piece) {
            '.' => {}
            'h' | 'H' => hand.push(cased('c')),
            taken => hand.push(cased(taken)),
        }
        texts.insert(written(&rows, hand));
    }
    for (index, &piece) in hand
        .iter()
        .enumerate()
        .filter(|piece| piece.1.is_uppercase() == is_first)
    {
        for (row, column) in (0..4).flat_map(|row| (0..3).map(move |column| (row, column))) {
            let (mut rows, mut hand) = (rows.clone(), hand.clone());
            if rows[row][column] == '.' {
                rows[row][column] = piece;
                hand.remove(index);
                texts.insert(written(&rows, hand));
            }
        }
    }
    Ok(texts)
}

#[test]
fn moves_are_those_of_a_walk_over_letters() {
    let mut known = FxHashSet::from_iter([Dobutsu.start()]);
    let mut level = vec![Dobutsu.start()];
    let mut decided = [0; 2];
    for _ in 0..6 {
        let mut next = Vec::new();
        // A few of the later ones.
        let step = level.len().div_ceil(3000);
        for position in level.into_iter().step_by(step) {
            let text = Dobutsu.format_position(&position);
            let found: Vec<Position> = Dobutsu
                .legal_moves(&position)
                .into_iter()
                .map(|mv| Dobutsu.play(&position, mv))
                .collect();
            let texts = found.iter().map(|child| Dobutsu.format_position(child));
            let texts: BTreeSet<String> = texts.collect();
            let score = Dobutsu.final_score(&position);
            assert_eq!(children(&text), score.map_or(Ok(texts), Err), "{text}");
            decided[usize::from(score.is_some())] += 1;
            next.extend(found.into_iter().filter(|child| known.insert(*child)));
        }
        level = next;
    }
    assert!(decided.iter().all(|&count| count > 100), "{decided:?}");
}

#[test]
fn classes_have_keys_and_other_keys_are_refused() {
    let mut random = crate::random::Random::new(1);
    let mut named = 0;
    for _ in 0..20 {
        let mut position = Dobutsu.start();
        while Dobutsu.final_score(&position).is_none() {
            let class = Dobutsu.canonical(&position);
            let key = Dobutsu.key(&class);
            assert_eq!(Dobutsu.position_of_key(key), Some(class));
            for bit in 0..56 {
                let near = key ^ 1 << bit;
                if let Some(other) = Dobutsu.position_of_key(near) {
                    assert_eq!(Dobutsu.key(&other), near);
                    let text = Dobutsu.format_position(&other);
                    assert_eq!(Dobutsu.parse_position(&text), Ok(other));
                    named += 1;
                }
            }
            let moves = Dobutsu.legal_moves(&position);
            position = Dobutsu.play(&position, moves[random.index(moves.len())]);
        }
    }
    assert!(named > 0);
    for key in [0, 1 << 54, u128::MAX, u128::from(START)] {
        assert_eq!(Dobutsu.position_of_key(key), None, "{key:x}");
    }
}

#[test]
fn a_lion_is_caught_or_comes_home() {
    let score = |text| Dobutsu.final_score(&Dobutsu.parse_position(text).unwrap());
    assert_eq!(score(EXAMPLE), None);
    for (text, expected) in [
        // The lions face each other.
        ("g.e/.l./.L./E.G Cc first", Some(WON - 1)),
        // Home, and safe or attacked by the giraffe.
        ("..L/l../.../E.G Ccge second", Some(-WON)),
        ("g.L/.../.l./E.G Cce second", Some(-WON)),
        (".gL/.../.l./E.G Cce second", Some(WON - 1)),
        // An elephant doesn't attack forward, nor a chick backward.
        ("..e/l../E../L.G Ccg first", None),
        ("C.e/l../.../L.G cgE first", None),
    ] {
        assert_eq!(score(text), expected, "{text}");
    }
}

#[test]
fn chicks_become_hens_and_hens_go_to_the_hand_as_chicks() {
    let after = |text, mv| {
        let position = Dobutsu.parse_position(text).unwrap();
        let after = Dobutsu.try_play(&position, Dobutsu.parse_move(mv).unwrap());
        after.map(|after| Dobutsu.format_position(&after))
    };
    for (text, mv, expected) in [
        (
            "..l/C../..h/.L. EGeg first",
            "a2-a1",
            Some("H.l/.../..h/.L. EGeg second"),
        ),
        (
            "..l/C../..h/.L. EGeg first",
            "b4-c3",
            Some("..l/C../..L/... CEGeg second"),
        ),
        // A dropped chick remains one.
        (
            "l../.../..h/.L. CEGeg first",
            "C*c1",
            Some("l.C/.../..h/.L. EGeg second"),
        ),
        ("l../.../..h/.L. CEGeg first", "C*a1", None),
        ("l../.../..h/.L. CEGeg second", "C*a2", None),
    ] {
        assert_eq!(after(text, mv).as_deref(), expected, "{text} {mv}");
    }
}

#[test]
fn wrong_texts_are_refused_with_the_reason() {
    for (text, reason) in [
        ("gle/.c./.C./ELG first", "the pieces in hand and the side"),
        ("gle/.c./.C. - first", "3 rows"),
        ("gle/.c./.X./ELG - first", "square b3 is one of"),
        ("gle/.c./.../ELG H first", "not \"H\""),
        ("gle/.c./.C./ELG C first", "a lion each"),
        ("gle/.c./.../ELG CCCCC first", "a lion each"),
        ("gle/.c./.L./ELG - first", "a lion each"),
        ("gle/.c./.../ELG - first", "a lion each"),
    ] {
        let error = Dobutsu.parse_position(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for text in [
        "d1-a1", "a5-a4", "L*a1", "H*a1", "c*a1", "CC*a1", "a1", "a1-",
    ] {
        assert!(Dobutsu.parse_move(text).is_err(), "{text}");
    }
}

#[test]
fn drops_go_from_the_hand_to_a_cell() {
    let position = Dobutsu.parse_position("gle/.../.../ELG CCc second");
    // There are two chicks in all.
    assert!(position.is_err());
    let position = Dobutsu.parse_position("gle/.../.../ELG Cc second").unwrap();
    let picture = Dobutsu.picture(&position).unwrap();
    let names: Vec<&str> = picture.places.iter().map(|place| &*place.name).collect();
    assert!(names.contains(&"C in hand") && names.contains(&"c in hand"));
    let drop = Dobutsu.parse_move("C*b2").unwrap();
    let places = Dobutsu.places_of_move(&position, drop).unwrap();
    assert_eq!(places, ["c in hand", "b2"]);
}
