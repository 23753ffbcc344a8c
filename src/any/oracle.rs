//! Oracles whose game's type is left open: asked and answering in text.

#[cfg(feature = "cli")]
use super::look::{Look, LookError, look};
use crate::check::builtin::{Builtin, DepthLimited, OwnBuiltin};
use crate::check::{
    Ai, CheckError, CheckOptions, External, InProcess, List, Report, StartError, check_and_list,
};
use crate::game::{KeptScores, Notation, Progress, Roots, SolveOptions};
use crate::oracle::{Answer, AskError, Inventory, Oracle, Wanted, ask, ask_telling};
use crate::random::Random;
use crate::search::Algorithm;
use crate::table::{
    CheckedFile, Part, Searched, Table, Verdict, VerifyError, verify, verify_by_search, verify_part,
};
use rayon::prelude::*;
use std::sync::Arc;

/// An oracle that is asked in text.
pub trait AnyOracle: Send + Sync {
    /// The game's name.
    fn name(&self) -> String;

    /// What a move names, for sentences: "pit".
    fn move_noun(&self) -> &'static str;

    /// The game with its parameters in plain words, for headings.
    fn title(&self) -> String;

    /// The position that the game starts from.
    fn start(&self) -> String;

    /// A drawing of a position for people, a few lines.
    ///
    /// # Errors
    /// If it is not a position of the game.
    fn board(&self, position: &str) -> Result<String, AskError>;

    /// The position after these moves from a position, or from the start, to be looked at.
    ///
    /// # Errors
    /// If there is no such position, or one of the moves is not legal.
    #[cfg(feature = "cli")]
    fn look(&self, from: Option<&str>, moves: &[&str]) -> Result<Look, LookError>;

    /// What is wanted about a position, or about the start.
    ///
    /// # Errors
    /// If it isn't an unfinished position of the game, or the oracle can't answer.
    fn ask(&self, position: Option<&str>, wanted: Wanted) -> Result<Answer, AskError>;

    /// The same for one asker of several: of a search, `progress` hears what it is doing for them,
    /// and can stop it; `tell` sees the unfinished answer whenever more of it is known.
    ///
    /// # Errors
    /// As [`AnyOracle::ask`].
    fn ask_telling(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        progress: &dyn Progress,
        tell: &mut dyn FnMut(&Answer),
    ) -> Result<Answer, AskError>;

    /// The same for many positions, in their order.
    fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>>;

    /// The move of a player who looks only so many moves ahead: [`DepthLimited`]. Nothing if the
    /// game is over.
    ///
    /// # Errors
    /// If it is not a position of the game.
    fn shallow_move(&self, position: &str, depth: u32) -> Result<Option<String>, AskError>;

    /// Asks an AI and weighs its answers: [`check_and_list`].
    ///
    /// # Errors
    /// As there.
    fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError>;
}

/// An AI for a game whose type is left open.
pub enum AnyAi {
    /// One of those that come with the checker or the game, by its name.
    Builtin(String),
    /// A program.
    Program(External),
}

/// A table of a game whose type is left open.
pub trait AnyTable: AnyOracle {
    /// The file.
    fn file(&self) -> &CheckedFile;

    /// Its scores, for a search to take its endgame from.
    fn into_kept_scores(self: Box<Self>) -> Arc<dyn KeptScores>;

    /// The same table, keeping at most this many bytes of what it decodes.
    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable>;

    /// Entries drawn at random, each as likely as any other, with the score of every move, and with
    /// a principal variation if `line` says so; as many as `each` asks for by returning true. The
    /// same seed draws the same ones.
    ///
    /// # Errors
    /// If the table can't be read.
    fn draw(
        &self,
        seed: u64,
        line: bool,
        each: &mut dyn FnMut(Answer) -> bool,
    ) -> Result<(), AskError>;

    /// [`verify`]
    ///
    /// # Errors
    /// As there.
    fn verify(
        &self,
        threads: usize,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError>;

    /// [`verify_part`]
    ///
    /// # Errors
    /// As there.
    fn verify_part(&self, part: &Part, progress: &dyn Progress) -> Result<Verdict, VerifyError>;

    /// [`verify_by_search`]
    ///
    /// # Errors
    /// As there.
    fn verify_by_search(
        &self,
        parts: &[Part],
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Searched, VerifyError>;
}

/// An oracle whose game's type is known.
pub(super) struct InText<G: Notation, O> {
    oracle: O,
    builtins: &'static [OwnBuiltin<G>],
}

impl<G: Notation, O: Oracle<G>> InText<G, O> {
    pub fn of(oracle: O, builtins: &'static [OwnBuiltin<G>]) -> InText<G, O> {
        InText { oracle, builtins }
    }

    fn position(&self, text: Option<&str>) -> Result<G::Position, AskError> {
        position_of(self.oracle.game(), text)
    }
}

/// The position that a text names, or the start.
pub(super) fn position_of<G: Notation>(
    game: &G,
    text: Option<&str>,
) -> Result<G::Position, AskError> {
    match text {
        Some(text) => Ok(game.parse_position(text)?),
        None if game.capabilities().solving.roots() == Roots::Everywhere => {
            Err(AskError::NoStart {
                game: game.name(),
                example: game.format_position(&game.start()),
            })
        }
        None => Ok(game.start()),
    }
}

impl<G: Notation, O: Oracle<G>> AnyOracle for InText<G, O> {
    fn name(&self) -> String {
        self.oracle.game().name()
    }

    fn move_noun(&self) -> &'static str {
        self.oracle.game().move_noun()
    }

    fn title(&self) -> String {
        self.oracle.game().title()
    }

    fn start(&self) -> String {
        let game = self.oracle.game();
        game.format_position(&game.start())
    }

    fn board(&self, position: &str) -> Result<String, AskError> {
        let game = self.oracle.game();
        Ok(game.board(&game.parse_position(position)?))
    }

    fn ask(&self, position: Option<&str>, wanted: Wanted) -> Result<Answer, AskError> {
        ask(&self.oracle, &self.position(position)?, wanted)
    }

    fn ask_telling(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        progress: &dyn Progress,
        tell: &mut dyn FnMut(&Answer),
    ) -> Result<Answer, AskError> {
        let position = self.position(position)?;
        match self.oracle.heard_by(progress) {
            Some(own) => ask_telling(&*own, &position, wanted, tell),
            None => ask_telling(&self.oracle, &position, wanted, tell),
        }
    }

    #[cfg(feature = "cli")]
    fn look(&self, from: Option<&str>, moves: &[&str]) -> Result<Look, LookError> {
        look(self.oracle.game(), from, moves)
    }

    fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>> {
        let read = |text: &&str| self.position(Some(*text));
        let answer = |position| ask(&self.oracle, &position?, wanted);
        if self.oracle.effort().is_none() {
            let read = positions.par_iter().map(read);
            return read.map(answer).collect();
        }
        // A search has threads of its own.
        let read: Vec<_> = positions.iter().map(read).collect();
        let known: Vec<G::Position> = read.iter().flatten().cloned().collect();
        self.oracle.prepare(&known);
        read.into_iter().map(answer).collect()
    }

    fn shallow_move(&self, position: &str, depth: u32) -> Result<Option<String>, AskError> {
        let game = self.oracle.game();
        let position = game.parse_position(position)?;
        if game.final_score(&position).is_some() {
            return Ok(None);
        }
        let algorithm = Algorithm::AlphaBeta;
        let mv = DepthLimited { algorithm, depth }.choose(game, &position);
        Ok(Some(game.format_move(mv)))
    }

    fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError> {
        let oracle: &dyn Oracle<G> = &self.oracle;
        let name = match ai {
            AnyAi::Program(program) => {
                return check_and_list(oracle, program, options, list, progress);
            }
            AnyAi::Builtin(name) => name,
        };
        if let Some(own) = OwnBuiltin::find(self.builtins, name) {
            let contender = InProcess(own.map_err(StartError::Usage)?);
            return check_and_list(oracle, &contender, options, list, progress);
        }
        let builtin: Builtin = name.parse().map_err(StartError::Builtin)?;
        let contender = InProcess(|| builtin.make(oracle));
        check_and_list(oracle, &contender, options, list, progress)
    }
}

impl<G: Notation> AnyTable for InText<G, Table<G>> {
    fn file(&self) -> &CheckedFile {
        self.oracle.file()
    }

    fn into_kept_scores(self: Box<Self>) -> Arc<dyn KeptScores> {
        Arc::new(self.oracle.into_file())
    }

    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable> {
        Box::new(InText::of(self.oracle.with_cache(bytes), self.builtins))
    }

    fn draw(
        &self,
        seed: u64,
        line: bool,
        each: &mut dyn FnMut(Answer) -> bool,
    ) -> Result<(), AskError> {
        let draw = self.oracle.draw_from(None)?;
        let mut random = Random::new(seed);
        let wanted = Wanted {
            moves: true,
            line,
            ..Wanted::default()
        };
        while let Some(position) = draw(&mut |limit| random.below(limit))?
            && each(ask(&self.oracle, &position, wanted)?)
        {}
        Ok(())
    }

    fn verify(
        &self,
        threads: usize,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Verdict, VerifyError> {
        verify(&self.oracle, threads, memory, progress)
    }

    fn verify_part(&self, part: &Part, progress: &dyn Progress) -> Result<Verdict, VerifyError> {
        verify_part(&self.oracle, part, progress)
    }

    fn verify_by_search(
        &self,
        parts: &[Part],
        options: SolveOptions,
        progress: &dyn Progress,
    ) -> Result<Searched, VerifyError> {
        verify_by_search(&self.oracle, parts, options, progress)
    }
}
