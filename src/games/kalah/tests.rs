//! Tests of each rule, after the text of the rules.

use super::rules::MAX_TOTAL_SEEDS;
use super::*;
use crate::game::{Family, Game, Notation, Side, Values, follow_by_playing};
use proptest::array::{uniform2, uniform6};
use proptest::prelude::*;

fn game(pits: usize, seeds: usize, empty_capture: bool) -> Kalah {
    Kalah::new(Rules {
        pits,
        seeds,
        empty_capture,
    })
    .unwrap()
}

fn after(game: &Kalah, position: &str, mv: &str) -> String {
    let position = game.parse_position(position).unwrap();
    let mv = game.parse_move(mv).unwrap();
    game.format_position(&game.try_play(&position, mv).unwrap())
}

#[test]
fn more_seeds_than_a_byte_counts_are_refused() {
    for (pits, most) in [(1, 127), (4, 31), (6, 21)] {
        let with = |seeds| {
            Kalah::new(Rules {
                pits,
                seeds,
                empty_capture: false,
            })
        };
        assert!(with(most).is_ok());
        let seeds = most + 1;
        let error = with(seeds).unwrap_err().0;
        let total = format!(" {} seeds on the board", seeds * 2 * pits);
        assert!(error.contains(&total), "{error}");
        let mut values = Values::default();
        for (name, value) in [("pits", pits), ("seeds", seeds)] {
            values.set(name, value.to_string());
        }
        let advice = KalahFamily.game(&values).unwrap_err().0;
        let said = format!("--seeds can be at most {most}");
        assert!(advice.ends_with(&said), "{advice}");
    }
}

#[test]
fn last_seed_in_the_own_store_moves_again() {
    let kalah = game(6, 2, false);
    let start = kalah.format_position(&kalah.start());
    assert_eq!(start, "2,2,2,2,2,2:0/2,2,2,2,2,2:0 first");
    assert_eq!(
        after(&kalah, &start, "5"),
        "2,2,2,2,0,3:1/2,2,2,2,2,2:0 first"
    );
}

#[test]
fn captures_need_a_seed_opposite_unless_empty_capture() {
    let position = "1,0,0/1,0,1 first";
    // Opposite the first player's pit 2 is the second player's pit 2.
    assert_eq!(
        after(&game(3, 2, false), position, "1"),
        "0,1,0/1,0,1 second"
    );
    assert_eq!(
        after(&game(3, 2, true), "1,0,0:4/1,0,1:5 first", "1"),
        "0,0,0:5/1,0,1:5 second"
    );
    assert_eq!(
        after(&game(3, 2, false), "1,0,0:4/1,3,1:2 first", "1"),
        "0,0,0:8/1,0,1:2 second"
    );
}

#[test]
fn a_lap_of_thirteen_ends_in_its_own_origin_and_captures() {
    let kalah = game(6, 4, false);
    assert_eq!(
        after(&kalah, "0,13,0,0,0,0:10/0,0,0,0,3,0:22 first", "2"),
        "1,0,1,1,1,1:16/1,1,1,1,0,1:22 second"
    );
    assert_eq!(
        after(&kalah, "0,14,0,0,0,0:10/0,0,0,0,2,0:22 first", "2"),
        "1,1,2,1,1,1:11/1,1,1,1,3,1:22 second"
    );
}

#[test]
fn the_opponents_store_is_passed_over() {
    let kalah = game(2, 3, false);
    // Four seeds from pit 2 of 2: store, both opposite pits, past the other store, and pit 1.
    assert_eq!(
        after(&kalah, "1,4:3/0,1:3 first", "2"),
        "2,0:4/1,2:3 second"
    );
}

#[test]
fn the_sides_keep_what_lies_on_their_side_at_the_end() {
    let kalah = game(2, 2, false);
    let position = kalah.parse_position("0,0:3/2,1:2 second").unwrap();
    assert_eq!(kalah.final_score(&position), Some(2));
    assert!(kalah.legal_moves(&position).is_empty());
}

#[test]
fn a_pit_that_is_not_there_is_no_legal_move() {
    for pits in [4, 6] {
        let game = game(pits, 2, false);
        let legal = (0..=6).filter(|&pit| game.is_legal(&game.start(), Move(pit)));
        assert!(legal.eq(0..pits as u8), "{pits} pits");
    }
}

/// Plays a move by the text of the rules, one seed at a time.
fn sown(kalah: &Kalah, before: &Position, Move(pit): Move) -> Position {
    let (pits, me) = (kalah.pits(), before.side.index());
    let mut after = *before;
    let mut in_hand = std::mem::take(&mut after.pits[me][usize::from(pit)]);
    let (mut side, mut next) = (me, usize::from(pit) + 1);
    loop {
        in_hand -= 1;
        if next < pits {
            after.pits[side][next] += 1;
            next += 1;
        } else {
            // The end of a side: only the moving player's store receives a seed.
            let is_own = side == me;
            if is_own {
                after.stores[me] += 1;
            } else {
                in_hand += 1;
            }
            (side, next) = (1 - side, 0);
            if is_own && in_hand == 0 {
                return after;
            }
        }
        if in_hand == 0 {
            break;
        }
    }
    let last = next.wrapping_sub(1);
    if side == me && next > 0 && after.pits[me][last] == 1 {
        let captured = &mut after.pits[1 - me][pits - 1 - last];
        if *captured > 0 || kalah.parameters().empty_capture {
            after.stores[me] += 1 + std::mem::take(captured);
            after.pits[me][last] = 0;
        }
    }
    after.side = before.side.other();
    after
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_move_is_as_if_sown_seed_by_seed(
        pits in 1..=MAX_PITS,
        empty_capture: bool,
        rows in uniform2(uniform6(prop_oneof![4 => 0..4u8, 1 => 0..40u8])),
        stores in uniform2(0..20u8),
        is_first: bool,
        heap in 0..150u8,
    ) {
        let mut position = Position {
            pits: rows.map(|mut row| {
                row[pits..].fill(0);
                row
            }),
            stores,
            side: if is_first { Side::First } else { Side::Second },
        };
        // A pit with enough seeds for more than one lap.
        let me = position.side.index();
        position.pits[me][pits - 1] = heap;
        let all = position.seeds_on_board() + stores.map(usize::from).iter().sum::<usize>();
        prop_assume!(all <= MAX_TOTAL_SEEDS);
        let kalah = game(pits, 1, empty_capture);
        for pit in (0..pits).filter(|&pit| position.pits[me][pit] > 0) {
            let mv = Move(pit as u8);
            prop_assert_eq!(kalah.play(&position, mv), sown(&kalah, &position, mv));
            let (mut class, mut played) = (position, position);
            let followed = follow_by_playing(&kalah, &position, mv, &mut played);
            prop_assert_eq!(kalah.follow(&position, mv, &mut class), followed);
            prop_assert_eq!(class, played);
        }
    }

    #[test]
    fn a_sum_is_of_any_seeds(pits: Pits) {
        let added: usize = pits.iter().map(|&seeds| usize::from(seeds)).sum();
        prop_assert_eq!(sum(&pits), added);
    }
}
