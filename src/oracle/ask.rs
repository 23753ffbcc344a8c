//! Questions about a position, and their answers.

use super::{Bounds, Effort, Oracle, OracleError, Question};
use crate::game::{InWords, Notation, NotationError, Side, in_words, sort_best_first};
use crate::text::legal_moves;
use std::time::Instant;

/// The part of an answer that is wanted alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Only {
    /// The exact score.
    Score,
    /// Bounds that decide the outcome. By search, much faster than the score.
    Outcome,
}

/// The data wanted about a position.
///
/// A question alone is answered without finding the exact score. Anything else needs it. The default
/// wants the score and a best move, which a finished position hasn't: for that, set `only`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Wanted {
    /// The question, if any.
    pub question: Option<Question>,
    /// Only this part, without a best move. Finished positions have an answer, too.
    pub only: Option<Only>,
    /// Whether to find the score of every move. Included anyway if it costs almost nothing.
    pub moves: bool,
    /// Greatest length of the principal variation; 0 for none.
    pub line: usize,
}

/// The answer about a position.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The position, in the game's notation; empty if [`Wanted::only`] is set.
    pub position: String,
    /// The side to move.
    pub to_move: Side,
    /// Whether its score is that of the whole game, including points already won.
    pub is_whole: bool,
    /// A score of 0 in the position, to be put into words. [`Answer::in_words`] replaces the score.
    pub words: InWords,
    /// Proven bounds of the score, seen from the side to move.
    pub bounds: Bounds,
    /// A best move. With a question, only if the side to move has a draw or win to preserve.
    pub best_move: Option<String>,
    /// Every move with its score, best first.
    ///
    /// In an interrupted answer, only the known ones, in the game's order.
    pub moves: Option<Vec<(String, i32)>>,
    /// A principal variation, to the end of the game or as long as wanted.
    pub line: Option<Vec<String>>,
    /// Whether the line ends because the next move would repeat a position.
    pub line_repeats: bool,
    /// The answer to the question, if that is yes or no.
    pub yes: Option<bool>,
    /// Whether the oracle was cancelled before it knew everything that was wanted.
    pub is_interrupted: bool,
    /// The effort that the answer took.
    pub effort: Option<Effort>,
}

impl Answer {
    /// Returns proven bounds of the score, seen from the first player.
    #[must_use]
    pub fn first_player_bounds(&self) -> Bounds {
        match self.to_move {
            Side::First => self.bounds,
            Side::Second => self.bounds.reversed(),
        }
    }

    /// Returns a score of the position or of a move, seen from the side to move, to be put into
    /// words.
    #[must_use]
    pub fn in_words(&self, score: i32) -> InWords {
        self.in_words_of(self.to_move, score)
    }

    /// Returns a score of the position or of a move, seen from `side`, to be put into words.
    #[must_use]
    pub fn in_words_of(&self, side: Side, score: i32) -> InWords {
        self.words.like(side, score)
    }

    /// Returns the best moves, if the moves' scores are known.
    pub fn best_moves(&self) -> impl Iterator<Item = &str> {
        let moves = self.moves.as_deref().unwrap_or_default();
        let best = moves.iter().take_while(|mv| mv.1 == moves[0].1);
        best.map(|mv| &*mv.0)
    }

    /// Returns the best moves, or one of them if not every move's score is known.
    #[must_use]
    pub fn known_best_moves(&self) -> Vec<&str> {
        let best: Vec<&str> = self.best_moves().collect();
        if best.is_empty() {
            return self.best_move.as_deref().into_iter().collect();
        }
        best
    }
}

/// Why a position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// It is not a position of the game.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The game is over.
    #[error(
        "the game is over in \"{position}\": {}; ask about a position with a move to make, such as \"{start}\"",
        .result.who_wins()
    )]
    Finished {
        /// Text of the position, as given.
        position: String,
        /// The result, seen from the first player.
        result: InWords,
        /// Start of the game, as an example.
        start: String,
    },
    /// The game has no start, so a position must be named.
    #[error("{game} has no start: say which position, such as \"{example}\"")]
    NoStart {
        /// The game's name.
        game: String,
        /// A position, as an example.
        example: String,
    },
    /// A move can't be read.
    #[error("move {number} can't be read: {cause}")]
    NoMove {
        /// Number of the move, from 1.
        number: usize,
        /// Why the text is no position.
        cause: NotationError,
    },
    /// One of several moves is not legal.
    #[error(
        "move {number}, \"{mv}\", is not legal in \"{position}\": {}",
        legal_moves(legal, "move")
    )]
    Illegal {
        /// Number of the move, from 1.
        number: usize,
        /// Text of the move, as given.
        mv: String,
        /// The position in which it was made.
        position: String,
        /// The legal moves there; empty if the game is over.
        legal: Vec<String>,
    },
    /// The oracle can't answer.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl AskError {
    /// Returns advice on a text that can't be read ([`NotationError::tip`]).
    #[must_use]
    pub fn tip(&self) -> Option<String> {
        match self {
            AskError::Notation(cause) | AskError::NoMove { cause, .. } => Some(cause.tip()),
            _ => None,
        }
    }
}

/// Answers a question about a position.
///
/// `report` receives the partial answer whenever more is known. If the oracle is cancelled, the answer
/// has everything proven until then.
///
/// # Errors
/// If the game is over in the position, unless only the score or outcome is wanted, or if the
/// oracle can't answer.
pub fn ask<G: Notation>(
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    wanted: Wanted,
    report: &mut dyn FnMut(&Answer),
) -> Result<Answer, AskError> {
    let mut asking = Asking {
        oracle,
        game: oracle.game(),
        position,
        answer: unanswered(oracle, position, wanted)?,
        report,
    };
    let before = oracle.effort().map(|effort| (effort, Instant::now()));
    let is_instant = before.is_none();
    let is_short = !wanted.moves && wanted.line == 0;
    let yes_or_no = wanted.question.filter(|&it| it != Question::Result);
    let found = match (yes_or_no, wanted.only) {
        (Some(question), _) if !is_instant && is_short => asking.decide(question),
        (None, Some(Only::Outcome)) if is_short => asking.find_outcome(),
        _ => asking.find(wanted, is_instant),
    };
    match found {
        Err(OracleError::Interrupted(_)) => asking.answer.is_interrupted = true,
        found => found?,
    }
    let mut answer = asking.answer;
    answer.effort = oracle
        .effort()
        .zip(before)
        .map(|(effort, (before, began))| Effort {
            nodes: effort.nodes - before.nodes,
            seconds: began.elapsed().as_secs_f64(),
            ..effort
        });
    Ok(answer)
}

/// Returns the answer before anything is found.
///
/// # Errors
/// If the game is over in the position, unless only the score or outcome is wanted.
fn unanswered<G: Notation>(
    oracle: &dyn Oracle<G>,
    position: &G::Position,
    wanted: Wanted,
) -> Result<Answer, AskError> {
    let game = oracle.game();
    let bounds = match game.final_score(position) {
        Some(score) if wanted.only.is_some() => Bounds::exactly(score),
        _ => {
            unfinished(game, position)?;
            oracle.bounds(position)
        }
    };
    Ok(Answer {
        position: match wanted.only {
            None => game.format_position(position),
            // Formatting would take as long as reading the score from a table.
            Some(_) => String::new(),
        },
        to_move: game.side_to_move(position),
        is_whole: game.is_whole(position),
        words: in_words(game, position),
        bounds,
        best_move: None,
        moves: None,
        line: None,
        line_repeats: false,
        yes: None,
        is_interrupted: false,
        effort: None,
    })
}

/// Checks that the game is not over in a position.
pub(crate) fn unfinished<G: Notation>(game: &G, position: &G::Position) -> Result<(), AskError> {
    match game.final_score(position) {
        None => Ok(()),
        Some(score) => Err(AskError::Finished {
            position: game.format_position(position),
            result: InWords {
                alternates: false,
                score: game.seen_from(Side::First, position, score),
                ..in_words(game, position)
            },
            start: game.format_position(&game.start()),
        }),
    }
}

struct Asking<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    game: &'a G,
    position: &'a G::Position,
    answer: Answer,
    report: &'a mut dyn FnMut(&Answer),
}

impl<G: Notation> Asking<'_, G> {
    /// Finds the exact score and everything else that is wanted.
    fn find(&mut self, wanted: Wanted, is_instant: bool) -> Result<(), OracleError> {
        let Asking { answer, report, .. } = self;
        let mut closer = |bounds| {
            answer.bounds = bounds;
            report(answer);
        };
        let score = match is_instant {
            true => self.oracle.score(self.position)?,
            false => self
                .oracle
                .score_telling(self.position, None, &mut closer)?,
        };
        self.answer.bounds = Bounds::exactly(score);
        (self.report)(&self.answer);
        if wanted.moves || is_instant && wanted.only.is_none() {
            self.score_moves(score)?;
        } else if wanted.only.is_none() {
            self.find_best_move(score)?;
        }
        if wanted.line > 0 {
            let line = self.oracle.line(self.position, wanted.line)?;
            let play = |before: G::Position, &mv: &G::Move| self.game.play(&before, mv);
            let end = line.iter().fold(self.position.clone(), play);
            let is_cut = line.len() < wanted.line && self.game.final_score(&end).is_none();
            self.answer.line_repeats = is_cut;
            let names = line.into_iter().map(|mv| self.game.format_move(mv));
            self.answer.line = Some(names.collect());
        }
        let to_move = self.answer.to_move;
        self.answer.yes = wanted.question.and_then(|it| it.answer(to_move, score));
        Ok(())
    }

    /// Finds the score of every move. `best` is the position's score, which none exceeds.
    fn score_moves(&mut self, best: i32) -> Result<(), OracleError> {
        let legal = self.game.legal_moves(self.position);
        self.answer.moves = Some(Vec::with_capacity(legal.len()));
        for mv in legal {
            let score = self.oracle.score_after_knowing(self.position, mv, best)?;
            let scored = (self.game.format_move(mv), score);
            self.answer.moves.get_or_insert_default().push(scored);
            (self.report)(&self.answer);
        }
        let moves = self.answer.moves.get_or_insert_default();
        sort_best_first(moves);
        self.answer.best_move = moves.first().map(|mv| mv.0.clone());
        Ok(())
    }

    fn find_best_move(&mut self, score: i32) -> Result<(), OracleError> {
        let best = self.oracle.best_move(self.position, score)?;
        self.answer.best_move = best.map(|mv| self.game.format_move(mv));
        Ok(())
    }

    /// Finds bounds that decide the outcome.
    fn find_outcome(&mut self) -> Result<(), OracleError> {
        // Unless it is won, the second bound tells a draw from a loss.
        if !self.at_least(1)? {
            self.at_least(0)?;
        }
        Ok(())
    }

    /// Finds only as much as the question needs.
    fn decide(&mut self, question: Question) -> Result<(), OracleError> {
        let to_move = self.answer.to_move;
        for &score in question.deciding(to_move) {
            if !self.at_least(score)? {
                break;
            }
        }
        self.answer.yes = question.answer(to_move, self.answer.bounds.lower);
        // Only a draw or a win can be preserved by a move.
        if self.answer.bounds.lower >= 0 {
            self.find_best_move(self.answer.bounds.lower)?;
        }
        Ok(())
    }

    /// Returns whether the score is at least `wanted`, without finding it.
    fn at_least(&mut self, wanted: i32) -> Result<bool, OracleError> {
        let known = &mut self.answer.bounds;
        if known.lower < wanted && known.upper >= wanted {
            let found = self.oracle.bound(self.position, wanted)?;
            known.lower = known.lower.max(found.lower);
            known.upper = known.upper.min(found.upper);
        }
        Ok(self.answer.bounds.lower >= wanted)
    }
}
