//! Assembly of the report from the findings.

use super::{
    Estimates, FaultGroup, FaultReport, LineReport, MistakeReport, PartReport, Report, Step,
    Verdict,
};
use crate::check::contenders::{Fault, FaultKind};
use crate::check::hypotheses::Diagnosis;
use crate::check::judge::diagnosis::{Evidence, likely_cause};
use crate::check::judge::forced::ForcedAnswers;
use crate::check::judge::statistics::{Mean, Sums, wilson};
use crate::check::judge::{Case, FaultCounts, LayerTally, MOST_MISTAKEN, Part, Tally};
use crate::check::listing::ListedMistake;
use crate::check::options::{CheckOptions, Coverage, Playouts, Scope, StoppedBy};
use crate::check::recheck::AskedAgain;
use crate::check::refute::Refutation;
use crate::game::{Notation, Roots, Side, decimals_of};
use crate::oracle::{Oracle, OracleError};
use crate::text::{count, counted};

/// Findings of a check.
pub(in crate::check) struct Findings<'a, G: Notation> {
    pub tally: &'a Tally<G>,
    pub forced: &'a ForcedAnswers<G>,
    pub diagnosis: Diagnosis,
    /// The faults, in the order in which they occurred.
    pub faults: &'a [(G::Position, Fault)],
    /// The AI's average time per move in seconds.
    pub seconds_per_move: Option<f64>,
    /// The line that shows how a mistake is punished.
    pub line: Option<&'a Refutation<G>>,
    /// The result of asking again.
    pub again: AskedAgain,
    /// The number of positions in the plan, if known.
    pub total: Option<u64>,
    /// The cause of an early end, if there was one.
    pub stopped_by: Option<StoppedBy>,
    /// The command that starts the AI, if it is a program.
    pub command: Option<&'a str>,
}

/// Builds the report.
///
/// # Errors
/// If the oracle can't find the best moves in the positions of the worst mistakes.
pub(in crate::check) fn build<G: Notation>(
    oracle: &dyn Oracle<G>,
    options: &CheckOptions,
    findings: &Findings<'_, G>,
) -> Result<Report, OracleError> {
    let (game, tally) = (oracle.game(), findings.tally);
    let (faults, fault_list, fault_groups) = faults(game, findings);
    let classes = oracle.inventory().map(|of| of.entries());
    let over = population(options);
    let is_sample = over.is_some();
    let worst = tally.worst.cases.iter().map(|case| mistake(oracle, case));
    let refutation_line = findings
        .line
        .map(|line| line_report(game, line, findings.again.is_line_confirmed));
    let decimals = decimals_of(game).filter(|&decimals| decimals > 0);
    let parts = |selects| parts(tally, is_sample, decimals, selects);
    let mistaken = tally.mistaken.iter().map(|of| game.format_position(of));
    let steps = refutation_line.iter().flat_map(|line| &line.steps);
    Ok(Report {
        verdict: verdict(&faults, tally, findings.stopped_by),
        scope: options.scope,
        criterion: tally.worst.criterion,
        counts_plies: game.score_range().counts_plies(),
        decimals,
        asked: tally.all.asked,
        unresolved: tally.all.unresolved,
        budget: options.budget.map(|budget| budget.as_secs_f64()),
        best_moves: tally.all.best_moves,
        outcome_preserved: tally.all.outcome_preserved,
        regret: tally.all.regret.mean(is_sample),
        scaled_regret: scaled_regret(game, tally, is_sample),
        mistakes: tally.mistakes,
        tolerated: tolerated(tally),
        total_regret: tally.all.total_regret,
        faults,
        worst: worst.collect::<Result<_, _>>()?,
        refutation: steps.map(|step| step.mv.clone()).collect(),
        refutation_line,
        asked_again: findings.again.clone(),
        game: game.name(),
        game_title: game.title(),
        game_rules: String::new(),
        #[cfg(feature = "cli")]
        has_pictures: game.capabilities().drawing.picture(&game.start()).is_some(),
        ai: String::new(),
        coverage: coverage(game, options, findings, classes),
        selection: options.selection(),
        classes,
        positions: findings.total.filter(|_| is_every_position(game, options)),
        stopped_by: findings.stopped_by,
        estimates: over.and_then(|over| estimate(tally, over)),
        baseline: None,
        diagnosis: findings.diagnosis.clone(),
        likely_cause: likely_cause(&evidence(game, findings)),
        fault_groups,
        fault_list,
        layer_name: game.layer_name(),
        by_layer: parts(|part| matches!(part, Part::Layer(_))),
        by_side: parts(|part| matches!(part, Part::Side(_))),
        by_games: parts(|part| matches!(part, Part::Games(_))),
        seconds_per_move: findings.seconds_per_move,
        mistake_positions: (tally.mistakes.total <= MOST_MISTAKEN).then(|| mistaken.collect()),
    })
}

/// Returns the average regret as a share of the range of the game's scores.
///
/// In games that count plies, the scores are 1, 0 and -1.
fn scaled_regret<G: Notation>(game: &G, tally: &Tally<G>, is_sample: bool) -> Option<Mean> {
    let (range, lost) = (game.score_range(), tally.mistakes);
    let (sums, width) = match range.counts_plies() {
        false => (tally.all.regret, (range.highest - range.lowest).max(1)),
        true => {
            let (draws, wins) = (lost.win_to_draw + lost.draw_to_loss, lost.win_to_loss);
            let sums = Sums {
                count: tally.all.asked - tally.faults.len() as u64,
                total: draws + 2 * wins,
                squares: draws + 4 * wins,
            };
            (sums, 2)
        }
    };
    let share = |of: f64| of / f64::from(width);
    let mean = sums.mean(is_sample)?;
    Some(Mean {
        mean: share(mean.mean),
        low: mean.low.map(share),
        high: mean.high.map(share),
    })
}

/// Returns the counts of the parts for which `selects` returns true.
fn parts<G: Notation>(
    tally: &Tally<G>,
    is_sample: bool,
    decimals: Option<u32>,
    selects: fn(Part) -> bool,
) -> Vec<PartReport> {
    let parts = tally.parts.iter().filter(|(part, _)| selects(**part));
    let report = |(&part, &tally): (&Part, &LayerTally)| PartReport {
        part,
        tally,
        regret: tally.regret.mean(is_sample),
        decimals,
    };
    parts.map(report).collect()
}

fn verdict<G: Notation>(
    faults: &FaultCounts,
    tally: &Tally<G>,
    stopped_by: Option<StoppedBy>,
) -> Verdict {
    if faults.total() > 0 {
        Verdict::Faulty
    } else if tally.mistakes.total > 0 {
        Verdict::Imperfect
    } else if stopped_by.is_some() || tally.all.unresolved > 0 {
        Verdict::Unfinished
    } else {
        Verdict::Perfect
    }
}

/// Collects the faults, without repetitions of a kind in a position.
///
/// A position may have been asked about the rules and again for its move.
fn faults<G: Notation>(
    game: &G,
    findings: &Findings<'_, G>,
) -> (FaultCounts, Vec<FaultReport>, Vec<FaultGroup>) {
    let mut counts = FaultCounts::default();
    let mut list: Vec<FaultReport> = Vec::new();
    let mut groups = Vec::new();
    for (position, fault) in findings.faults {
        let position = game.format_position(position);
        let is_known = list
            .iter()
            .any(|other| other.position == position && other.fault.kind == fault.kind);
        if !is_known {
            counts.add(fault.kind);
            add_to_groups(&mut groups, &position, fault);
            let fault = fault.clone();
            list.push(FaultReport { position, fault });
        }
    }
    (counts, list, groups)
}

/// The number of legal answers that may rule out a cause of faults.
const MOST_RIGHT: usize = 256;

fn evidence<'a, G: Notation>(game: &'a G, findings: &Findings<'a, G>) -> Evidence<'a, G> {
    let forced = findings.forced.right.iter().cloned();
    let answers = findings.tally.answers.iter().take(MOST_RIGHT);
    let answers = answers.map(|answer| (answer.position.clone(), answer.mv));
    Evidence {
        game,
        faults: findings.faults,
        right: forced.chain(answers).collect(),
        command: findings.command,
    }
}

/// The number of example positions per group of faults, at most.
const MOST_POSITIONS: usize = 3;

/// Adds a fault to the group of equal faults.
///
/// Equal faults have the same kind, the same answer or detail, and the same last line of standard
/// error.
fn add_to_groups(groups: &mut Vec<FaultGroup>, position: &str, fault: &Fault) {
    let key = |of: &Fault| {
        let end = of.stderr.trim_end().lines().next_back();
        (of.kind, short_detail(of), end.map(str::to_owned))
    };
    let known = groups
        .iter_mut()
        .find(|group| key(&group.fault) == key(fault));
    if let Some(group) = known {
        group.times += 1;
        group.fault.detail = short_detail(fault);
        if group.positions.len() < MOST_POSITIONS {
            group.positions.push(position.to_owned());
        }
    } else {
        groups.push(FaultGroup {
            fault: fault.clone(),
            times: 1,
            positions: vec![position.to_owned()],
        });
    }
}

/// Returns a fault's detail without the legal moves, which differ each time.
fn short_detail(fault: &Fault) -> String {
    match &fault.noticed.answer {
        Some(answer) if fault.kind == FaultKind::Illegal => {
            let again = &fault.noticed.again;
            format!("answered {answer}, which is not legal there{again}")
        }
        _ => fault.detail.clone(),
    }
}

fn mistake<G: Notation>(
    oracle: &dyn Oracle<G>,
    case: &Case<G>,
) -> Result<MistakeReport, OracleError> {
    let game = oracle.game();
    let best = case.best(oracle)?;
    let made = case.judged.answer.as_ref().ok().copied();
    Ok(MistakeReport {
        mistake: ListedMistake::of(game, &case.position, &case.judged, &best),
        equivalent: case.equivalent,
        board: game.board(&case.position),
        drawing: drawing(game, &case.position, made.map(|mv| (mv, false)), best, None),
    })
}

/// Draws a position with the move made, the best moves, and the move before.
///
/// The flag of `made` says whether the move is good. Empty if the game has no pictures.
fn drawing<G: Notation>(
    game: &G,
    position: &G::Position,
    made: Option<(G::Move, bool)>,
    best: Vec<G::Move>,
    last: Option<(G::Position, G::Move)>,
) -> String {
    #[cfg(feature = "cli")]
    return crate::draw::board(game, position, &crate::draw::Marks { made, best, last });
    #[cfg(not(feature = "cli"))]
    {
        let _ = (game, position, made, best, last);
        String::new()
    }
}

fn line_report<G: Notation>(game: &G, line: &Refutation<G>, confirmed: bool) -> LineReport {
    let mut position = line.from.clone();
    let mut steps = Vec::new();
    let mut last = None;
    for &mv in &line.moves {
        let is_mistake = steps.len() == line.mistake;
        let best = if is_mistake { &line.best[..] } else { &[] };
        let before = last.replace((position.clone(), mv));
        steps.push(Step {
            side: game.side_to_move(&position).to_string(),
            mv: game.format_move(mv),
            position: game.format_position(&position),
            drawing: drawing(
                game,
                &position,
                Some((mv, !is_mistake)),
                best.to_vec(),
                before,
            ),
        });
        position = game.play(&position, mv);
    }
    LineReport {
        from_start: line.why_not_from_start.is_none(),
        confirmed,
        steps,
        mistake: line.mistake,
        side: line.side.to_string(),
        target: line.target,
        score: line.score,
        repeats: line.repeats,
        counts_plies: game.score_range().counts_plies(),
        decimals: decimals_of(game),
        of_worst: line.worst,
        why_not_from_start: line.why_not_from_start,
        questions: line.questions,
        end: game.format_position(&position),
        drawing: drawing(game, &position, None, Vec::new(), last),
    }
}

/// Counts the moves that are not best, but no mistakes.
fn tolerated<G: Notation>(tally: &Tally<G>) -> u64 {
    let all = &tally.all;
    all.asked - tally.faults.len() as u64 - all.best_moves - tally.mistakes.total
}

const WILSON: &str = "Wilson's score interval, 95%; of regret Student's, mean ± t·s/√n";

/// Returns the population that the rates of a sample estimate: "over all classes".
fn population(options: &CheckOptions) -> Option<&'static str> {
    match (options.scope, &options.coverage) {
        (Scope::All, Coverage::Playouts { .. }) => Some("over all positions sampled this way"),
        (Scope::All, Coverage::Sample { .. }) => Some("over all classes"),
        (Scope::All, Coverage::Suite(_)) => Some("over positions like those of the suite"),
        _ => None,
    }
}

/// Returns whether a check asks about all positions that can be reached from the start.
fn is_every_position<G: Notation>(game: &G, options: &CheckOptions) -> bool {
    (options.scope, &options.coverage) == (Scope::All, &Coverage::Every)
        && game.capabilities().solving.roots() == Roots::Start
}

/// Describes the positions that a check covered.
fn coverage<G: Notation>(
    game: &G,
    options: &CheckOptions,
    findings: &Findings<'_, G>,
    classes: Option<u64>,
) -> String {
    let total = findings.total.unwrap_or(0);
    let is_cut = findings.stopped_by.is_some();
    let number = count(total);
    let all = if is_cut { "a part of all" } else { "all" };
    match (options.scope, &options.coverage) {
        (Scope::Play, _) => lines_of_play(options.side, is_cut),
        (Scope::All, Coverage::Every) if is_every_position(game, options) => {
            let of = classes.map(|classes| format!(" ({} classes)", count(classes)));
            format!(
                "{all} {number} reachable positions{}",
                of.unwrap_or_default()
            )
        }
        (Scope::All, &Coverage::Playouts { seed, kind, .. }) => {
            from_playouts(game, kind, seed, is_cut)
        }
        (Scope::All, Coverage::Listed(_) | Coverage::Suite(_)) => {
            let some = counted(total as usize, "position");
            format!("{} {some} listed", if total == 1 { "the" } else { all })
        }
        (Scope::All, &Coverage::Sample { seed, .. }) => {
            let classes = count(classes.unwrap_or_default());
            format!("a random sample of positions, uniform over {classes} classes (seed {seed})")
        }
        (Scope::All, Coverage::Every | Coverage::Canonical) => {
            format!("{all} canonical positions, one of each of {number} classes")
        }
    }
}

fn from_playouts<G: Notation>(game: &G, kind: Option<Playouts>, seed: u64, is_cut: bool) -> String {
    let games = match kind {
        Some(Playouts::Random) => "random games",
        Some(Playouts::OwnPlay) => "games of the AI against itself",
        None => "games of the AI against itself and from random games, half each",
    };
    let part = if is_cut { "the first of those " } else { "" };
    let layers = game.layer_name();
    format!("{part}from {games}; none twice, even over the {layers} (seed {seed})")
}

fn lines_of_play(side: Option<Side>, is_cut: bool) -> String {
    let who = side.map_or("either side".to_owned(), |side| format!("the {side} side"));
    let every = if is_cut {
        "the first lines"
    } else {
        "every line"
    };
    format!("{every} with the AI playing {who}")
}

/// Estimates the true rates of the population `over` from a sample.
fn estimate<G: Notation>(tally: &Tally<G>, over: &'static str) -> Option<Estimates> {
    let all = &tally.all;
    (all.asked > 0).then(|| Estimates {
        best_moves: wilson(all.best_moves, all.asked),
        outcome_preserved: wilson(all.outcome_preserved, all.asked),
        method: WILSON,
        over,
    })
}
