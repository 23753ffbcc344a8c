//! An oracle of a game whose type is known, with questions and answers in text.

use super::batch::{self, ArrayShape, BatchError, Positions, ScoreNumbers, ScoresOf};
use super::erased::{Erased, ErasedPosition};
use super::erased_oracle::ErasedOracle;
use super::graph::{self, MoveGraph};
use super::labels::{self, Labeller, LabelsWanted};
use super::oracle::{
    AnyAi, AnyOracle, AnyTable, Client, Internal, MoveQuestion, Verified, VerifyBy,
};
use super::view::{View, position_of, view};
use crate::check::builtin::Builtin;
use crate::check::tournament::{self, Tournament, TournamentOptions};
use crate::check::{
    Ai, CheckError, CheckOptions, Fault, FaultKind, List, Player, Report, StartError, StartPlayer,
    ask_one, check_and_list, in_process,
};
use crate::game::{
    KnownScores, NoProgress, Notation, Progress, Side, SlotNumbers, SolveError, decimals_of,
};
use crate::oracle::{Answer, AskError, Oracle, OracleError, Wanted, ask, unfinished};
use crate::pool::map_of;
use crate::random::Random;
use crate::solve::verify_by_search;
use crate::table::{
    CheckedFile, LayerEntries, ReadError, Table, VerifyError, verify, verify_sample,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// An oracle whose game's type is known.
pub(super) struct InText<G: Notation, O> {
    oracle: O,
    game: PhantomData<G>,
}

impl<G: Notation, O: Oracle<G>> InText<G, O> {
    pub fn of(oracle: O) -> InText<G, O> {
        InText {
            oracle,
            game: PhantomData,
        }
    }

    /// Returns the oracle without its game's type: checks and games are compiled only for that.
    fn erased(&self) -> ErasedOracle<G, &O> {
        ErasedOracle::new(&self.oracle)
    }

    fn position(&self, text: Option<&str>) -> Result<G::Position, AskError> {
        position_of(self.oracle.game(), text)
    }
}

impl<G: Notation> InText<G, Table<G>> {
    fn numbers(&self) -> Option<SlotNumbers<G::Position>> {
        SlotNumbers::new(Arc::clone(self.oracle.ranking()?))
    }
}

impl<G: Notation, O: Oracle<G>> Internal for InText<G, O> {
    #[cfg(not(target_family = "wasm"))]
    fn tournament(
        &self,
        ais: &[AnyAi],
        options: &TournamentOptions,
        progress: &dyn Progress,
    ) -> Result<Tournament, CheckError> {
        let oracle = &self.erased();
        let ais: Vec<_> = ais.iter().map(|ai| Entrant { ai, oracle }).collect();
        tournament::play(oracle, &ais, options, progress)
    }

    #[cfg(not(target_family = "wasm"))]
    fn ask_ai(&self, ai: &AnyAi, questions: &mut dyn Iterator<Item = MoveQuestion>) {
        let oracle = &self.erased();
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

impl<G: Notation, O: Oracle<G>> AnyOracle for InText<G, O> {
    fn name(&self) -> String {
        self.oracle.game().name()
    }

    fn move_noun(&self) -> &'static str {
        self.oracle.game().move_noun()
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        self.oracle.game().capabilities().drawing.side_name(side)
    }

    fn counts_plies(&self) -> bool {
        self.oracle.game().score_range().counts_plies()
    }

    fn decimals(&self) -> Option<u32> {
        decimals_of(self.oracle.game())
    }

    fn score_numbers(&self) -> ScoreNumbers {
        ScoreNumbers::of(self.oracle.game())
    }

    fn title(&self) -> String {
        self.oracle.game().title()
    }

    fn start(&self) -> String {
        let game = self.oracle.game();
        game.format_position(&game.start())
    }

    fn ask(
        &self,
        position: Option<&str>,
        wanted: Wanted,
        client: Option<Client<'_>>,
    ) -> Result<Answer, AskError> {
        let position = self.position(position)?;
        let Some(Client { progress, report }) = client else {
            return ask(&self.oracle, &position, wanted, &mut |_| ());
        };
        let own = self.oracle.with_progress(progress);
        ask(
            own.as_deref().unwrap_or(&self.oracle),
            &position,
            wanted,
            report,
        )
    }

    fn view(&self, from: Option<&str>, moves: &[&str]) -> Result<View, AskError> {
        view(self.oracle.game(), from, moves)
    }

    fn ask_many(&self, positions: &[&str], wanted: Wanted) -> Vec<Result<Answer, AskError>> {
        let read = |text: &&str| self.position(Some(*text));
        let answer = |position| ask(&self.oracle, &position?, wanted, &mut |_| ());
        if self.oracle.effort().is_none() {
            return map_of(positions, |text| answer(read(text)));
        }
        // A search uses its own threads. Preparing may fail for a position that can't be
        // searched, which causes an error when it is asked about.
        let read: Vec<_> = positions.iter().map(read).collect();
        let known: Vec<G::Position> = read.iter().flatten().cloned().collect();
        let _ = self.oracle.prepare(&known, false);
        read.into_iter().map(answer).collect()
    }

    fn choose(&self, ai: Builtin, position: &str) -> Result<String, AskError> {
        let game = self.oracle.game();
        let position = self.position(Some(position))?;
        unfinished(game, &position)?;
        Ok(game.format_move(ai.choose(&self.oracle, game, &position)))
    }

    fn canonical(&self, position: &str) -> Result<(String, u32), AskError> {
        let (game, position) = (self.oracle.game(), self.position(Some(position))?);
        let canonical = game.canonical(&position);
        Ok((game.format_position(&canonical), game.layer(&canonical)))
    }

    fn symmetries(&self, position: &str) -> Result<Vec<String>, AskError> {
        let (game, position) = (self.oracle.game(), self.position(Some(position))?);
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

    #[cfg(not(target_family = "wasm"))]
    fn graph(
        &self,
        by_class: bool,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<MoveGraph, SolveError> {
        graph::graph(self.oracle.game(), by_class, memory, progress)
    }

    fn array_shape(&self) -> Option<ArrayShape> {
        batch::shape(self.oracle.game())
    }

    #[cfg(not(target_family = "wasm"))]
    fn scores(
        &self,
        positions: Positions<'_>,
        of: ScoresOf,
        missing: Option<i32>,
        out: &mut [i32],
        progress: &dyn Progress,
    ) -> Result<(), BatchError> {
        batch::scores(&self.oracle, positions, of, missing, out, progress)
    }

    #[cfg(not(target_family = "wasm"))]
    fn rows(&self, positions: &[&str]) -> Result<Vec<u8>, BatchError> {
        batch::rows(self.oracle.game(), positions)
    }

    #[cfg(not(target_family = "wasm"))]
    fn texts(&self, rows: &[u8]) -> Result<Vec<String>, BatchError> {
        batch::texts(self.oracle.game(), rows)
    }

    #[cfg(not(target_family = "wasm"))]
    fn check(
        &self,
        ai: &AnyAi,
        options: &CheckOptions,
        list: Option<&mut List<'_>>,
        progress: &dyn Progress,
    ) -> Result<Report, CheckError> {
        let oracle = &self.erased();
        check_and_list(oracle, &Entrant { ai, oracle }, options, list, progress)
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

impl<G: Notation> AnyTable for InText<G, Table<G>> {
    fn file(&self) -> &CheckedFile {
        self.oracle.file()
    }

    fn into_known_scores(self: Box<Self>) -> Arc<dyn KnownScores> {
        Arc::new(self.oracle)
    }

    fn with_cache(self: Box<Self>, bytes: usize) -> Box<dyn AnyTable> {
        Box::new(InText::of(self.oracle.with_cache(bytes)))
    }

    fn sample(&self, seed: u64, each: &mut dyn FnMut(Answer) -> bool) -> Result<(), AskError> {
        let mut random = Random::new(seed);
        let wanted = Wanted {
            moves: true,
            ..Wanted::default()
        };
        let entries = LayerEntries::all(&self.oracle);
        let mut draw = || entries.choose(|limit| random.below(limit));
        while let Some(position) = draw().map_err(OracleError::from)?
            && each(ask(&self.oracle, &position, wanted, &mut |_| ())?)
        {}
        Ok(())
    }

    fn key(&self, position: &str) -> Result<u128, AskError> {
        let game = self.oracle.game();
        Ok(game.key(&game.canonical(&self.position(Some(position))?)))
    }

    fn position_of_key(&self, key: u128) -> Option<String> {
        let game = self.oracle.game();
        Some(game.format_position(&game.position_of_key(key)?))
    }

    #[cfg(not(target_family = "wasm"))]
    fn labeller<'t>(
        &'t self,
        wanted: LabelsWanted,
        memory: u64,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Labeller + 't>, ReadError> {
        labels::labeller(&self.oracle, wanted, memory, progress)
    }

    fn rank(&self, position: &str) -> Result<Option<u64>, AskError> {
        let game = self.oracle.game();
        let canonical = game.canonical(&self.position(Some(position))?);
        if game.final_score(&canonical).is_some() {
            return Ok(None);
        }
        let numbers = self.numbers();
        Ok(numbers.and_then(|numbers| Some(numbers.of(&canonical)?.number)))
    }

    fn unrank(&self, rank: u64) -> Option<String> {
        let numbers = self.numbers().filter(|numbers| rank < numbers.count())?;
        let position = numbers.position(numbers.slot(rank));
        Some(self.oracle.game().format_position(&position))
    }

    fn slots(&self) -> Option<u64> {
        Some(self.numbers()?.count())
    }

    #[cfg(not(target_family = "wasm"))]
    fn verify(&self, by: VerifyBy<'_>, progress: &dyn Progress) -> Result<Verified, VerifyError> {
        let table = &self.oracle;
        Ok(match by {
            VerifyBy::Proof(options) => Verified::Compared(verify(table, options, progress)?),
            VerifyBy::Sample(sample) => Verified::Compared(verify_sample(table, sample, progress)?),
            VerifyBy::Search(sample, options) => {
                Verified::Searched(verify_by_search(table, sample, options, progress)?)
            }
        })
    }
}
