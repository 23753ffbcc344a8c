//! Does the AI know the rules? Questions that tell wrong rules from bad play.
//!
//! A move that the rules don't allow, where only one is legal or elsewhere, shows wrong rules at
//! once. Rules that are wrong but lead to legal moves show in comparison: the AI is asked in simple
//! positions in which knowing a certain rule makes the difference, and in simple positions that
//! have nothing to do with any such rule. An AI that plays the latter well and of the former at
//! most a quarter, more seldom than chance explains, is said to have that rule wrong; one that
//! plays both badly is just weak.
//!
//! Where the game says what a player expects who doesn't know a rule ([`Game::play_unaware`]), only
//! those positions are asked in which every move that is best by such rules is a mistake by the
//! real ones.

use super::CheckError;
use super::ai::{Fault, FaultKind, Player, Round, ask_one};
use crate::game::{Game, Notation, Progress, Roots, best_moves};
use crate::random::Random;
use crate::search::{Algorithm, Search};
use crate::table::{Table, random_entry};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;

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
    /// How many were asked.
    pub asked: usize,
    /// How many were answered with a best move.
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
    /// How many questions.
    pub asked: usize,
    /// Positions with a single legal move.
    pub forced: Topic<G>,
    /// Simple positions that have nothing to do with any topic.
    pub simple: Topic<G>,
    /// The topics for which positions were found.
    pub topics: Vec<Topic<G>>,
    /// Positions that were answered with something else than a legal move.
    pub faults: Vec<(G::Position, Fault)>,
}

/// A position with the moves that lead to it from the start, if there is a start.
type Probe<G> = (Option<Vec<<G as Game>::Move>>, <G as Game>::Position);

/// A candidate, and how many points are between right and wrong: the fewer, the more it takes to
/// know.
type Candidate<G> = (i32, Probe<G>);

/// The questions, chosen from the game's own lines of play.
struct Questions<G: Notation> {
    forced: Vec<Probe<G>>,
    simple: Vec<Candidate<G>>,
    /// For each topic: positions in which the moves that have to do with it are right, and in which
    /// they are wrong; or, where the game says what a player expects who doesn't know the rule,
    /// first all those in which that misleads.
    topics: Vec<[Vec<Candidate<G>>; 2]>,
    /// Of which topics the game says what a player expects who doesn't know the rule.
    misleading: Vec<bool>,
}

const FORCED: usize = 16;
const SIMPLE: usize = 24;
const A_TOPIC: usize = 16;
const PLAYOUTS: usize = 6000;

/// Searches that look ahead so many moves, or fewer, must find the answers to questions about
/// special rules.
const FAIR_DEPTH: u32 = 5;

/// Of so many times as many candidates the questions are taken.
const CHOICE: usize = 4;

/// Positions that are not simple come after all that are.
const NOT_SIMPLE: i32 = 1_000_000;

/// A position is simple if so few positions come after it that any search sees them all.
const SIMPLE_NODES: usize = 300;

/// What a player who doesn't know a rule sees in a simple position can be more, but not more than
/// this.
const UNAWARE_NODES: usize = 20 * SIMPLE_NODES;

/// Asks about the rules.
pub(super) fn ask_rules<G: Notation>(
    table: &Table<G>,
    player: &mut dyn Player<G>,
    faults: usize,
    progress: &dyn Progress,
) -> Result<RulesReport<G>, CheckError> {
    let game = table.game();
    let questions = choose(table)?;
    let topics = questions.topics.iter().flatten();
    let total =
        questions.forced.len() + questions.simple.len() + topics.map(Vec::len).sum::<usize>();
    progress.phase("asking about the rules", "positions", total as u64);
    let mut asker = Asker {
        table,
        player,
        progress,
        asked: 0,
        most_faults: faults,
        faults: Vec::new(),
    };
    let forced = asker.ask("a single legal move", questions.forced.iter())?;
    let simple = asker.ask("simple positions", probes::<G>(&questions.simple))?;
    let mut topics = Vec::new();
    // Whether it plays well where no rule of these matters.
    let is_able = simple.asked >= 8 && 4 * simple.best >= 3 * simple.asked;
    for (name, [right, wrong]) in game
        .capabilities()
        .checking
        .rule_topics()
        .iter()
        .zip(&questions.topics)
    {
        let right = asker.ask(name, probes::<G>(right))?;
        let wrong = asker.ask(name, probes::<G>(wrong))?;
        let (asked, best) = (right.asked + wrong.asked, right.best + wrong.best);
        // Who knows the rule but doesn't look far ahead finds some of the moves.
        let is_worse = |asked, best| {
            is_able && 4 * best <= asked && is_unlikely(simple.asked, simple.best, asked, best)
        };
        if asked > 0 {
            topics.push(Topic {
                name: (*name).to_owned(),
                asked,
                best,
                suspect: is_worse(asked, best)
                    || is_worse(right.asked, right.best)
                    || is_worse(wrong.asked, wrong.best),
                example: right.example.or(wrong.example),
            });
        }
    }
    // Who crashes, keeps silent or can't be understood hasn't named a wrong move.
    let is_illegal = |(_, fault): &(G::Position, Fault)| fault.kind == FaultKind::Illegal;
    let verdict = if asker.faults.iter().any(is_illegal) {
        RulesVerdict::Broken
    } else if !asker.faults.is_empty() {
        RulesVerdict::Unclear
    } else if topics.iter().any(|topic| topic.suspect) {
        RulesVerdict::Suspect
    } else if is_able || topics.is_empty() {
        RulesVerdict::Followed
    } else {
        RulesVerdict::Unclear
    };
    Ok(RulesReport {
        verdict,
        asked: asker.asked,
        forced,
        simple,
        topics,
        faults: asker.faults,
    })
}

fn probes<G: Notation>(candidates: &[Candidate<G>]) -> impl Iterator<Item = &Probe<G>> {
    candidates.iter().map(|candidate| &candidate.1)
}

struct Asker<'a, G: Notation> {
    table: &'a Table<G>,
    player: &'a mut dyn Player<G>,
    progress: &'a dyn Progress,
    asked: usize,
    most_faults: usize,
    faults: Vec<(G::Position, Fault)>,
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
            if self.faults.len() >= self.most_faults {
                break;
            }
            let progress = self.progress;
            let round = Round {
                faults: 1,
                stop: &|| progress.cancelled(),
            };
            let reply = ask_one(self.player, line.as_deref(), position, &round)?;
            self.asked += 1;
            topic.asked += 1;
            progress.advance(1);
            match reply.answer {
                Err(fault) => self.faults.push((position.clone(), fault)),
                Ok(mv) => {
                    let scores = self.table.play_scores(position)?;
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

/// Whether `hits` of `asked` are so few, beside `good` of `simple`, that this happens by chance
/// less than once in a thousand times: Fisher's exact test, one-sided.
fn is_unlikely(simple: usize, good: usize, asked: usize, hits: usize) -> bool {
    let all = simple + asked;
    let all_hits = good + hits;
    // ln of n over k.
    let choose = |n: usize, k: usize| -> f64 {
        (0..k).map(|i| ((n - i) as f64 / (k - i) as f64).ln()).sum()
    };
    let chance: f64 = (0..=hits)
        .filter(|&hits| all_hits - hits <= simple && hits <= asked)
        .map(|hits| {
            (choose(asked, hits) + choose(simple, all_hits - hits) - choose(all, all_hits)).exp()
        })
        .sum();
    asked > 0 && chance < 0.001
}

/// Plays games of several kinds and picks positions from them.
fn choose<G: Notation>(table: &Table<G>) -> Result<Questions<G>, CheckError> {
    let game = table.game();
    let start = game.start();
    let first = game.legal_moves(&start).first().copied();
    let topics = game.capabilities().checking.rule_topics().len();
    let can_say = |topic| {
        first.is_some_and(|mv| {
            game.capabilities()
                .checking
                .play_unaware(&start, mv, topic)
                .is_some()
        })
    };
    let mut questions = Questions {
        misleading: (0..topics).map(can_say).collect(),
        forced: Vec::new(),
        simple: Vec::new(),
        topics: vec![[Vec::new(), Vec::new()]; topics],
    };
    // The same questions for every AI.
    let mut random = Random::new(0x5EED);
    let mut known = FxHashSet::default();
    for playout in 0..PLAYOUTS {
        if questions.are_complete() {
            break;
        }
        let mut position = match game.capabilities().solving.roots() {
            Roots::Start => game.start(),
            Roots::Everywhere => loop {
                if let Some(entry) = random_entry(table, |below| random.below(below))? {
                    break entry.0;
                }
            },
        };
        let mut line = Vec::new();
        while game.final_score(&position).is_none() {
            let moves = game.legal_moves(&position);
            if known.insert(position.clone()) {
                let way =
                    (game.capabilities().solving.roots() == Roots::Start).then(|| line.clone());
                questions.consider(table, &position, &moves, way)?;
            }
            // Plain random play seldom comes to crowded pits and lopsided boards.
            let mv = match playout % 3 {
                0 if random.below(8) > 0 => moves[moves.len() - 1],
                1 if random.below(8) > 0 => moves[0],
                _ => moves[random.index(moves.len())],
            };
            line.push(mv);
            position = game.play(&position, mv);
        }
    }
    closest(&mut questions.simple, SIMPLE);
    for candidates in questions.topics.iter_mut().flatten() {
        closest(candidates, A_TOPIC);
    }
    Ok(questions)
}

/// Keeps the candidates with the fewest points between right and wrong; of equals those that came
/// first.
fn closest<T>(candidates: &mut Vec<(i32, T)>, count: usize) {
    candidates.sort_by_key(|candidate| candidate.0);
    candidates.truncate(count);
}

impl<G: Notation> Questions<G> {
    fn are_complete(&self) -> bool {
        self.forced.len() == FORCED
            && self.simple.len() == CHOICE * SIMPLE
            && self
                .topics
                .iter()
                .flatten()
                .all(|probes| probes.len() == CHOICE * A_TOPIC)
    }

    fn consider(
        &mut self,
        table: &Table<G>,
        position: &G::Position,
        moves: &[G::Move],
        way: Option<Vec<G::Move>>,
    ) -> Result<(), CheckError> {
        let game = table.game();
        if let [only] = moves {
            // Not all of them with the same move.
            let alike = self
                .forced
                .iter()
                .filter(|(_, other)| game.legal_moves(other).first() == Some(only))
                .count();
            if self.forced.len() < FORCED && alike < 3 {
                self.forced.push((way, position.clone()));
            }
            return Ok(());
        }
        let topics: Vec<u32> = moves
            .iter()
            .map(|&mv| game.capabilities().checking.topics_of_move(position, mv))
            .collect();
        let any = topics.iter().fold(0, |any, topics| any | topics);
        let all = topics.iter().fold(!0, |all, topics| all & topics);
        // Topics that some of the moves have to do with and others don't.
        let differing = any & !all;
        let is_full = |topic: usize, at: usize| self.topics[topic][at].len() >= CHOICE * A_TOPIC;
        let (misleading, compared): (Vec<usize>, Vec<usize>) =
            (0..self.topics.len()).partition(|&topic| self.misleading[topic]);
        let compared: Vec<usize> = compared
            .into_iter()
            .filter(|&topic| differing >> topic & 1 == 1)
            .filter(|&topic| !is_full(topic, 0) || !is_full(topic, 1))
            .collect();
        let is_simple = has_at_most(game, position, SIMPLE_NODES);
        let as_simple = is_simple && any == 0 && self.simple.len() < CHOICE * SIMPLE;
        // What who doesn't know a rule thinks best, for each of the rules.
        let thought_best: Vec<(usize, Vec<G::Move>)> = misleading
            .into_iter()
            .filter(|&topic| as_simple || is_simple && !is_full(topic, 0))
            .filter_map(|topic| Some((topic, unaware_best(game, position, moves, topic)?)))
            .collect();
        if compared.is_empty() && thought_best.is_empty() && !as_simple {
            return Ok(());
        }
        let scores = table.play_scores(position)?;
        let score_of = |mv| {
            let found = scores.iter().find(|(other, _)| *other == mv);
            found.map_or(0, |&(_, score)| score)
        };
        let top = scores[0].1;
        let is_best = |mv| score_of(mv) == top;
        let probe = || (way.clone(), position.clone());
        let second = scores.iter().find(|&&(_, score)| score != top);
        let all_agree = |thought: &[G::Move]| thought.iter().all(|&mv| score_of(mv) == top);
        if let Some(&(_, second)) = second
            && as_simple
            && thought_best.iter().all(|(_, thought)| all_agree(thought))
        {
            self.simple.push((top - second, probe()));
        }
        let is_fair = OnceCell::new();
        let is_fair = || *is_fair.get_or_init(|| any_depth_finds(game, position, &is_best));
        for (topic, thought) in thought_best {
            let most = thought.into_iter().map(score_of).max().unwrap_or(top);
            let probes = &mut self.topics[topic][0];
            if most < top && probes.len() < CHOICE * A_TOPIC && is_fair() {
                probes.push((top - most, probe()));
            }
        }
        for topic in compared {
            let best = |with: bool| {
                let of_kind = moves
                    .iter()
                    .zip(&topics)
                    .filter(|(_, topics)| (*topics >> topic & 1 == 1) == with);
                of_kind.map(|(&mv, _)| score_of(mv)).max()
            };
            let (Some(with), Some(without)) = (best(true), best(false)) else {
                continue;
            };
            let is_telling =
                is_simple || with > without && is_plain(game, position, moves, with, score_of);
            let probes = &mut self.topics[topic][usize::from(with < without)];
            if with != without && is_telling && probes.len() < CHOICE * A_TOPIC && is_fair() {
                let gap = (with - without).abs() + if is_simple { 0 } else { NOT_SIMPLE };
                probes.push((gap, probe()));
            }
        }
        Ok(())
    }
}

/// The moves that are best for who doesn't know the rule of a topic; nothing if the game can't say,
/// or too many positions follow.
fn unaware_best<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    topic: usize,
) -> Option<Vec<G::Move>> {
    let mut left = UNAWARE_NODES;
    let scores: Vec<i32> = moves
        .iter()
        .map(|&mv| unaware_score(game, position, mv, topic, &mut left))
        .collect::<Option<_>>()?;
    let most = scores.iter().max();
    let pairs = moves.iter().zip(&scores);
    Some(
        pairs
            .filter(|&(_, score)| Some(score) == most)
            .map(|(&mv, _)| mv)
            .collect(),
    )
}

/// A move's score, seen from who makes it, by rules without that of a topic; nothing if that takes
/// too many positions.
fn unaware_score<G: Notation>(
    game: &G,
    position: &G::Position,
    mv: G::Move,
    topic: usize,
    left: &mut usize,
) -> Option<i32> {
    *left = left.checked_sub(1)?;
    let child = game
        .capabilities()
        .checking
        .play_unaware(position, mv, topic)?;
    let score = match game.final_score(&child) {
        Some(score) => score,
        None => {
            let mut best = i32::MIN;
            for reply in game.legal_moves(&child) {
                best = best.max(unaware_score(game, &child, reply, topic, left)?);
            }
            best
        }
    };
    Some(game.seen_from(game.side_to_move(position), &child, score))
}

/// Whether a search that knows the rules finds the best moves however many moves it looks ahead:
/// only then does another answer say something about the rules.
fn any_depth_finds<G: Notation>(
    game: &G,
    position: &G::Position,
    is_best: &dyn Fn(G::Move) -> bool,
) -> bool {
    (1..=FAIR_DEPTH).all(|depth| {
        let mut search = Search::new(game).to_depth(depth, |_, _| 0);
        // Nothing asks it to stop.
        search
            .play_scores(Algorithm::AlphaBeta, position)
            .is_ok_and(|scores| best_moves(&scores).all(is_best))
    })
}

/// Whether it is plain at first sight that the moves that gain most, and only those with this
/// score, are right.
fn is_plain<G: Notation>(
    game: &G,
    position: &G::Position,
    moves: &[G::Move],
    best: i32,
    score_of: impl Fn(G::Move) -> i32,
) -> bool {
    let gain = |mv: G::Move| {
        let child = game.play(position, mv);
        super::builtin::evaluate(game, &child, game.side_to_move(position))
    };
    let most = moves.iter().map(|&mv| gain(mv)).max();
    moves
        .iter()
        .all(|&mv| Some(gain(mv)) < most || score_of(mv) == best)
}

/// Whether a position and all lines from it are at most so many positions, counted as often as they
/// come up.
fn has_at_most<G: Notation>(game: &G, position: &G::Position, most: usize) -> bool {
    fn count<G: Notation>(game: &G, position: &G::Position, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        game.legal_moves(position)
            .into_iter()
            .all(|mv| count(game, &game.play(position, mv), left))
    }
    count(game, position, &mut { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_computed_exactly() {
        // 24 of 24 beside 3 of 6: (choose(6,3) * choose(24,24)) / choose(30,27) + fewer, which
        // can't be = 20 / 4060.
        assert!(!is_unlikely(24, 24, 6, 3));
        // 24 of 24 beside 0 of 3: 1 / choose(27,3) = 1 / 2925.
        assert!(is_unlikely(24, 24, 3, 0));
        assert!(!is_unlikely(24, 24, 2, 0));
        assert!(!is_unlikely(24, 24, 12, 12));
        assert!(!is_unlikely(24, 24, 0, 0));
        assert!(!is_unlikely(24, 3, 12, 1));
        assert!(is_unlikely(24, 23, 12, 4));
    }
}
