//! One game of a tournament, with the exact scores of its moves.

use super::opening::{OpeningLine, Pairing, TournamentOptions};
use crate::check::contenders::{Fault, FaultKind, Player, Reply, ask_one, stderr_note};
use crate::check::error::CheckError;
use crate::check::judge::in_time;
use crate::game::{Notation, Progress, Side};
use crate::oracle::Oracle;
use crate::text::hex;
use crate::work::folder::Folder;
use bincode::{Decode, Encode};
use rustc_hash::FxHashSet;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// Game of a tournament.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Encode, Decode)]
pub struct PlayedGame {
    /// The index of its opening.
    pub opening: usize,
    /// The results of the first and the second player.
    pub sides: [PlayerResult; 2],
    /// 1 if the first player won, 0 for a draw, -1 if the second player won.
    pub result: i32,
    /// The final score, seen from the first player.
    ///
    /// `None` for a forfeit, and in games that count plies.
    pub score: Option<i32>,
    /// Whether a position came up again, which made the game a draw.
    pub repeats: bool,
    /// The fault that ended the game, if one did.
    pub forfeit: Option<Forfeit>,
    /// The number of moves before the one that changed the outcome for good.
    ///
    /// It is the last move that gave its side's outcome away, or the forfeit if that did. `None` if
    /// there is no such move among those with exact scores.
    pub turning_point: Option<usize>,
    /// The moves from the start, those of the opening first.
    pub moves: Vec<String>,
    /// The exact scores of the positions before each move and at the end, seen from the first
    /// player; `None` in the opening and where unknown.
    pub scores: Vec<Option<i32>>,
    /// Address of the turning point in the explorer.
    pub replay: String,
}

/// An AI's part in a game. The numbers are those of its moves with exact scores.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Encode, Decode)]
pub struct PlayerResult {
    /// The AI's name.
    pub ai: String,
    /// The number of moves.
    pub graded: u64,
    /// The number of moves that gave a win or a draw away.
    pub mistakes: u64,
    /// The total regret of its moves. If scores count plies, only moves that preserve a win or a
    /// loss count.
    pub regret: u64,
}

/// Fault that ended a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Encode, Decode)]
pub struct Forfeit {
    /// The side that lost by it.
    #[bincode(with_serde)]
    pub side: Side,
    /// The kind of the fault that forfeited the game.
    pub kind: FaultKind,
    /// A description that completes a sentence beginning with "the AI".
    pub detail: String,
}

impl PlayedGame {
    /// Describes what decided the game: "move 7: 3", or "forfeit by ann".
    pub fn turning_point_in_words(&self) -> String {
        match (self.turning_point, &self.forfeit) {
            (Some(at), _) if at < self.moves.len() => {
                format!("move {}: {}", at + 1, self.moves[at])
            }
            (Some(_), Some(forfeit)) => {
                format!("forfeit by {}", self.sides[forfeit.side.index()].ai)
            }
            _ => "none".to_owned(),
        }
    }
}

/// Runner of the games of a tournament, with everything that they share.
pub(super) struct GameRunner<'a, G: Notation> {
    pub oracle: &'a dyn Oracle<G>,
    pub options: &'a TournamentOptions,
    pub openings: &'a [OpeningLine<G>],
    pub folder: Option<&'a Folder>,
    pub progress: &'a dyn Progress,
    /// For each AI, whether it has answered, or else the timeout of its first question.
    pub first_replies: Vec<OnceLock<Result<(), Fault>>>,
}

impl<G: Notation> GameRunner<'_, G> {
    /// Plays a game, or takes it from the saved ones; returns `None` if the caller cancels.
    pub fn game(
        &self,
        pairing: Pairing,
        players: &mut [Box<dyn Player<G> + '_>],
    ) -> Result<Option<PlayedGame>, CheckError> {
        let (game, options) = (self.oracle.game(), self.options);
        let opening = self.openings[pairing.opening].report(game);
        let names = pairing.ais.map(|ai| options.names[ai].clone());
        // Everything that identifies a game.
        let key = format!(
            "{:?}",
            (
                (game.rules(), &opening.moves, &names),
                pairing.ais.map(|ai| &options.commands[ai]),
                (options.is_scored, options.budget),
            )
        );
        let name = hex(&Sha256::digest(&key)[..12]);
        // Replay a game whose file can't be read.
        let saved = self.folder.and_then(|of| of.get_value(&name, &key).ok()?);
        if let Some(saved) = saved {
            let saved: PlayedGame = saved;
            for (side, &ai) in [Side::First, Side::Second].iter().zip(&pairing.ais) {
                if saved.forfeit.as_ref().is_none_or(|of| of.side != *side) {
                    self.first_replies[ai].get_or_init(|| Ok(()));
                }
            }
            return Ok(Some(PlayedGame {
                opening: pairing.opening,
                ..saved
            }));
        }
        let played = PlayedGame {
            opening: pairing.opening,
            sides: names.map(|ai| PlayerResult {
                ai,
                ..PlayerResult::default()
            }),
            ..PlayedGame::default()
        };
        let Some(played) = self.play(played, pairing, players)? else {
            return Ok(None);
        };
        if let Some(folder) = self.folder {
            folder.put_value(&name, &key, &played)?;
        }
        Ok(Some(played))
    }

    fn play(
        &self,
        mut played: PlayedGame,
        pairing: Pairing,
        players: &mut [Box<dyn Player<G> + '_>],
    ) -> Result<Option<PlayedGame>, CheckError> {
        let (game, opening) = (self.oracle.game(), &self.openings[pairing.opening]);
        let (mut moves, mut positions) = (opening.moves.clone(), opening.positions.clone());
        let mut position = positions.pop().unwrap_or_else(|| game.start());
        let mut seen: FxHashSet<G::Position> = positions.iter().cloned().collect();
        let score = loop {
            if let Some(score) = game.final_score(&position) {
                break Some(game.seen_from(Side::First, &position, score));
            }
            if !seen.insert(position.clone()) {
                played.repeats = true;
                break Some(0);
            }
            let side = game.side_to_move(&position);
            let ai = pairing.ais[side.index()];
            let Some(reply) = self.ask(ai, &mut *players[ai], &moves, &position) else {
                return Ok(None);
            };
            match reply {
                Ok(mv) => {
                    let next = game.play(&position, mv);
                    positions.push(std::mem::replace(&mut position, next));
                    moves.push(mv);
                }
                // Ctrl-C may have ended the AI, too.
                Err(_) if self.progress.cancelled() => return Ok(None),
                Err(fault) => {
                    let last = fault.stderr.trim_end().lines().next_back();
                    let last: String = last.unwrap_or_default().chars().take(200).collect();
                    let (kind, detail) = (fault.kind, fault.detail + &stderr_note(&last));
                    played.forfeit = Some(Forfeit { side, kind, detail });
                    break None;
                }
            }
        };
        positions.push(position);
        let loser = played.forfeit.as_ref().map(|forfeit| forfeit.side);
        // In games that count plies, the final score says no more than the result.
        played.score = score.filter(|_| !game.score_range().counts_plies());
        played.result = match loser {
            Some(side) => side.seen(-1),
            None => score.unwrap_or(0).signum(),
        };
        played.moves = moves.iter().map(|&mv| game.format_move(mv)).collect();
        match self.grade(&mut played, &positions, opening.moves.len()) {
            Err(CheckError::Interrupted) => Ok(None),
            graded => graded.map(|()| Some(played)),
        }
    }

    /// Asks an AI for a move, unless it has never answered; returns `None` if the caller cancels.
    fn ask(
        &self,
        ai: usize,
        player: &mut dyn Player<G>,
        moves: &[G::Move],
        position: &G::Position,
    ) -> Option<Reply<G::Move>> {
        let first = &self.first_replies[ai];
        if let Some(Err(timeout)) = first.get() {
            return Some(Err(timeout.clone()));
        }
        let reply = ask_one(player, Some(moves), position, self.progress)?;
        match &reply {
            Err(fault) if fault.kind == FaultKind::Timeout => {
                first.get_or_init(|| Err(fault.clone()));
            }
            Err(_) => {}
            Ok(_) => _ = first.get_or_init(|| Ok(())),
        }
        Some(reply)
    }

    /// Finds the exact scores of a game's positions, and grades the moves by them.
    ///
    /// The first `from` moves are the opening. The last position comes first because it is the
    /// easiest; the first one that takes too long ends it, because those before are harder still.
    pub(super) fn grade(
        &self,
        played: &mut PlayedGame,
        positions: &[G::Position],
        from: usize,
    ) -> Result<(), CheckError> {
        let (game, options) = (self.oracle.game(), self.options);
        let counts_plies = game.score_range().counts_plies();
        played.scores = vec![None; positions.len()];
        let mut next = None;
        for (at, position) in positions.iter().enumerate().skip(from).rev() {
            let score = match game.final_score(position) {
                _ if played.repeats && next.is_none() => Some(0),
                None if options.is_scored => {
                    let score = |oracle: &dyn Oracle<G>| oracle.score(position);
                    in_time(self.oracle, options.budget, self.progress, score)?
                }
                known => known,
            };
            let Some(before) = score else { break };
            let side = game.side_to_move(position);
            played.scores[at] = Some(side.seen(before));
            // A forfeit counts as a move that loses.
            let loses_outcome = before.signum() > side.seen(played.result);
            if loses_outcome && (next.is_some() || played.forfeit.is_some()) {
                played.turning_point.get_or_insert(at);
            }
            if let Some((child, score)) = next.replace((position, before)) {
                let after = game.score_of_move(side, child, score);
                let own = &mut played.sides[side.index()];
                own.graded += 1;
                own.mistakes += u64::from(after.signum() < before.signum());
                if !counts_plies || before.signum() * after.signum() > 0 {
                    own.regret += u64::from((before - after).max(0).cast_unsigned());
                }
            }
        }
        Ok(())
    }
}
