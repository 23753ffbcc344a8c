//! Oracles without the type of their game, with questions and answers in text.

use super::batch::{self, ArrayShape, BatchError, Positions, ScoreNumbers, ScoresOf};
use super::erased::{Erased, ErasedPosition};
use super::erased_oracle::ErasedOracle;
use super::graph::{self, MoveGraph};
use super::view::{View, position_of, view};
use crate::check::builtin::Builtin;
use crate::check::tournament::{self, Tournament, TournamentOptions};
use crate::check::{
    Ai, CheckError, CheckOptions, External, Fault, FaultKind, InText, List, Player, Report,
    StartError, StartPlayer, Trace, ask_one, check_and_list, in_process,
};
use crate::game::{Game, NoProgress, Notation, Progress, Side, SolveError, decimals_of};
use crate::oracle::{Answer, AskError, Oracle, Wanted, ask, unfinished};
use crate::pool::map_of;
use std::sync::Arc;

/// A question to an AI for its move.
pub(crate) struct MoveQuestion {
    /// An unfinished position.
    pub position: String,
    /// The moves that lead to it from the start, if known.
    pub moves: Option<Vec<String>>,
    /// Receives the reply.
    pub reply: Box<dyn FnOnce(MoveReply)>,
}

/// A move, with the end of what a program wrote to standard error meanwhile, or a fault.
pub(crate) type MoveReply = Result<(String, String), Fault>;

/// An oracle with text as interface. Its clones are the same oracle.
#[derive(Clone)]
pub struct AnyOracle<'p>(pub(super) Arc<dyn Oracle<Erased> + 'p>);

/// One of several clients of an oracle.
pub struct Client<'a> {
    /// Receives reports of the search for this client, and may cancel it.
    pub progress: &'a dyn Progress,
    /// Receives the partial answer whenever more is known.
    pub report: &'a mut dyn FnMut(&Answer),
}

/// An AI for a game whose type is not known.
pub enum AnyAi {
    /// A built-in AI of the checker or the game, by its name.
    Builtin(String),
    /// An external program.
    Program(External),
    /// An AI in this process, with text as interface.
    Text(InText),
    /// A built-in AI whose positions and moves are passed on.
    Traced(String, Trace),
}

impl<'p> AnyOracle<'p> {
    pub(super) fn of<G: Notation>(oracle: Arc<dyn Oracle<G> + 'p>) -> AnyOracle<'p> {
        AnyOracle(Arc::new(ErasedOracle::new(oracle)))
    }
}

impl AnyOracle<'_> {
    fn game(&self) -> &Erased {
        self.0.game()
    }

    pub(super) fn position(&self, text: Option<&str>) -> Result<ErasedPosition, AskError> {
        position_of(self.game(), text)
    }

    /// Returns the name of the game.
    pub fn name(&self) -> String {
        self.game().name()
    }

    /// Returns the noun for the thing that a move names, for sentences: "pit".
    pub fn move_noun(&self) -> &'static str {
        self.game().move_noun()
    }

    /// Returns a player's name besides "first" or "second", if there is one: "X".
    pub fn side_name(&self, side: Side) -> Option<&'static str> {
        self.game().capabilities().drawing.side_name(side)
    }

    /// Returns whether scores are outcomes with distances in plies.
    pub fn counts_plies(&self) -> bool {
        self.game().score_range().counts_plies()
    }

    /// Returns the number of decimals of points ([`InWords::decimals`](crate::game::InWords)).
    pub fn decimals(&self) -> Option<u32> {
        decimals_of(self.game())
    }

    /// Returns the numbers of arrays of scores.
    pub fn score_numbers(&self) -> ScoreNumbers {
        ScoreNumbers::of(self.game())
    }

    /// Returns the game and its parameters in plain words, for headings.
    pub fn title(&self) -> String {
        self.game().title()
    }

    /// Returns the start of the game.
    pub fn start(&self) -> String {
        let game = self.game();
        game.format_position(&game.start())
    }

    /// Returns the position after these moves from a position, or from the start.
    ///
    /// # Errors
    /// If there is no such position, or one of the moves is not legal.
    pub fn view(&self, from: Option<&str>, moves: &[&str]) -> Result<View, AskError> {
        view(self.game(), from, moves)
    }

    /// Answers a question about a position, or about the start.
    ///
    /// A search reports to the client, if there is one, instead of to the progress that it was made
    /// with.
    ///
    /// # Errors
    /// If it isn't a position of the game, it is finished and more than its score is wanted, or the
    /// oracle can't answer.
    pub fn ask(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        client: Option<Client<'_>>,
    ) -> Result<Answer, AskError> {
        let position = self.position(position)?;
        let Some(Client { progress, report }) = client else {
            return ask(&*self.0, &position, wanted, &mut |_| ());
        };
        let own = self.0.with_progress(progress);
        ask(
            own.as_deref().unwrap_or(&*self.0),
            &position,
            wanted,
            report,
        )
    }

    /// Returns the answers about many positions, in their order.
    pub fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>> {
        let read = |text: &&str| self.position(Some(*text));
        let answer = |position| ask(&*self.0, &position?, wanted, &mut |_| ());
        if self.0.effort().is_none() {
            return map_of(positions, |text| answer(read(text)));
        }
        // A search uses its own threads. Preparing may fail for a position that can't be
        // searched, which causes an error when it is asked about.
        let read: Vec<_> = positions.iter().map(read).collect();
        let known: Vec<ErasedPosition> = read.iter().flatten().cloned().collect();
        let _ = self.0.prepare(&known, false);
        read.into_iter().map(answer).collect()
    }

    /// Returns a built-in AI's move in an unfinished position.
    ///
    /// # Errors
    /// If there is no such position, or it is finished.
    pub fn choose(&self, ai: Builtin, position: &str) -> Result<String, AskError> {
        let game = self.game();
        let position = self.position(Some(position))?;
        unfinished(game, &position)?;
        Ok(game.format_move(ai.choose(&*self.0, game, &position)))
    }

    /// Returns the canonical position of a position's class, and its layer.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn canonical(&self, position: &str) -> Result<(String, u32), AskError> {
        let (game, position) = (self.game(), self.position(Some(position))?);
        let canonical = game.canonical(&position);
        Ok((game.format_position(&canonical), game.layer(&canonical)))
    }

    /// Returns the key of a position's class ([`Game::key`]).
    ///
    /// # Errors
    /// If there is no such position.
    pub fn key(&self, position: &str) -> Result<u128, AskError> {
        let (game, position) = (self.game(), self.position(Some(position))?);
        Ok(game.key(&game.canonical(&position)))
    }

    /// Returns the canonical unfinished position with this key, if there is one.
    pub fn position_of_key(&self, key: u128) -> Option<String> {
        let game = self.game();
        Some(game.format_position(&game.position_of_key(key)?))
    }

    /// Returns the images of a position under the game's symmetries, itself first. All have its
    /// score.
    ///
    /// # Errors
    /// If there is no such position.
    pub fn symmetries(&self, position: &str) -> Result<Vec<String>, AskError> {
        let (game, position) = (self.game(), self.position(Some(position))?);
        let symmetry = game.capabilities().symmetry;
        let mut images = Vec::new();
        for number in 0..symmetry.order() {
            let image = game.format_position(&symmetry.apply(number, &position));
            if !images.contains(&image) {
                images.push(image);
            }
        }
        Ok(images)
    }

    /// Returns the unfinished positions reachable from the start, or one of each class.
    ///
    /// # Errors
    /// If they don't fit into `memory` bytes, or the caller cancels.
    pub fn graph(
        &self,
        by_class: bool,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<MoveGraph, SolveError> {
        graph::graph(self.game(), by_class, memory, progress)
    }

    /// Returns the columns of the game's arrays, if it supports them.
    pub fn array_shape(&self) -> Option<ArrayShape> {
        batch::shape(self.game())
    }

    /// Puts the scores of many positions, or of their moves, into `out`.
    ///
    /// Runs on the threads of the caller's pool. If `missing` is given, it stands for the scores of
    /// positions that have none.
    ///
    /// # Errors
    /// If a position has no score (the first one is named), the caller cancels, or the game has no
    /// list of moves.
    ///
    /// # Panics
    /// If the length of `out` is not the number of scores.
    pub fn scores(
        &self,
        positions: Positions<'_>,
        of: ScoresOf,
        missing: Option<i32>,
        out: &mut [i32],
        progress: &dyn Progress,
    ) -> Result<(), BatchError> {
        batch::scores(&*self.0, positions, of, missing, out, progress)
    }

    /// Converts positions to rows of an array, one after the other.
    ///
    /// # Errors
    /// If one isn't a position of the game (the first one is named), or the game has no arrays.
    pub fn rows(&self, positions: &[&str]) -> Result<Vec<u8>, BatchError> {
        batch::rows(self.game(), positions)
    }

    /// Converts rows of an array to text.
    ///
    /// # Errors
    /// If one isn't a position of the game (the first one is named), or the game has no arrays.
    pub fn texts(&self, rows: &[u8]) -> Result<Vec<String>, BatchError> {
        batch::texts(self.game(), rows)
    }

    /// Asks an AI and grades its answers ([`crate::check::check`]).
    ///
    /// # Errors
    /// The errors of [`crate::check::check`].
    pub fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError> {
        let oracle = &*self.0;
        check_and_list(oracle, &Entrant { ai, oracle }, options, list, progress)
    }

    /// Plays a tournament between AIs ([`crate::check::tournament::play`]).
    ///
    /// # Errors
    /// The errors of `play`.
    #[cfg(all(feature = "cli", not(target_family = "wasm")))]
    pub(crate) fn tournament(
        &self,
        ais: &[AnyAi],
        options: &TournamentOptions,
        progress: &dyn Progress,
    ) -> Result<Tournament, CheckError> {
        let oracle = &*self.0;
        let ais: Vec<_> = ais.iter().map(|ai| Entrant { ai, oracle }).collect();
        tournament::play(oracle, &ais, options, progress)
    }

    /// Asks an AI for moves, one question after the other, until there are no more.
    ///
    /// A program is started at the first question, and again at the first one after a fault.
    #[cfg(all(feature = "serve", not(target_family = "wasm")))]
    pub(crate) fn ask_ai(&self, ai: &AnyAi, questions: &mut dyn Iterator<Item = MoveQuestion>) {
        let oracle = &*self.0;
        let (entrant, game) = (Entrant { ai, oracle }, oracle.game());
        let mut player: Option<Box<dyn Player<Erased> + '_>> = None;
        for question in questions {
            let Ok(position) = position_of(game, Some(&question.position)) else {
                continue;
            };
            let read = |moves: Vec<String>| {
                let moves = moves.iter().map(|mv| game.parse_move(mv).ok());
                moves.collect::<Option<Vec<_>>>()
            };
            let way = question.moves.and_then(read);
            let started = player.take().map_or_else(|| entrant.player(game), Ok);
            let reply = started.map_or_else(
                |error| {
                    let detail = format!("could not be started: {error}");
                    Some(Err(Fault::new(FaultKind::Crash, detail)))
                },
                |started| {
                    let player = player.insert(started);
                    let reply = ask_one(&mut **player, way.as_deref(), &position, &NoProgress)?;
                    Some(reply.map(|mv| (game.format_move(mv), player.take_stderr())))
                },
            );
            if let Some(reply) = reply {
                (question.reply)(reply);
            }
        }
    }
}

/// An AI that may play by the scores of an oracle.
struct Entrant<'o> {
    ai: &'o AnyAi,
    oracle: &'o dyn Oracle<Erased>,
}

impl<'a, 'o: 'a> StartPlayer<'a, Erased> for Entrant<'o> {
    fn player(&'a self, game: &'a Erased) -> Result<Box<dyn Player<Erased> + 'a>, StartError> {
        let name = match self.ai {
            AnyAi::Program(program) => return program.player(game),
            AnyAi::Text(ai) => return ai.player(game),
            AnyAi::Builtin(name) | AnyAi::Traced(name, _) => name,
        };
        let (builtin, oracle): (Builtin, _) = (name.parse()?, self.oracle);
        let AnyAi::Traced(_, trace) = self.ai else {
            return Ok(in_process(move || builtin.make(oracle), game));
        };
        let make = move || {
            let mut ai = builtin.make(oracle);
            move |game: &Erased, position: &ErasedPosition| {
                trace('>', &game.format_position(position));
                let mv = ai.choose(game, position);
                trace('<', &game.format_move(mv));
                mv
            }
        };
        Ok(in_process(make, game))
    }

    fn command(&self) -> Option<&str> {
        match self.ai {
            AnyAi::Program(program) => StartPlayer::<Erased>::command(program),
            _ => None,
        }
    }

    fn begin_again(&self) {
        if let AnyAi::Text(ai) = self.ai {
            StartPlayer::<Erased>::begin_again(ai);
        }
    }
}
