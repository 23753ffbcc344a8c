//! What came of a check.

use super::refutation::Line;
use super::rules::{RulesReport, RulesVerdict, Topic};
use super::statistics::{Estimate, stratified, wilson};
use super::tally::{Case, FaultCounts, LayerTally, Mistakes, Tally, Times};
use super::{CheckOptions, Coverage, Fault, Scope, strata};
#[cfg(feature = "cli")]
use crate::game::Marks;
use crate::game::{Notation, Outcome, Side, best_moves};
use crate::table::{ProbeError, Table};
use crate::text::count;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer to the question that was put.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No mistake and no fault in what was asked.
    Perfect,
    /// At least one mistake, but no fault.
    Imperfect,
    /// At least one fault.
    Faulty,
}

impl Verdict {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Perfect => "perfect",
            Verdict::Imperfect => "imperfect",
            Verdict::Faulty => "faulty",
        }
    }
}

/// One mistake. Scores are seen from who made it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MistakeReport {
    /// The position.
    pub position: String,
    /// The move that the AI made.
    #[serde(rename = "move")]
    pub mv: String,
    /// The best moves.
    pub best: Vec<String>,
    /// The points lost.
    pub lost: i32,
    /// The score that could have been had.
    pub due: i32,
    /// The score after the move.
    pub after: i32,
    /// The board as text.
    #[serde(skip)]
    pub board: String,
    /// The board as an SVG element, with the moves marked.
    #[cfg(feature = "cli")]
    #[serde(skip)]
    pub drawing: String,
}

impl MistakeReport {
    /// From which outcome to which, if it changed: "win to loss".
    #[must_use]
    pub fn outcomes(&self) -> Option<String> {
        let (due, after) = (Outcome::of(self.due), Outcome::of(self.after));
        (after < due).then(|| format!("{due} to {after}"))
    }
}

/// One fault.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultReport {
    /// `illegal`, `timeout`, `crash` or `garbled`.
    pub kind: String,
    /// The position that caused it.
    pub position: String,
    /// What happened, as the end of a sentence that begins with "the AI".
    pub detail: String,
    /// The last of what the AI wrote to its standard error.
    pub stderr: String,
}

/// One move of a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Step {
    /// Whose move it is.
    pub side: String,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The position before it.
    pub position: String,
    /// The board before it as an SVG element, with the move marked.
    #[cfg(feature = "cli")]
    #[serde(skip)]
    pub drawing: String,
}

/// A complete line that shows how a mistake is punished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LineReport {
    /// Whether it begins at the start of the game; else it begins at the mistake.
    pub from_start: bool,
    /// The moves.
    pub steps: Vec<Step>,
    /// Which step is the mistake, counted from 0.
    pub mistake: usize,
    /// The side that the AI plays.
    pub side: String,
    /// The score that it could have got from the mistake's position on.
    pub due: i32,
    /// The score in the end.
    pub score: i32,
    /// The position in the end.
    pub end: String,
    /// The board in the end as an SVG element.
    #[cfg(feature = "cli")]
    #[serde(skip)]
    pub drawing: String,
}

/// What came of the questions about one rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TopicReport {
    /// The rule.
    pub topic: String,
    /// Positions asked.
    pub asked: usize,
    /// Answered with a best move.
    pub best: usize,
    /// Whether the AI has this rule wrong, it seems.
    pub suspect: bool,
    /// A position with the move that was answered, if some answer was not a best move.
    pub example: Option<(String, String)>,
}

/// What came of the questions about the rules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RulesSummary {
    /// `followed`, `broken`, `suspect` or `unclear`.
    pub verdict: String,
    /// Positions asked.
    pub asked: usize,
    /// Positions with a single legal move.
    pub forced: TopicReport,
    /// Simple positions that no special rule matters in.
    pub simple: TopicReport,
    /// By rule.
    pub topics: Vec<TopicReport>,
}

/// Estimates of the true rates, from a sample.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Estimates {
    /// Of moves than which none is better.
    pub perfect_moves: Estimate,
    /// Of moves that keep the outcome.
    pub good_moves: Estimate,
    /// How they were made.
    pub method: &'static str,
}

/// The counts of a layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct LayerReport {
    /// The layer.
    #[serde(rename = "stage")]
    pub layer: u32,
    /// What was counted.
    #[serde(flatten)]
    pub tally: LayerTally,
}

/// How long the AI's moves took, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct TimeReport {
    /// On average.
    pub mean: f64,
    /// Half of the moves took at most this, within a quarter.
    pub median: f64,
    /// 95 of 100 moves took at most this, within a quarter.
    pub p95: f64,
    /// The longest.
    pub longest: f64,
}

/// All that came of a check. Serialises to the JSON that `check-ai --json` prints.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// `all` or `play`.
    pub scope: &'static str,
    /// `score` or `outcome`.
    pub standard: &'static str,
    /// Positions asked, those about the rules not counted.
    pub asked: u64,
    /// The share of the positions in question that were asked, 0 to 1.
    pub covered: f64,
    /// Moves than which none is better.
    pub perfect_moves: u64,
    /// Moves that keep the outcome.
    pub good_moves: u64,
    /// Mistakes by what they cost.
    pub mistakes: Mistakes,
    /// Points lost by all moves together.
    pub score_lost: u64,
    /// Faults by kind, those in questions about the rules included.
    pub faults: FaultCounts,
    /// The worst mistakes, at most ten, worst first.
    pub worst: Vec<MistakeReport>,
    /// The moves of a complete line that shows how a mistake is punished; empty if there is none.
    pub refutation: Vec<String>,
    /// The same line with all that goes with it.
    pub refutation_line: Option<LineReport>,
    /// The game's name.
    pub game: String,
    /// The AI, as it was named to the checker.
    pub ai: String,
    /// What was asked, in a sentence.
    pub coverage: String,
    /// In [`Scope::Play`]: positions that were come to but not asked, because of the limit.
    pub left_out: u64,
    /// Whether faults ended the check early.
    pub stopped_early: bool,
    /// Where a sample was asked: estimates of the true rates, with 95% confidence.
    pub estimates: Option<Estimates>,
    /// Does it know the rules?
    pub rules: RulesSummary,
    /// The faults.
    pub fault_list: Vec<FaultReport>,
    /// What layers count: "seeds on the board".
    #[serde(rename = "stage_name")]
    pub layer_name: &'static str,
    /// By layer of the game.
    #[serde(rename = "by_stage")]
    pub by_layer: Vec<LayerReport>,
    /// Mistakes by the points that they lost.
    pub by_loss: BTreeMap<i32, u64>,
    /// How long the moves took.
    pub seconds: TimeReport,
}

/// What was asked of what could have been.
pub(super) struct Covered {
    share: f64,
    sentence: String,
    left_out: u64,
    estimates: Option<Estimates>,
    stopped_early: bool,
}

const WILSON: &str = "Wilson's score interval, 95%";
const STRATIFIED: &str =
    "rates of the layers weighed by their classes, Wilson's score intervals combined by MOVER, 95%";

impl Covered {
    /// Says what was covered; `total` is how many positions there are, if known.
    pub fn new<G: Notation>(
        table: &Table<G>,
        options: &CheckOptions,
        total: Option<u64>,
        left_out: u64,
        tally: &Tally<G>,
        stopped_early: bool,
    ) -> Covered {
        let (asked, classes) = (tally.asked, table.file().entries());
        let game = table.game();
        let share = |of: u64| (asked as f64 / of.max(1) as f64).min(1.0);
        let all = if stopped_early {
            "a part of all"
        } else {
            "all"
        };
        let mut estimates = None;
        let (share, sentence) = match (options.scope, options.coverage, total) {
            (Scope::Play, _, _) => {
                let who = options
                    .side
                    .map_or("either side".to_owned(), |side| format!("the {side} side"));
                let rest = match left_out {
                    0 => String::new(),
                    left => {
                        let left = count(left);
                        format!("; {left} more were come to but left out, and what follows them")
                    }
                };
                let every = if stopped_early {
                    "the first lines"
                } else {
                    "every line"
                };
                let sentence = format!("{every} with the AI playing {who}{rest}");
                (share(asked + left_out), sentence)
            }
            (_, Coverage::Every, Some(total))
                if game.capabilities().solving.roots() == crate::game::Roots::Start =>
            {
                (
                    share(total),
                    format!("{all} {} reachable positions", count(total)),
                )
            }
            (_, Coverage::Sample { seed, by_layer, .. }, _) => {
                estimates = estimate(table, tally, by_layer);
                let how = if by_layer {
                    format!("even over the {}", game.layer_name())
                } else {
                    format!("uniform over {} classes", count(classes))
                };
                let sentence =
                    format!("a random sample of reachable positions, {how} (seed {seed})");
                // Draws are with replacement.
                let missed = (-1.0 / classes.max(1) as f64).ln_1p() * asked as f64;
                (-missed.exp_m1(), sentence)
            }
            (_, _, _) => (
                share(classes),
                format!(
                    "{all} canonical positions, one of each of {} classes",
                    count(classes)
                ),
            ),
        };
        Covered {
            share,
            sentence,
            left_out,
            estimates,
            stopped_early,
        }
    }
}

fn estimate<G: Notation>(table: &Table<G>, tally: &Tally<G>, by_layer: bool) -> Option<Estimates> {
    if tally.asked == 0 {
        return None;
    }
    Some(if by_layer {
        Estimates {
            perfect_moves: stratified(&strata(table, tally, |layer| layer.perfect_moves))?,
            good_moves: stratified(&strata(table, tally, |layer| layer.good_moves))?,
            method: STRATIFIED,
        }
    } else {
        Estimates {
            perfect_moves: wilson(tally.perfect_moves, tally.asked),
            good_moves: wilson(tally.good_moves, tally.asked),
            method: WILSON,
        }
    })
}

pub(super) fn build<G: Notation>(
    table: &Table<G>,
    options: &CheckOptions,
    tally: &Tally<G>,
    rules: &RulesReport<G>,
    line: Option<Line<G>>,
    covered: Covered,
) -> Result<Report, ProbeError> {
    let game = table.game();
    let mut fault_list: Vec<FaultReport> = Vec::new();
    let mut faults = FaultCounts::default();
    let asked_of_rules = rules
        .faults
        .iter()
        .map(|(position, fault)| (position, fault));
    let asked_of_play = tally.faults.iter().filter_map(|case| {
        let fault = case.judged.answer.as_ref().err()?;
        Some((&case.position, &**fault))
    });
    for (position, fault) in asked_of_rules.chain(asked_of_play) {
        let report = fault_report(game, position, fault);
        // The same position may have been asked about the rules and again for its move.
        let is_known = fault_list
            .iter()
            .any(|other| other.position == report.position && other.kind == report.kind);
        if !is_known {
            faults.add(fault.kind);
            fault_list.push(report);
        }
    }
    let worst = tally.worst.iter().map(|case| mistake(table, case));
    let refutation_line = line.map(|line| line_report(game, &line));
    Ok(Report {
        verdict: if faults.total() > 0 {
            Verdict::Faulty
        } else if tally.mistakes.total > 0 {
            Verdict::Imperfect
        } else {
            Verdict::Perfect
        },
        scope: options.scope.name(),
        standard: options.standard.name(),
        asked: tally.asked,
        covered: covered.share,
        perfect_moves: tally.perfect_moves,
        good_moves: tally.good_moves,
        mistakes: tally.mistakes,
        score_lost: tally.score_lost,
        faults,
        worst: worst.collect::<Result<_, _>>()?,
        refutation: refutation_line
            .iter()
            .flat_map(|line| line.steps.iter().map(|step| step.mv.clone()))
            .collect(),
        refutation_line,
        game: game.name(),
        ai: String::new(),
        coverage: covered.sentence,
        left_out: covered.left_out,
        stopped_early: covered.stopped_early,
        estimates: covered.estimates,
        rules: RulesSummary {
            verdict: rules.verdict.name().to_owned(),
            asked: rules.asked,
            forced: topic(game, &rules.forced),
            simple: topic(game, &rules.simple),
            topics: rules.topics.iter().map(|of| topic(game, of)).collect(),
        },
        fault_list,
        layer_name: game.layer_name(),
        by_layer: tally
            .layers
            .iter()
            .map(|(&layer, &tally)| LayerReport { layer, tally })
            .collect(),
        by_loss: tally.by_loss.clone(),
        seconds: times(&tally.times),
    })
}

impl Report {
    /// The share of moves than which none is better, of those asked; 0 if nothing was asked.
    #[must_use]
    pub fn perfect_rate(&self) -> f64 {
        self.perfect_moves as f64 / self.asked.max(1) as f64
    }

    /// The share of moves that keep the outcome, of those asked; 0 if nothing was asked.
    #[must_use]
    pub fn good_rate(&self) -> f64 {
        self.good_moves as f64 / self.asked.max(1) as f64
    }

    /// What came of the questions about the rules, in a sentence.
    #[must_use]
    pub fn rules_sentence(&self) -> String {
        let rules = &self.rules;
        let suspects: Vec<&str> = rules
            .topics
            .iter()
            .filter(|topic| topic.suspect)
            .map(|topic| topic.topic.as_str())
            .collect();
        match rules.verdict.as_str() {
            name if name == RulesVerdict::Broken.name() => {
                "wrong rules: not all questions about the rules were answered with a legal move"
                    .to_owned()
            }
            name if name == RulesVerdict::Suspect.name() => format!(
                "wrong rules, it seems: it plays simple positions well ({} of {} best), but not those about: {}",
                rules.simple.best,
                rules.simple.asked,
                suspects.join("; ")
            ),
            name if name == RulesVerdict::Unclear.name() && self.faults.total() > 0 => {
                "can't be told: the AI didn't always answer with a move".to_owned()
            }
            name if name == RulesVerdict::Unclear.name() => format!(
                "only legal moves; whether it knows all rules can't be told, as it also plays simple positions badly ({} of {} best)",
                rules.simple.best, rules.simple.asked
            ),
            _ => "only legal moves, and no sign of a rule that it has wrong".to_owned(),
        }
    }
}

fn topic<G: Notation>(game: &G, topic: &Topic<G>) -> TopicReport {
    TopicReport {
        topic: topic.name.clone(),
        asked: topic.asked,
        best: topic.best,
        suspect: topic.suspect,
        example: topic
            .example
            .as_ref()
            .map(|(position, mv)| (game.format_position(position), game.format_move(*mv))),
    }
}

fn fault_report<G: Notation>(game: &G, position: &G::Position, fault: &Fault) -> FaultReport {
    FaultReport {
        kind: fault.kind.to_string(),
        position: game.format_position(position),
        detail: fault.detail.clone(),
        stderr: fault.stderr.clone(),
    }
}

fn mistake<G: Notation>(table: &Table<G>, case: &Case<G>) -> Result<MistakeReport, ProbeError> {
    let game = table.game();
    let scores = table.play_scores(&case.position)?;
    let best: Vec<G::Move> = best_moves(&scores).collect();
    let made = case.judged.answer.as_ref().ok().copied();
    let names = best.iter().map(|&mv| game.format_move(mv)).collect();
    #[cfg(feature = "cli")]
    let marks = Marks {
        made: made.map(|mv| (mv, false)),
        best,
    };
    Ok(MistakeReport {
        position: game.format_position(&case.position),
        mv: made.map_or_else(String::new, |mv| game.format_move(mv)),
        best: names,
        lost: case.judged.lost(),
        due: case.judged.due,
        after: case.judged.after,
        board: game.board(&case.position),
        #[cfg(feature = "cli")]
        drawing: crate::game::draw(game, &case.position, &marks),
    })
}

fn line_report<G: Notation>(game: &G, line: &Line<G>) -> LineReport {
    let name = |side: Side| side.to_string();
    let mut position = line.from.clone();
    let mut steps = Vec::new();
    for &mv in &line.moves {
        #[cfg(feature = "cli")]
        let marks = Marks {
            made: Some((mv, steps.len() != line.mistake)),
            best: Vec::new(),
        };
        steps.push(Step {
            side: name(game.side_to_move(&position)),
            mv: game.format_move(mv),
            position: game.format_position(&position),
            #[cfg(feature = "cli")]
            drawing: crate::game::draw(game, &position, &marks),
        });
        position = game.play(&position, mv);
    }
    LineReport {
        from_start: line.from == game.start(),
        steps,
        mistake: line.mistake,
        side: name(line.side),
        due: line.due,
        score: line.score,
        end: game.format_position(&position),
        #[cfg(feature = "cli")]
        drawing: crate::game::draw(game, &position, &Marks::default()),
    }
}

fn times(times: &Times) -> TimeReport {
    TimeReport {
        mean: times.mean().as_secs_f64(),
        median: times.quantile(0.5).as_secs_f64(),
        p95: times.quantile(0.95).as_secs_f64(),
        longest: times.longest().as_secs_f64(),
    }
}
