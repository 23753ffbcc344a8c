//! Kalah in texts: positions and moves, array rows and pictures, and the family's parameters.
//!
//! The text of a position is `first's pits:first's store/second's pits:second's store side`. A row has
//! the first player's pits and store, the second player's, and the side to move.

use super::rules::sum;
use super::{Kalah, MAX_PITS, MAX_TOTAL_SEEDS, Move, Pits, Position, Rules};
use crate::game::{
    Arrays, BoardPlace, Capabilities, Drawing, Family, Game, Label, NoGame, Notation,
    NotationError, Parameter, Picture, Piece, SIDE_COLUMN, Side, Surface, Takes, Values,
    capabilities_of, side_of,
};
use crate::games::cells::unread;
use crate::text::counted;
use std::fmt::Write;

impl Notation for Kalah {
    const IS_TESTED: bool = true;

    fn name(&self) -> String {
        let rules = self.parameters();
        let variant = rules.variant(",empty-capture");
        match self.up_to() {
            Some(seeds) => format!("kalah({},up to {seeds}{variant})", rules.pits),
            None => format!("kalah({},{}{variant})", rules.pits, rules.seeds),
        }
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        capabilities_of!(self: symmetry, solving, searching, checking, arrays, drawing)
    }

    fn title(&self) -> String {
        let rules = self.parameters();
        let pits = counted(rules.pits, "pit");
        let seeds = match self.up_to() {
            Some(seeds) => format!("up to {seeds} seeds"),
            None => format!("{} in each", counted(rules.seeds, "seed")),
        };
        let variant = rules.variant(", empty captures");
        format!("Kalah with {pits} a side and {seeds}{variant}")
    }

    fn rules(&self) -> String {
        let Rules { pits, seeds, .. } = self.parameters();
        let size = match self.up_to() {
            Some(seeds) => format!("up-to={seeds}"),
            None => format!("seeds={seeds}"),
        };
        let capture = match self.parameters().empty_capture {
            true => "empty",
            false => "standard",
        };
        format!("kalah pits={pits} {size} capture={capture}")
    }

    fn is_whole(&self, position: &Position) -> bool {
        let [first, second] = position.stores.map(usize::from);
        match self.up_to() {
            Some(_) => first + second > 0,
            None => position.seeds_on_board() + first + second == self.total_seeds(),
        }
    }

    fn format_position(&self, position: &Position) -> String {
        // Write the stores only if they account for all of the game's seeds.
        written(position, self.pits(), self.is_whole(position))
    }

    fn format_for_ai(&self, position: &Position) -> String {
        written(position, self.pits(), true)
    }

    fn parse_position(&self, text: &str) -> Result<Position, NotationError> {
        let read = read(text, self.pits(), &self.name()).and_then(|(mut position, given)| {
            position.stores = stores(self, &position, given)?;
            Ok(position)
        });
        read.map_err(|problem| unread(self, text, problem))
    }

    fn rewrite_position(&self, text: &str) -> Result<Option<String>, NotationError> {
        let words = text.split([' ', ',', '\n', '\t', '[', ']', '(', ')']);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let numbers = words.iter().filter_map(|word| word.parse().ok());
        let numbers: Vec<usize> = numbers.collect();
        let (pits, count) = (self.pits(), numbers.len());
        let are_moves = numbers.iter().all(|pit| (1..=pits).contains(pit))
            && numbers.iter().sum::<usize>() != self.total_seeds();
        if count == words.len() && [2 * pits, 2 * pits + 2].contains(&count) && !are_moves {
            let problem = format!(
                "{count} numbers could be the pits in several orders; write first's pits:store/second's \
                 pits:store, each from that player's pit 1, and the side to move"
            );
            return Err(unread(self, text, problem));
        }
        // The drawing of a position without stores has two empty ones.
        let stores = |it: &String| text.contains("stores") && it.matches(":0").count() == 2;
        Ok(rewritten(text, pits).map(|it| match stores(&it) {
            true => it.replace(":0", ""),
            false => it,
        }))
    }

    fn format_move(&self, mv: Move) -> String {
        (mv.0 + 1).to_string()
    }

    fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        read_move(text, self.pits())
    }

    fn move_noun(&self) -> &'static str {
        "pit"
    }

    fn board(&self, position: &Position) -> String {
        drawn(position, self.pits())
    }

    fn banked_name(&self) -> Option<&'static str> {
        Some("the difference of the stores")
    }

    fn layer_name(&self) -> &'static str {
        "seeds on the board"
    }
}

/// Returns the board as text in five lines.
pub(in crate::games) fn drawn(position: &Position, pits: usize) -> String {
    let arrow = |side: Side| ["", "  <- to move"][usize::from(position.side == side)];
    let row = |cells: &mut dyn Iterator<Item = u8>| -> String {
        cells.map(|number| format!("{number:>4}")).collect()
    };
    let ([near, far], [store, far_store]) = (&position.pits, position.stores);
    let gap = " ".repeat(4 * pits);
    // The second player sits on the far side, so that player's row runs from right to left.
    let far = row(&mut far[..pits].iter().rev().copied());
    let near = row(&mut near[..pits].iter().copied());
    let numbers = 1..=pits as u8;
    [
        format!("  pit     {}", row(&mut numbers.clone().rev())),
        format!("  second  {far}{}", arrow(Side::Second)),
        format!("  stores {far_store:>2}{gap}{store:>4}"),
        format!("  first   {near}{}", arrow(Side::First)),
        format!("  pit     {}", row(&mut numbers.into_iter())),
    ]
    .join("\n")
}

/// Returns the notation of a drawing, or of pits between blanks or in brackets, such as
/// `(4 4 4) / (4 4 4) south`.
pub(in crate::games) fn rewritten(text: &str, pits: usize) -> Option<String> {
    let row = |name: &str| -> Option<Vec<&str>> {
        let mut lines = text.lines().map(str::split_whitespace);
        let words = lines.find_map(|mut words| (words.next() == Some(name)).then_some(words));
        Some(words?.collect())
    };
    if let (Some(mut far), Some(stores), Some(mut near)) =
        (row("second"), row("stores"), row("first"))
        && let [far_store, store] = stores[..]
    {
        // An arrow follows the pits of the side to move.
        let side = ["first", "second"][usize::from(far.len() > pits)];
        far.truncate(pits);
        far.reverse();
        near.truncate(pits);
        let (near, far) = (near.join(","), far.join(","));
        return Some(format!("{near}:{store}/{far}:{far_store} {side}"));
    }
    let spaced = text.replace([',', '(', ')', '[', ']'], " ");
    let spaced = spaced.replace('/', " / ").replace(':', " : ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "/")?;
    let own = |words: &[&str]| words.join(",").replace(",:,", ":");
    let length = |words: &[&str]| pits + 2 * usize::from(words.get(pits) == Some(&":"));
    let (first, rest) = (own(&words[..at]), &words[at + 1..]);
    let (second, side) = rest.split_at_checked(length(rest))?;
    let side = match *side {
        // A pit is missing.
        _ if text.contains(",,") => return None,
        // Without brackets, it may be a pit too many.
        ["1" | "2"] if !text.contains([')', ']']) => return None,
        [] | ["first" | "south" | "1"] => "first",
        ["second" | "north" | "2"] => "second",
        _ => return None,
    };
    Some(format!("{first}/{} {side}", own(second)))
}

/// Returns a position's text, with or without the stores.
pub(in crate::games) fn written(position: &Position, pits: usize, with_stores: bool) -> String {
    let mut text = String::with_capacity(64);
    // Writing to a string can't fail.
    for (player, own) in position.pits.iter().enumerate() {
        text.push_str(["", "/"][player]);
        for (pit, seeds) in own[..pits].iter().enumerate() {
            let comma = ["", ","][usize::from(pit > 0)];
            let _ = write!(text, "{comma}{seeds}");
        }
        if with_stores {
            let _ = write!(text, ":{}", position.stores[player]);
        }
    }
    text.push_str([" first", " second"][position.side.index()]);
    text
}

/// Reads a position's text: the position with empty stores, and the stores if they are given.
///
/// `name` is that of the game, for errors.
pub(in crate::games) fn read(
    text: &str,
    pits: usize,
    name: &str,
) -> Result<(Position, [Option<u8>; 2]), String> {
    let mut words = text.split_whitespace();
    let board = words.next().ok_or("an empty position")?;
    let side = words.next().unwrap_or("first");
    let no_side = |_| format!("the side to move must be \"first\" or \"second\", not \"{side}\"");
    let side = side.parse().map_err(no_side)?;
    if let Some(extra) = words.next() {
        return Err(format!("unexpected \"{extra}\" after the side to move"));
    }
    let players: Vec<&str> = board.split('/').collect();
    let [first, second] = players[..] else {
        return Err(format!(
            "the first and the second player's pits must be separated by \"/\", which comes {} times",
            players.len() - 1
        ));
    };
    let (first, first_store) = parse_player((pits, name), text, first, "first")?;
    let (second, second_store) = parse_player((pits, name), text, second, "second")?;
    let bare = Position::bare(first, second);
    Ok((Position { side, ..bare }, [first_store, second_store]))
}

/// Reads a pit's number.
pub(in crate::games) fn read_move(text: &str, pits: usize) -> Result<Move, NotationError> {
    let pit = text.trim().parse::<u8>().ok();
    match pit {
        Some(pit) if (1..=pits).contains(&usize::from(pit)) => Ok(Move(pit - 1)),
        _ => Err(NotationError::new(
            text,
            format!("a move is a pit from 1 to {pits}"),
            pits.to_string(),
        )),
    }
}

/// Reads the pits and, if given, the store of a player from a part of a position's text.
fn parse_player(
    (count, name): (usize, &str),
    text: &str,
    part: &str,
    who: &str,
) -> Result<(Pits, Option<u8>), String> {
    let number = |content: &str, place: &str| {
        let digits = !content.is_empty() && content.bytes().all(|byte| byte.is_ascii_digit());
        content.parse().ok().filter(|_| digits).ok_or_else(|| {
            format!(
                "the {who} player's {place} must hold a whole number of seeds from 0 to 255, not \
                 \"{content}\" as in column {}",
                NotationError::column(text, content)
            )
        })
    };
    let (pits_text, store) = match part.split_once(':') {
        None => (part, None),
        Some((pits, store)) => (pits, Some(number(store, "store")?)),
    };
    let mut pits = [0; MAX_PITS];
    let contents: Vec<&str> = pits_text.split(',').collect();
    if contents.len() != count {
        return Err(format!(
            "{} for the {who} player, but {name} has {count} per side",
            counted(contents.len(), "pit"),
        ));
    }
    for (pit, content) in contents.iter().enumerate() {
        pits[pit] = number(content, &format!("pit {}", pit + 1))?;
    }
    Ok((pits, store))
}

/// Checks given stores against the position's seeds; returns 0 for omitted ones.
pub(super) fn stores(
    game: &Kalah,
    position: &Position,
    given: [Option<u8>; 2],
) -> Result<[u8; 2], String> {
    let (on_board, total) = (position.seeds_on_board(), game.total_seeds());
    let stores = match given {
        [None, None] if on_board > total => {
            return Err(format!(
                "{on_board} seeds on the board, but {} has only {total}",
                game.name()
            ));
        }
        [None, None] => return Ok([0; 2]),
        [Some(first), Some(second)] => [first, second],
        [None, Some(_)] | [Some(_), None] => {
            return Err("only one of the two stores is given".into());
        }
    };
    let stored: usize = stores.into_iter().map(usize::from).sum();
    let given = on_board + stored;
    match game.up_to() {
        Some(most) if on_board > most || given > MAX_TOTAL_SEEDS => Err(format!(
            "{on_board} seeds in the pits and {given} in all, but {} has at most {total} in the pits and {MAX_TOTAL_SEEDS} in all",
            game.name()
        )),
        None if given != total => Err(format!(
            "{on_board} seeds in the pits and {stored} in the stores are {given}, but {} has {total} (leave out both stores to ask for the score to come)",
            game.name()
        )),
        _ => Ok(stores),
    }
}

impl Arrays<Kalah> for Kalah {
    fn columns(&self) -> Vec<String> {
        let of = |who: &str| {
            let pits = (1..=self.pits()).map(|pit| format!("{who}_pit_{pit}"));
            pits.chain([format!("{who}_store")]).collect::<Vec<_>>()
        };
        let mut columns = of("first");
        columns.extend(of("second"));
        columns.push(SIDE_COLUMN.into());
        columns
    }

    fn write_row(&self, position: &Position, row: &mut [u8]) {
        let pits = self.pits();
        for player in 0..2 {
            let own = &mut row[player * (pits + 1)..][..pits + 1];
            own[..pits].copy_from_slice(&position.pits[player][..pits]);
            own[pits] = position.stores[player];
        }
        row[2 * pits + 2] = position.side.index() as u8;
    }

    fn read_row(&self, row: &[u8]) -> Result<Position, String> {
        let pits = self.pits();
        let mut position = Position::bare([0; MAX_PITS], [0; MAX_PITS]);
        for player in 0..2 {
            let own = &row[player * (pits + 1)..][..pits + 1];
            position.pits[player][..pits].copy_from_slice(&own[..pits]);
            position.stores[player] = own[pits];
        }
        position.side = side_of(row[2 * pits + 2])?;
        // Empty stores ask for the score to come, as does the notation without stores.
        let given = match position.stores {
            [0, 0] => [None; 2],
            given => given.map(Some),
        };
        stores(self, &position, given).map(|_| position)
    }

    fn all_moves(&self) -> Vec<Move> {
        (0..self.pits() as u8).map(Move).collect()
    }
}

/// Distance between the centres of neighbouring pits.
const STEP: f64 = 52.0;
const PIT: (f64, f64) = (46.0, 46.0);
const STORE: (f64, f64) = (50.0, 98.0);
/// Distance from an edge to the centre of a store, and to that of the first pit.
const MARGINS: (f64, f64) = (44.0, 104.0);
/// Heights of the two rows' centres.
const SECOND_ROW: f64 = 63.0;
const FIRST_ROW: f64 = SECOND_ROW + STEP;

impl Drawing<Kalah> for Kalah {
    fn picture(&self, position: &Position) -> Option<Picture> {
        let (mut shown, is_whole) = (*position, self.is_whole(position));
        // At the end, the players put the seeds left in their pits into their stores.
        if is_whole && self.final_score(position).is_some() {
            for (store, pits) in shown.stores.iter_mut().zip(&mut shown.pits) {
                *store += sum(pits) as u8;
                *pits = [0; MAX_PITS];
            }
        }
        Some(picture(&shown, self.pits(), is_whole))
    }

    fn places_of_move(&self, position: &Position, mv: Move) -> Option<Vec<String>> {
        Some(vec![pit_name(position.side, mv.0.into())])
    }

    /// Says who gets the seeds that remain in the pits.
    fn remark(&self, position: &Position) -> Option<String> {
        let seeds = position.seeds_on_board();
        let owner = match sum(&position.pits[0]) {
            0 => Side::Second,
            _ => Side::First,
        };
        (seeds > 0).then(|| {
            let rest = counted(seeds, "seed");
            format!("the {owner} player gets the {rest} left in the {owner} player's pits")
        })
    }
}

/// Returns a picture of the board, whose stores have a question mark unless they are known.
pub(in crate::games) fn picture(position: &Position, pits: usize, has_stores: bool) -> Picture {
    let left = MARGINS.1;
    let right = left + STEP * (pits - 1) as f64;
    let width = left + right;
    let mut picture = Picture::default();
    // The second player sits on the far side, so that player's row runs from right to left.
    for (side, store, first_pit, step, row, numbers) in [
        (Side::Second, MARGINS.0, right, -STEP, SECOND_ROW, 30.0),
        (Side::First, width - MARGINS.0, left, STEP, FIRST_ROW, 156.0),
    ] {
        for pit in 0..pits {
            let x = first_pit + step * pit as f64;
            let seeds = Piece::Number(position.pits[side.index()][pit].into());
            let place = BoardPlace::new(pit_name(side, pit), (x, row), seeds).rounded(PIT, 17.0);
            picture.places.push(place);
            let number = Label::new((pit + 1).to_string(), (x, numbers));
            picture.labels.push(number);
        }
        let seeds = if has_stores {
            Piece::Number(position.stores[side.index()].into())
        } else {
            Piece::Letter('?')
        };
        let middle = (store, (SECOND_ROW + FIRST_ROW) / 2.0);
        let place = BoardPlace::new(format!("{side}'s store"), middle, seeds);
        picture.places.push(place.rounded(STORE, 22.0));
        // Each player's store is labelled on that player's side of the board.
        let words = [166.0, 18.0][side.index()];
        let name = Label::new(format!("{side}'s store"), (store, words));
        picture.labels.push(name);
    }
    picture.surface = Surface::Wood;
    picture.has_sides = true;
    picture
}

/// Returns the name of a pit's place.
pub(in crate::games) fn pit_name(side: Side, pit: usize) -> String {
    format!("{side}'s pit {}", pit + 1)
}

/// Kalah with 1 to 6 pits per side, and its endgames.
#[derive(Clone, Copy, Debug)]
pub struct KalahFamily;

impl Family for KalahFamily {
    type Game = Kalah;

    fn name(&self) -> &'static str {
        "kalah"
    }

    fn common_names(&self) -> &'static [&'static str] {
        &["mancala"]
    }

    fn about(&self) -> &'static str {
        "Kalah, the mancala game with extra turns and captures"
    }

    fn rules_in_words(&self) -> &'static str {
        include_str!("kalah.txt")
    }

    fn details(&self) -> &'static str {
        "Memory: with 6 pits, 0.45 GB for 2 seeds and 17 GB for 3 seeds; 0.3 GB and 10 GB do, but \
         then it takes a little longer, and 4 GB with 10 GB of files. With fewer pits and seeds, some tens of megabytes. `--method search` \
         takes 2.7 GB with 6 pits and 2 seeds, and 150 GB with 3 seeds. What is too large to solve can be searched: `query kalah --seeds 3`."
    }

    fn search_details(&self) -> &'static str {
        "Searches any position, on all cores. First it builds a database of the endgame in memory.\n\n\
         Memory: 64 MB are enough for small boards. With 6 pits, 3 seeds need less than 0.5 GB, 4 \
         seeds use up to 0.7 GB and 5 seeds up to 8 GB; for many positions at once, with --batch, 4 \
         seeds use up to 8 GB, too. With less it takes longer; 34 MB or so is the least."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const PARAMETERS: [Parameter; 4] = [
            Parameter::number("pits", 6, "Pits per side, 1 to 6"),
            Parameter::number("seeds", 2, "Seeds in each pit at the start").one_of("size"),
            Parameter::number("up-to", 20, "Endgame: all positions with at most N seeds")
                .of("seeds")
                .one_of("size"),
            Parameter::flag("empty-capture", "Capture also if the opposite pit is empty"),
        ];
        &PARAMETERS
    }

    fn game(&self, values: &Values) -> Result<Kalah, NoGame> {
        let pits = values.need("pits")?;
        let empty_capture = values.is_given("empty-capture");
        match values.number("up-to")? {
            Some(up_to) => Kalah::endgame(pits, up_to, empty_capture),
            None => Kalah::new(Rules {
                pits,
                seeds: values.need("seeds")?,
                empty_capture,
            }),
        }
    }

    fn read_rules(&self, parameters: &str) -> Result<Kalah, NoGame> {
        let words = parameters.replace("capture=standard", "empty-capture=no");
        let words = words.replace("capture=empty", "empty-capture=yes");
        self.game(&Values::of_words(self.parameters(), &words)?)
    }

    fn table_name(&self, game: &Kalah) -> String {
        let rules = game.parameters();
        let variant = rules.variant("-empty-capture");
        let size = match game.up_to() {
            Some(up_to) => format!("up-to-{up_to}"),
            None => rules.seeds.to_string(),
        };
        format!("kalah-{}-{size}{variant}.bin", rules.pits)
    }

    fn search_memory(&self) -> Option<u64> {
        None
    }

    fn takes(&self) -> Takes {
        Takes::Endgames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::testing::tables::kalah;

    /// Returns the pieces in words, by place.
    fn shown(position: &str) -> String {
        let game = kalah(3, 2);
        let position = game.parse_position(position).unwrap();
        game.picture(&position).unwrap().describe()
    }

    #[test]
    fn the_rest_is_swept_into_stores_at_the_end() {
        let end = shown("0,0,0:6/1,0,2:3 first");
        for place in ["second's pit 1: 0", "second's store: 6", "first's store: 6"] {
            assert!(end.contains(place), "{end}");
        }
        let open = shown("0,0,1:5/1,0,2:3 first");
        for place in ["second's pit 1: 1", "second's store: 3", "first's store: 5"] {
            assert!(open.contains(place), "{open}");
        }
    }

    #[test]
    fn seeds_are_counted() {
        let game = kalah(2, 2);
        let read = |row: &[u8]| {
            game.read_row(row)
                .map(|position| game.format_position(&position))
        };
        assert_eq!(read(&[2, 2, 0, 2, 2, 0, 0]), Ok("2,2:0/2,2:0 first".into()));
        assert_eq!(
            read(&[0, 2, 1, 3, 1, 1, 1]),
            Ok("0,2:1/3,1:1 second".into())
        );
        assert_eq!(read(&[0, 2, 0, 3, 1, 0, 1]), Ok("0,2/3,1 second".into()));
        for wrong in [
            [2, 2, 1, 2, 2, 0, 0],
            [2, 2, 0, 2, 1, 2, 0],
            [2, 2, 0, 2, 2, 0, 2],
        ] {
            assert!(read(&wrong).is_err(), "{wrong:?}");
        }
        let endgame = Kalah::endgame(2, 5, false).unwrap();
        assert!(endgame.read_row(&[1, 1, 9, 1, 2, 7, 0]).is_ok());
        assert!(endgame.read_row(&[2, 2, 0, 1, 1, 0, 0]).is_err());
        assert_eq!(game.start(), game.read_row(&[2, 2, 0, 2, 2, 0, 0]).unwrap());
    }
}
