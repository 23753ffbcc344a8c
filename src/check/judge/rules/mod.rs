//! Questions that distinguish wrong rules from bad play.
//!
//! An illegal move shows wrong rules at once. Some questions therefore have a single legal move.
//!
//! Wrong rules that lead to legal moves show by comparison. The AI is asked in positions in which a
//! certain rule decides, and in simple positions in which no special rule matters. The AI is said
//! to have a rule wrong if all of this holds:
//!
//! * It plays the simple positions well.
//! * It finds best moves in at most a third of the rule's positions.
//! * Chance hardly explains the difference.
//! * It does worse there than in the positions about other rules.
//!
//! An AI that plays both kinds badly is just weak.
//!
//! The game says which position a player expects who doesn't know a rule
//! ([`Checking::play_unaware`]). In the positions asked, the moves that are best under such rules
//! are mistakes under the real ones at two or more of five search depths. Positions with more such
//! depths come first.
//!
//! [`Checking::play_unaware`]: crate::game::Checking::play_unaware

mod choose;
#[cfg(test)]
mod tests;

use super::diagnosis::{Evidence, is_mute};
use super::statistics::chance_of;
use crate::check::contenders::{Fault, FaultKind, Player, ask_one};
use crate::check::error::CheckError;
use crate::game::{CancelScope, Notation, Progress, best_moves};
use crate::oracle::Oracle;
use choose::{Candidate, Questions};
use serde::Serialize;

/// Verdict on the AI's knowledge of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RulesVerdict {
    /// No answer suggests a wrong rule.
    Followed,
    /// The AI answered with an illegal move.
    Broken,
    /// The AI plays well in simple positions, but not where a certain rule matters.
    Suspect,
    /// The AI didn't always answer, or plays too badly to tell.
    ///
    /// If it plays even simple positions badly, only illegal moves would show wrong rules.
    Unclear,
}

/// Results of the questions about one rule.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub(in crate::check) struct TopicReport {
    /// The rule.
    pub topic: String,
    /// The number of positions asked.
    pub asked: usize,
    /// The number of positions answered with a best move.
    pub best: usize,
    /// Whether the AI seems to have this rule wrong.
    pub suspect: bool,
    /// A position with an answer that was not a best move, if there was one.
    pub example: Option<(String, String)>,
}

/// Results of the questions about the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct RulesSummary {
    /// Whether the AI knows the rule, as far as its answers show.
    pub verdict: RulesVerdict,
    /// The number of positions asked.
    pub asked: usize,
    /// The questions with a single legal move.
    pub(in crate::check) forced: TopicReport,
    /// The simple positions, in which no special rule matters.
    pub(in crate::check) simple: TopicReport,
    /// The results by rule, including rules without a question.
    pub(in crate::check) topics: Vec<TopicReport>,
    /// Whether the time was up before all questions were asked.
    #[serde(skip)]
    pub is_cut: bool,
}

/// Results of the questions about the rules, with all answers.
pub(in crate::check) struct RulesReport<G: Notation> {
    pub summary: RulesSummary,
    /// The faults, with their positions.
    pub faults: Vec<(G::Position, Fault)>,
    /// The legal answers, with their positions.
    pub right: Vec<(G::Position, G::Move)>,
    /// Whether timeouts with one cause keep coming, so that nothing more is asked.
    pub is_mute: bool,
}

/// Asks the questions about the rules; it stops after `faults` faults.
///
/// `from_table` says whether to ask also in positions of the oracle's table that no game has led to.
pub(in crate::check) fn ask_rules<G: Notation>(
    oracle: &dyn Oracle<G>,
    player: &mut dyn Player<G>,
    from_table: bool,
    faults: usize,
    clock: &CancelScope<'_>,
) -> Result<RulesReport<G>, CheckError> {
    let questions = Questions::choose(oracle, from_table, clock)?;
    clock.phase(
        "asking about the rules",
        "positions",
        questions.total() as u64,
    );
    let mut interview = RulesInterview {
        oracle,
        player,
        clock,
        is_complete: true,
        most_faults: faults,
        faults: Vec::new(),
        right: Vec::new(),
    };
    let forced = interview.ask("a single legal move", &questions.forced)?;
    let simple = interview.ask("simple positions", &questions.simple)?;
    let names = oracle.game().capabilities().checking.rule_topics();
    let mut topics = Vec::new();
    for (name, candidates) in names.iter().zip(&questions.topics) {
        let mut topic = interview.ask(name, candidates)?;
        topic.suspect = is_suspect(&topic, &simple);
        topics.push(topic);
    }
    let is_weak = keep_worst(&mut topics, &simple);
    Ok(RulesReport {
        is_mute: interview.is_mute(),
        summary: RulesSummary {
            verdict: verdict(&interview, &simple, &topics, is_weak),
            asked: interview.faults.len() + interview.right.len(),
            forced,
            simple,
            topics,
            is_cut: !interview.is_complete,
        },
        faults: interview.faults,
        right: interview.right,
    })
}

/// The least number of questions about a rule from which a suspicion may follow.
const FEWEST: usize = 5;

/// Returns whether the AI plays a rule's positions badly, and worse than simple ones.
fn is_suspect(topic: &TopicReport, simple: &TopicReport) -> bool {
    // A player that knows the rule but doesn't look far ahead still finds some of the moves. Few
    // questions show nothing: a weak player may fail all of them.
    topic.asked >= FEWEST && 3 * topic.best <= topic.asked && is_worse(simple, topic)
}

/// Returns whether an able AI finds fewer best moves than chance explains.
fn is_worse(simple: &TopicReport, topic: &TopicReport) -> bool {
    is_able(simple) && chance_of(simple.asked, simple.best, topic.asked, topic.best) < 0.001
}

/// Drops suspicions unless the AI also plays worse than with other rules.
///
/// A weak player finds all of them hard. Returns whether the AI does worse with any rule than in
/// simple positions.
fn keep_worst(topics: &mut [TopicReport], simple: &TopicReport) -> bool {
    let asked: usize = topics.iter().map(|topic| topic.asked).sum();
    let best: usize = topics.iter().map(|topic| topic.best).sum();
    let is_weak = topics.iter().any(|of| of.suspect || is_worse(simple, of));
    for topic in topics.iter_mut().filter(|topic| topic.suspect) {
        let (others, good) = (asked - topic.asked, best - topic.best);
        topic.suspect = others < 8 || chance_of(others, good, topic.asked, topic.best) < 0.05;
    }
    is_weak
}

/// Returns whether the AI plays simple positions well enough to judge the rest.
fn is_able(simple: &TopicReport) -> bool {
    simple.asked >= 8 && 4 * simple.best >= 3 * simple.asked
}

fn verdict<G: Notation>(
    interview: &RulesInterview<'_, G>,
    simple: &TopicReport,
    topics: &[TopicReport],
    is_weak: bool,
) -> RulesVerdict {
    // An AI that crashes, doesn't answer or writes malformed output hasn't named an illegal move.
    let is_illegal = |(_, fault): &(G::Position, Fault)| fault.kind == FaultKind::Illegal;
    if interview.faults.iter().any(is_illegal) {
        RulesVerdict::Broken
    } else if !interview.faults.is_empty() || !interview.is_complete {
        RulesVerdict::Unclear
    } else if topics.iter().any(|topic| topic.suspect) {
        RulesVerdict::Suspect
    } else if !is_weak && (is_able(simple) || topics.iter().all(|topic| topic.asked == 0)) {
        RulesVerdict::Followed
    } else {
        RulesVerdict::Unclear
    }
}

/// Questions about the rules in progress.
struct RulesInterview<'a, G: Notation> {
    oracle: &'a dyn Oracle<G>,
    player: &'a mut dyn Player<G>,
    clock: &'a CancelScope<'a>,
    is_complete: bool,
    most_faults: usize,
    faults: Vec<(G::Position, Fault)>,
    right: Vec<(G::Position, G::Move)>,
}

impl<G: Notation> RulesInterview<'_, G> {
    /// Returns whether the AI only times out, so that more questions would waste time.
    fn is_mute(&self) -> bool {
        is_mute(&Evidence {
            game: self.oracle.game(),
            faults: &self.faults,
            right: self.right.iter().collect(),
            command: None,
        })
    }

    /// Asks the questions about one topic and counts the best moves.
    fn ask(&mut self, name: &str, candidates: &[Candidate<G>]) -> Result<TopicReport, CheckError> {
        let mut topic = TopicReport {
            topic: name.to_owned(),
            ..TopicReport::default()
        };
        for (_, (line, position)) in candidates {
            if self.faults.len() >= self.most_faults || !self.is_complete || self.is_mute() {
                break;
            }
            let clock = self.clock;
            let Some(reply) = ask_one(self.player, line.as_deref(), position, clock) else {
                if !clock.is_past_deadline() {
                    return Err(CheckError::Interrupted);
                }
                self.is_complete = false;
                break;
            };
            topic.asked += 1;
            clock.advance(1);
            match reply {
                Err(fault) => self.faults.push((position.clone(), fault)),
                Ok(mv) => {
                    self.right.push((position.clone(), mv));
                    let scores = self.oracle.move_scores(position)?;
                    let is_best = best_moves(&scores).any(|best| best == mv);
                    topic.best += usize::from(is_best);
                    if !is_best && topic.example.is_none() {
                        let game = self.oracle.game();
                        let position = game.format_position(position);
                        topic.example = Some((position, game.format_move(mv)));
                    }
                }
            }
        }
        Ok(topic)
    }
}
