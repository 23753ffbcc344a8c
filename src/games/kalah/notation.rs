//! Kalah's notation: `first's pits:first's store/second's pits:second's store side`.

use super::{Kalah, LAYER_NAME, MAX_PITS, MAX_TOTAL_SEEDS, Move, Pits, Position, Rules};
use crate::game::{Capabilities, Game, Notation, NotationError, Side};
use crate::text::counted;

impl Notation for Kalah {
    fn name(&self) -> String {
        let Rules {
            pits,
            seeds,
            empty_capture,
        } = self.parameters();
        let variant = if empty_capture { ",empty-capture" } else { "" };
        match self.up_to() {
            Some(seeds) => format!("kalah({pits},up to {seeds}{variant})"),
            None => format!("kalah({pits},{seeds}{variant})"),
        }
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            symmetry: self,
            solving: self,
            searching: self,
            checking: self,
            arrays: self,
            #[cfg(feature = "cli")]
            drawing: self,
        }
    }

    fn title(&self) -> String {
        let Rules {
            pits,
            seeds,
            empty_capture,
        } = self.parameters();
        let each = if pits == 1 { "pit" } else { "pits" };
        let seeds = match self.up_to() {
            Some(seeds) => format!("up to {seeds} seeds"),
            None => format!(
                "{seeds} {} in each",
                if seeds == 1 { "seed" } else { "seeds" }
            ),
        };
        let variant = if empty_capture {
            ", empty captures"
        } else {
            ""
        };
        format!("Kalah with {pits} {each} a side and {seeds}{variant}")
    }

    fn rules(&self) -> String {
        let Rules {
            pits,
            seeds,
            empty_capture,
        } = self.parameters();
        let capture = if empty_capture { "empty" } else { "standard" };
        match self.up_to() {
            Some(seeds) => format!("kalah pits={pits} up-to={seeds} capture={capture}"),
            None => format!("kalah pits={pits} seeds={seeds} capture={capture}"),
        }
    }

    fn is_whole(&self, position: &Position) -> bool {
        let stored: usize = position
            .stores
            .iter()
            .map(|&seeds| usize::from(seeds))
            .sum();
        match self.up_to() {
            Some(_) => stored > 0,
            None => position.seeds_on_board() + stored == self.total_seeds(),
        }
    }

    fn format_position(&self, position: &Position) -> String {
        format_position(self, position)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        parse_position(self, text)
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        parse_move(self, text)
    }

    fn move_noun(&self) -> &'static str {
        "pit"
    }

    fn board(&self, position: &Position) -> String {
        board(self, position)
    }

    fn banked_name(&self) -> Option<&'static str> {
        Some("the difference of the stores")
    }

    fn layer_name(&self) -> &'static str {
        LAYER_NAME
    }
}

fn format_position(game: &Kalah, position: &Position) -> String {
    // Stores are part of the notation only where they account for all of the game's seeds.
    let with_stores = game.is_whole(position);
    let mut text = String::with_capacity(64);
    for (player, pits) in position.pits.iter().enumerate() {
        if player > 0 {
            text.push('/');
        }
        for (pit, seeds) in pits[..game.pits()].iter().enumerate() {
            if pit > 0 {
                text.push(',');
            }
            push_number(&mut text, *seeds);
        }
        if with_stores {
            text.push(':');
            push_number(&mut text, position.stores[player]);
        }
    }
    text.push(' ');
    text.push_str(match position.side {
        Side::First => "first",
        Side::Second => "second",
    });
    text
}

fn push_number(text: &mut String, number: u8) {
    if number >= 100 {
        text.push(char::from(b'0' + number / 100));
    }
    if number >= 10 {
        text.push(char::from(b'0' + number / 10 % 10));
    }
    text.push(char::from(b'0' + number % 10));
}

fn parse_position(game: &Kalah, text: &str) -> Result<Position, NotationError> {
    let fail =
        |problem: String| NotationError::new(text, problem, format_position(game, &game.start()));
    let mut words = text.split_whitespace();
    let board = words
        .next()
        .ok_or_else(|| fail("an empty position".into()))?;
    let side = match words.next() {
        None | Some("first") => Side::First,
        Some("second") => Side::Second,
        Some(other) => {
            return Err(fail(format!(
                "the side to move must be \"first\" or \"second\", not \"{other}\", in"
            )));
        }
    };
    if let Some(extra) = words.next() {
        return Err(fail(format!(
            "unexpected \"{extra}\" after the side to move, in"
        )));
    }
    let players: Vec<&str> = board.split('/').collect();
    let [first, second] = players[..] else {
        return Err(fail(format!(
            "the first and the second player's pits must be separated by \"/\", which comes {} times, in",
            players.len() - 1
        )));
    };
    let (first, first_store) = parse_player(game, first, "first").map_err(&fail)?;
    let (second, second_store) = parse_player(game, second, "second").map_err(&fail)?;
    let mut position = Position {
        pits: [first, second],
        stores: [0, 0],
        side,
    };
    let on_board: usize = position.seeds_on_board();
    let total = game.total_seeds();
    match (first_store, second_store) {
        (None, None) => {
            if on_board > total {
                return Err(fail(format!(
                    "{on_board} seeds on the board, but {} has only {total}, in",
                    game.name()
                )));
            }
        }
        (Some(first), Some(second)) => {
            let given = on_board + usize::from(first) + usize::from(second);
            let too_many = game
                .up_to()
                .is_some_and(|most| on_board > most || given > MAX_TOTAL_SEEDS);
            if too_many {
                return Err(fail(format!(
                    "{on_board} seeds in the pits and {given} in all, but {} has at most {total} in the pits and {MAX_TOTAL_SEEDS} in all, in",
                    game.name()
                )));
            }
            if game.up_to().is_none() && given != total {
                return Err(fail(format!(
                    "{on_board} seeds in the pits and {} in the stores are {given}, but {} has {total} (leave out both stores to ask for the score to come), in",
                    usize::from(first) + usize::from(second),
                    game.name()
                )));
            }
            position.stores = [first, second];
        }
        (None, Some(_)) | (Some(_), None) => {
            return Err(fail("only one of the two stores is given, in".into()));
        }
    }
    Ok(position)
}

fn parse_player(game: &Kalah, text: &str, who: &str) -> Result<(Pits, Option<u8>), String> {
    let (pits_text, store) = match text.split_once(':') {
        None => (text, None),
        Some((pits, store)) => (pits, Some(parse_number(store, who, "store")?)),
    };
    let mut pits = [0; MAX_PITS];
    let contents: Vec<&str> = pits_text.split(',').collect();
    if contents.len() != game.pits() {
        return Err(format!(
            "{} for the {who} player, but {} has {} per side, in",
            counted(contents.len(), "pit"),
            game.name(),
            game.pits()
        ));
    }
    for (pit, content) in contents.iter().enumerate() {
        pits[pit] = parse_number(content, who, &format!("pit {}", pit + 1))?;
    }
    Ok((pits, store))
}

fn parse_number(text: &str, who: &str, place: &str) -> Result<u8, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        format!("the {who} player's {place} must hold a whole number of seeds from 0 to 255, not \"{text}\", in")
    })
}

fn parse_move(game: &Kalah, text: &str) -> Result<Move, NotationError> {
    let pit = text.trim().parse::<u8>().ok();
    match pit {
        Some(pit) if (1..=game.pits()).contains(&usize::from(pit)) => Ok(Move(pit - 1)),
        _ => Err(NotationError::new(
            text,
            format!("a move is a pit from 1 to {}", game.pits()),
            game.pits().to_string(),
        )),
    }
}

fn board(game: &Kalah, position: &Position) -> String {
    let pits = game.pits();
    let arrow = |side: Side| {
        if position.side == side {
            "  <- to move"
        } else {
            ""
        }
    };
    // The second player sits on the far side, so that their row runs from right to left.
    let cell = |seeds: u8| format!("{seeds:>4}");
    let far: String = position.pits[1][..pits]
        .iter()
        .rev()
        .map(|&seeds| cell(seeds))
        .collect();
    let near: String = position.pits[0][..pits]
        .iter()
        .map(|&seeds| cell(seeds))
        .collect();
    let labels = |numbers: &mut dyn Iterator<Item = usize>| -> String {
        numbers.map(|pit| format!("{pit:>4}")).collect()
    };
    let gap = " ".repeat(4 * pits);
    [
        format!("  pit     {}", labels(&mut (1..=pits).rev())),
        format!("  second  {far}{}", arrow(Side::Second)),
        format!(
            "  stores {:>2}{gap}{:>4}",
            position.stores[1], position.stores[0]
        ),
        format!("  first   {near}{}", arrow(Side::First)),
        format!("  pit     {}", labels(&mut (1..=pits))),
    ]
    .join("\n")
}
