//! Does the AI know the rules? Questions that tell wrong rules from bad play.
//!
//! A move that the rules don't allow, where only one is legal or elsewhere, shows wrong rules at
//! once. Rules that are wrong but lead to legal moves show in comparison: the AI is asked in simple
//! positions in which knowing a certain rule makes the difference, and in simple positions that
//! have nothing to do with any such rule. An AI that plays the latter well, but at most a quarter
//! of the former, which is less than chance explains, is said to have that rule wrong; one that
//! plays both badly is just weak.
//!
//! Where the game says what a player that doesn't know a rule expects ([`Checking::play_unaware`]),
//! only those positions are asked in which every move that is best by such rules is a mistake by
//! the real ones.
//!
//! [`Checking::play_unaware`]: crate::game::Checking::play_unaware

mod choose;
mod simple;
#[cfg(test)]
mod tests;

use super::statistics::is_unlikely;
use crate::check::clock::Clock;
use crate::check::contenders::{Fault, FaultKind, Player, ask_one};
use crate::check::error::CheckError;
use crate::game::{Notation, Progress, best_moves};
use crate::oracle::Oracle;
use choose::{Candidate, Probe, Questions};

/// What came of the questions about the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesVerdict {
    /// Nothing speaks against the AI's knowing the rules.
    Followed,
    /// It answered with something that is no legal move.
    Broken,
    /// It plays simple positions well, except those in which a certain rule matters.
    Suspect,
    /// It didn't always answer, or plays even simple positions so badly that only illegal moves
    /// would have shown.
    Unclear,
}

impl RulesVerdict {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RulesVerdict::Followed => "followed",
            RulesVerdict::Broken => "broken",
            RulesVerdict::Suspect => "suspect",
            RulesVerdict::Unclear => "unclear",
        }
    }
}

/// The questions of one kind.
#[derive(Clone, Debug)]
pub struct Topic<G: Notation> {
    /// What they are about.
    pub name: String,
    /// The number of questions asked.
    pub asked: usize,
    /// Of these, the number answered with a best move.
    pub best: usize,
    /// Whether the AI has this rule wrong, it seems.
    pub suspect: bool,
    /// A position that was not answered with a best move, and the move.
    pub example: Option<(G::Position, G::Move)>,
}

/// What came of the questions about the rules, in full.
#[derive(Clone, Debug)]
pub struct RulesReport<G: Notation> {
    /// In short.
    pub verdict: RulesVerdict,
    /// The number of questions.
    pub asked: usize,
    /// Positions with a single legal move.
    pub forced: Topic<G>,
    /// Simple positions that have nothing to do with any topic.
    pub simple: Topic<G>,
    /// The topics for which positions were found.
    pub topics: Vec<Topic<G>>,
    /// Positions that were answered with something other than a legal move.
    pub faults: Vec<(G::Position, Fault)>,
    /// The others, with the moves.
    pub right: Vec<(G::Position, G::Move)>,
    /// All questions were put, or enough of them to see too many faults.
    pub is_complete: bool,
}

/// Asks about the rules; no more after this number of faults.
pub(in crate::check) fn ask_rules<G: Notation>(
    oracle: &dyn Oracle<G>,
    player: &mut dyn Player<G>,
    faults: usize,
    clock: &Clock<'_>,
) -> Result<RulesReport<G>, CheckError> {
    let questions = Questions::choose(oracle)?;
    clock.phase(
        "asking about the rules",
        "positions",
        questions.total() as u64,
    );
    let mut asker = Asker {
        oracle,
        player,
        clock,
        is_complete: true,
        asked: 0,
        most_faults: faults,
        faults: Vec::new(),
        right: Vec::new(),
    };
    let forced = asker.ask("a single legal move", questions.forced.iter())?;
    let simple = asker.ask("simple positions", probes::<G>(&questions.simple))?;
    let names = oracle.game().capabilities().checking.rule_topics();
    let mut topics = Vec::new();
    for (name, [right, wrong]) in names.iter().zip(&questions.topics) {
        let right = asker.ask(name, probes::<G>(right))?;
        let wrong = asker.ask(name, probes::<G>(wrong))?;
        topics.extend(joined(right, wrong, &simple));
    }
    Ok(RulesReport {
        verdict: verdict(&asker, &simple, &topics),
        is_complete: asker.is_complete,
        asked: asker.asked,
        forced,
        simple,
        topics,
        faults: asker.faults,
        right: asker.right,
    })
}

/// Both kinds of questions about one topic together: those in which the moves that have to do with
/// it are right, and those in which they are wrong. Nothing if there were none.
fn joined<G: Notation>(right: Topic<G>, wrong: Topic<G>, simple: &Topic<G>) -> Option<Topic<G>> {
    let (asked, best) = (right.asked + wrong.asked, right.best + wrong.best);
    // A player that knows the rule but doesn't look far ahead finds some of the moves.
    let is_worse = |asked, best| {
        is_able(simple) && 4 * best <= asked && is_unlikely(simple.asked, simple.best, asked, best)
    };
    let suspect = is_worse(asked, best)
        || is_worse(right.asked, right.best)
        || is_worse(wrong.asked, wrong.best);
    (asked > 0).then(|| Topic {
        name: right.name,
        asked,
        best,
        suspect,
        example: right.example.or(wrong.example),
    })
}

/// Whether the AI plays well where no special rule matters.
fn is_able<G: Notation>(simple: &Topic<G>) -> bool {
    simple.asked >= 8 && 4 * simple.best >= 3 * simple.asked
}

fn verdict<G: Notation>(
    asker: &Asker<'_, G>,
    simple: &Topic<G>,
    topics: &[Topic<G>],
) -> RulesVerdict {
    // An AI that crashes, keeps silent or can't be understood hasn't named a wrong move.
    let is_illegal = |(_, fault): &(G::Position, Fault)| fault.kind == FaultKind::Illegal;
    if asker.faults.iter().any(is_illegal) {
        RulesVerdict::Broken
    } else if !asker.faults.is_empty() || !asker.is_complete {
        RulesVerdict::Unclear
    } else if topics.iter().any(|topic| topic.suspect) {
        RulesVerdict::Suspect
    } else if is_able(simple) || topics.is_empty() {
        RulesVerdict::Followed
    } else {
        RulesVerdict::Unclear
    }
}

fn probes<G: Notation>(candidates: &[Candidate<G>]) -> impl Iterator<Item = &Probe<G>> {
    candidates.iter().map(|candidate| &candidate.1)
}

struct Asker<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    player: &'a mut dyn Player<G>,
    clock: &'a Clock<'a>,
    is_complete: bool,
    asked: usize,
    most_faults: usize,
    faults: Vec<(G::Position, Fault)>,
    right: Vec<(G::Position, G::Move)>,
}

impl<G: Notation> Asker<'_, G> {
    fn ask<'p>(
        &mut self,
        name: &str,
        probes: impl Iterator<Item = &'p Probe<G>>,
    ) -> Result<Topic<G>, CheckError> {
        let mut topic = Topic {
            name: name.to_owned(),
            asked: 0,
            best: 0,
            suspect: false,
            example: None,
        };
        for (line, position) in probes {
            if self.faults.len() >= self.most_faults || !self.is_complete {
                break;
            }
            let clock = self.clock;
            let reply = ask_one(self.player, line.as_deref(), position, &|| {
                clock.cancelled()
            });
            let reply = clock.in_time(reply.ok_or(CheckError::Interrupted))?;
            let Some(reply) = reply else {
                self.is_complete = false;
                break;
            };
            self.asked += 1;
            topic.asked += 1;
            clock.advance(1);
            match reply.answer {
                Err(fault) => self.faults.push((position.clone(), fault)),
                Ok(mv) => {
                    self.right.push((position.clone(), mv));
                    let scores = self.oracle.move_scores(position)?;
                    let is_best = best_moves(&scores).any(|best| best == mv);
                    topic.best += usize::from(is_best);
                    if !is_best && topic.example.is_none() {
                        topic.example = Some((position.clone(), mv));
                    }
                }
            }
        }
        Ok(topic)
    }
}
