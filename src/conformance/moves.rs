//! Checks of moves, and of the scores to which they lead.

use super::{Checking, MOVES_OR_SCORE};
use crate::game::{Broken, Notation, follow_by_playing};

/// Number of different moves to remember, and of those to try in each position.
const REMEMBERED: usize = 500;
const FOREIGN: usize = 32;

/// Number of further positions to look at for the score of one.
const LOOKAHEAD: u32 = 64;

impl<G: Notation> Checking<'_, G> {
    pub(super) fn moves(&mut self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let moves = game.legal_moves(position);
        let finished = game.final_score(position).is_some();
        self.hold(moves.is_empty() == finished, MOVES_OR_SCORE, || {
            let what = if finished { "both" } else { "neither" };
            format!("{} has {what}", self.name(position))
        })?;
        // The list isn't empty, which shows whether the game clears it.
        let mut again = moves.clone();
        game.moves(position, &mut again);
        self.hold(
            again == moves,
            "moves lists a position's moves in the same order each time, and clears the list first",
            || {
                let [first, then] = [&moves, &again].map(|moves| self.texts(moves));
                format!("in {} it lists {first}, then {then}", self.name(position))
            },
        )?;
        let canonical = game.canonical(position);
        let lowest = game.lowest_layer_after(&canonical);
        for (index, &mv) in moves.iter().enumerate() {
            let text = game.format_move(mv);
            let at = || format!("{text:?} in {}", self.name(position));
            let others = &moves[..index];
            self.hold(!others.contains(&mv), "each move is listed once", || {
                format!("{} is there twice", at())
            })?;
            self.hold(
                game.parse_move(&text) == Ok(mv),
                "a move that is written can be read back",
                || format!("{} is not", at()),
            )?;
            self.hold(
                game.is_legal(position, mv),
                "what moves lists, is_legal allows",
                || format!("not {}", at()),
            )?;
            let (mut class, mut played) = (position.clone(), position.clone());
            let followed = game.follow(position, mv, &mut class);
            self.hold(
                followed == follow_by_playing(game, position, mv, &mut played) && class == played,
                "follow says of a move what playing it says",
                || format!("not of {}", at()),
            )?;
            self.hold(
                followed.is_finished || game.layer(&class) >= lowest,
                "no move leads to a layer below lowest_layer_after",
                || format!("one does: {}", at()),
            )?;
        }
        self.remember(moves);
        Ok(())
    }

    /// Checks the moves backward, to a position and from those after it.
    pub(super) fn moves_backward(&self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let Some(backward) = game.capabilities().solving.backward() else {
            return Ok(());
        };
        self.hold(
            game.score_range().alternates(),
            "a game that lists moves backward has the scores ScoreRange::ALTERNATE_PLIES",
            || format!("they are {}", game.score_range()),
        )?;
        let parents = |of: &G::Position| {
            let mut parents = Vec::new();
            backward.add_parents(of, &mut parents);
            parents
        };
        let pair = |from: &G::Position, to: &G::Position| {
            format!("not from {} to {}", self.name(from), self.name(to))
        };
        let is_open = |position: &G::Position| game.final_score(position).is_none();
        if is_open(position) {
            for parent in parents(position) {
                let leads = is_open(&parent) && self.children(&parent).any(|it| it == *position);
                let promise = "a move leads from each of a position's parents to it";
                self.hold(leads, promise, || pair(&parent, position))?;
            }
        }
        for child in self.children(position).filter(is_open) {
            let promise = "add_parents lists every position from which a move leads to one";
            let is_listed = parents(&child).contains(position);
            self.hold(is_listed, promise, || pair(position, &child))?;
        }
        Ok(())
    }

    /// Remembers some moves, the last ones of all, to be tried in other positions.
    fn remember(&mut self, moves: Vec<G::Move>) {
        for mv in moves {
            if !self.moves.contains(&mv) {
                self.moves.push_back(mv);
            }
        }
        while self.moves.len() > REMEMBERED {
            self.moves.pop_front();
        }
    }

    fn texts(&self, moves: &[G::Move]) -> String {
        let texts = moves.iter().map(|&mv| self.game.format_move(mv));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// Checks that each position's `is_legal` refuses moves of other positions.
    pub(super) fn foreign_moves(&self) -> Result<(), Broken> {
        let game = self.game;
        for (index, position) in self.positions.iter().enumerate() {
            let moves = game.legal_moves(position);
            // Only some of them, because the default of is_legal lists all moves.
            let from = index * FOREIGN % self.moves.len().max(1);
            let foreign = self.moves.iter().cycle().skip(from);
            for &mv in foreign.take(FOREIGN.min(self.moves.len())) {
                self.hold(
                    moves.contains(&mv) || !game.is_legal(position, mv),
                    "is_legal refuses moves that moves doesn't list",
                    || format!("not {:?} in {}", game.format_move(mv), self.name(position)),
                )?;
            }
        }
        Ok(())
    }

    /// Checks a position's score as far as a few following positions determine it.
    pub(super) fn score(&mut self, position: &G::Position) -> Result<(), Broken> {
        let game = self.game;
        let (best, is_exact) = self.best(position, &mut { LOOKAHEAD });
        let Some(best) = best.map(|best| best - game.banked(position)) else {
            return Ok(());
        };
        let segment = self.ranking.as_ref().and_then(|ranking| {
            let slot = ranking.slot(&game.canonical(position))?;
            ranking.segments().get(slot.segment as usize)
        });
        let of_segment = segment.map(|segment| segment.scores);
        for range in [game.score_range()].into_iter().chain(of_segment) {
            // Unless the score is exact, it may be better: only the upper limit holds.
            let is_too_low = match range.counts_plies() {
                true => range.code(best).is_none(),
                false => best < range.lowest || (best - range.lowest) % range.step != 0,
            };
            self.hold(
                best <= range.highest && !(is_exact && is_too_low),
                "scores lie within score_range, and within that of their segment",
                || {
                    let least = if is_exact { "" } else { "at least " };
                    format!("{} scores {least}{best}: {range:?}", self.name(position))
                },
            )?;
        }
        Ok(())
    }

    /// Returns the best known score of an unfinished position, and whether it is exact.
    ///
    /// It is exact if at most `nodes` positions had to be looked at that weren't known. Then no
    /// position repeats among those that follow, so that it is exact in endless games, too.
    fn best(&mut self, position: &G::Position, nodes: &mut u32) -> (Option<i32>, bool) {
        if let Some(&score) = self.scores.get(position) {
            return (Some(score), true);
        }
        let game = self.game;
        let side = game.side_to_move(position);
        let (mut best, mut is_exact) = (None, true);
        for child in self.children(position).collect::<Vec<_>>() {
            let known = game.final_score(&child);
            let known = known.or_else(|| self.scores.get(&child).copied());
            let score = known.or_else(|| {
                *nodes = nodes.checked_sub(1)?;
                let (score, is_exact) = self.best(&child, nodes);
                score.filter(|_| is_exact)
            });
            let score = score.map(|score| game.score_of_move(side, &child, score));
            is_exact &= score.is_some();
            best = best.max(score);
        }
        if is_exact && let Some(best) = best {
            self.scores.insert(position.clone(), best);
        }
        (best, is_exact)
    }
}
