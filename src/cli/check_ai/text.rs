//! The report as text.

use crate::check::statistics::{Estimate, Mean};
use crate::check::{LayerTally, LineReport, MistakeReport, Report, StoppedBy, Verdict};
use crate::cli::ui::grid::Grid;
use crate::cli::ui::style;
use crate::text::{count, counted, harmless, percent, signed, time};
use std::io::{self, Write};
use std::path::Path;

/// Where there is more to read: the files that were written besides, and the command that explains
/// the game.
pub(super) struct More<'a> {
    pub page: Option<&'a Path>,
    pub mistakes: Option<&'a Path>,
    pub help: &'a str,
}

pub(super) fn print(report: &Report, more: &More<'_>, out: &mut impl Write) -> io::Result<()> {
    verdict(report, out)?;
    asked(report, out)?;
    rates(report, out)?;
    mistakes(report, out)?;
    faults(report, out)?;
    topics(report, out)?;
    let plays = report.by_plays.iter();
    let plays = plays.map(|of| (of.plays.to_owned(), of.tally, of.regret));
    counts("plays", plays, out)?;
    if report.mistakes.total > 0 {
        let layers = report.by_layer.iter();
        let layers = layers.map(|of| (of.layer.to_string(), of.tally, of.regret));
        counts(report.layer_name, layers, out)?;
        let sides = report.by_side.iter();
        let sides = sides.map(|of| (of.side.to_owned(), of.tally, of.regret));
        counts("side to move", sides, out)?;
    }
    for (number, mistake) in report.worst.iter().enumerate() {
        writeln!(out)?;
        worst(number + 1, report, mistake, out)?;
    }
    if let Some(line) = &report.refutation_line {
        writeln!(out)?;
        refutation(line, out)?;
    }
    let (faint, help) = (style::FAINT, more.help);
    writeln!(
        out,
        "\n{faint}Rules, notation and what scores mean: {help}{faint:#}"
    )?;
    if let Some(page) = more.page {
        writeln!(out, "Report: {}", page.display())?;
    }
    if let Some(list) = more.mistakes {
        writeln!(out, "All mistakes: {}", list.display())?;
    }
    Ok(())
}

/// What was asked, and what is to be known about that.
fn asked(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let bad = style::BAD;
    if let Some(cause) = &report.likely_cause {
        writeln!(out, "{bad}Likely cause:{bad:#} {cause}.")?;
    }
    if let Some(how) = report.inconstancy() {
        writeln!(out, "{bad}Answers vary:{bad:#} {how}.")?;
    }
    writeln!(
        out,
        "Asked:      {}: {}",
        counted(report.asked as usize, "position"),
        report.coverage
    )?;
    if let Some(by) = report.stopped_by {
        let why = match by {
            StoppedBy::Time => "the time was up (--total-timeout)",
            StoppedBy::Interrupt => "an interrupt (Ctrl-C)",
            _ => "too many faults",
        };
        writeln!(out, "{bad}Stopped early:{bad:#} {why}")?;
    }
    if let (Some(budget), 1..) = (report.budget, report.unsettled) {
        writeln!(
            out,
            "{bad}Not settled:{bad:#} {} positions, in {} each (--budget); they count nowhere else",
            count(report.unsettled),
            time(budget)
        )?;
    }
    writeln!(out, "Rules:      {}", report.rules_sentence())
}

fn mistakes(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let (mistakes, faint) = (&report.mistakes, style::FAINT);
    writeln!(
        out,
        "Mistakes:   {}: {} win to draw, {} win to loss, {} draw to loss, {} of score only; {} points lost",
        count(mistakes.total),
        count(mistakes.win_to_draw),
        count(mistakes.win_to_loss),
        count(mistakes.draw_to_loss),
        count(mistakes.score_only),
        count(report.score_lost)
    )?;
    if report.costs_only_score() {
        writeln!(
            out,
            "            {faint}No mistake changes who wins; --standard outcome counts only those \
             that do{faint:#}"
        )?;
    }
    if let Some(excuse) = report.excuse() {
        writeln!(out, "            {faint}{excuse}{faint:#}")?;
    }
    Ok(())
}

/// The faults and, before those of each kind, how fast the AI is.
fn faults(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let (faults, strong, bad) = (&report.faults, style::STRONG, style::BAD);
    writeln!(
        out,
        "Faults:     {}: {} illegal moves, {} timeouts, {} crashes, {} garbled answers",
        faults.total(),
        faults.illegal,
        faults.timeout,
        faults.crash,
        faults.garbled
    )?;
    if let Some(seconds) = report.seconds_per_move {
        writeln!(out, "Time:       {} per move on average", time(seconds))?;
    }
    for group in &report.fault_groups {
        let fault = &group.fault;
        writeln!(
            out,
            "\n{bad}Fault ({}){bad:#} {strong}{}{strong:#}: the AI {}",
            fault.kind,
            group.times_and_places(),
            fault.detail
        )?;
        if let Some(sent) = &fault.sent {
            writeln!(out, "  sent: {sent}")?;
        }
        for line in fault.stderr.lines() {
            writeln!(out, "  | {}", harmless(line))?;
        }
    }
    Ok(())
}

/// The rates of best and good moves and the regret, with their estimates.
fn rates(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let estimates = report.estimates.as_ref();
    let over = estimates.map_or("", |of| of.over);
    let rate = |rate: f64, hits: u64, estimate: Option<Estimate>| {
        let estimate = estimate.map_or_else(String::new, |of| {
            let [rate, low, high] = [of.rate, of.low, of.high].map(percent);
            format!("; {over} {rate} ({low} to {high})")
        });
        let (rate, hits, asked) = (percent(rate), count(hits), count(report.asked));
        format!("{rate} ({hits} of {asked}){estimate}")
    };
    let best = estimates.map(|of| of.perfect_moves);
    let best = rate(report.perfect_rate(), report.perfect_moves, best);
    let good = estimates.map(|of| of.good_moves);
    let good = rate(report.good_rate(), report.good_moves, good);
    writeln!(out, "Best moves: {best}\nGood moves: {good}")?;
    if let Some(regret) = report.regret {
        let interval = regret.low.zip(regret.high);
        let interval = interval.map_or_else(String::new, |(low, high)| {
            format!("; {over} {low:.3} to {high:.3}")
        });
        let mean = regret.mean;
        writeln!(out, "Regret:     {mean:.3} points lost a move{interval}")?;
    }
    if let Some(estimates) = estimates {
        let faint = style::FAINT;
        writeln!(out, "            {faint}{}{faint:#}", estimates.method)?;
    }
    Ok(())
}

fn verdict(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let style = match report.verdict {
        Verdict::Perfect => style::GOOD,
        Verdict::Imperfect | Verdict::Unfinished => style::EVEN,
        Verdict::Faulty => style::BAD,
    };
    let reason = match report.verdict {
        Verdict::Perfect => "no mistake in what was asked".to_owned(),
        Verdict::Unfinished => match report.stopped_by {
            Some(StoppedBy::Interrupt) => "no mistake before the interrupt".to_owned(),
            Some(_) => "no mistake before the time was up".to_owned(),
            None => "no mistake in what was settled".to_owned(),
        },
        Verdict::Imperfect => counted(report.mistakes.total as usize, "mistake"),
        Verdict::Faulty => counted(report.faults.total() as usize, "fault"),
    };
    writeln!(
        out,
        "{style}{}{style:#}: {reason}  ({} at {}, scope {}, standard {})",
        report.verdict.name(),
        report.ai,
        report.game,
        report.scope,
        report.standard
    )
}

fn topics(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let topics = report.rules.topics.iter();
    for topic in topics.filter(|topic| topic.suspect) {
        write!(
            out,
            "\nRule in doubt: {}; best moves in {} of {} positions",
            topic.topic, topic.best, topic.asked
        )?;
        if let Some((position, mv)) = &topic.example {
            write!(out, ", not in {position}, where it played {mv}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A table of counts: what each row is about, its counts, and its regret. Without rows it is left
/// out.
fn counts(
    by: &str,
    rows: impl Iterator<Item = (String, LayerTally, Option<Mean>)>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut grid = Grid::new(format!("By {by}:"), "");
    for (row, tally, regret) in rows {
        let rate = |hits: u64| format!("{:.1}%", 100.0 * hits as f64 / tally.asked.max(1) as f64);
        grid.set(&row, "asked", count(tally.asked));
        grid.set(&row, "best", rate(tally.perfect_moves));
        grid.set(&row, "good", rate(tally.good_moves));
        grid.set(&row, "mistakes", count(tally.mistakes));
        grid.set(&row, "points lost", count(tally.score_lost));
        let mean = regret.map(|regret| format!("{:.3}", regret.mean));
        grid.set(&row, "regret", mean.unwrap_or_default());
        if let Some((low, high)) = regret.and_then(|regret| regret.low.zip(regret.high)) {
            grid.set(&row, "95%", format!("{low:.3} to {high:.3}"));
        }
    }
    if grid.is_empty() {
        return Ok(());
    }
    write!(out, "\n{}", grid.render(None))
}

fn worst(
    number: usize,
    report: &Report,
    worst: &MistakeReport,
    out: &mut impl Write,
) -> io::Result<()> {
    let mistake = &worst.mistake;
    let (strong, bad, good) = (style::STRONG, style::BAD, style::GOOD);
    let cost = match &mistake.outcomes {
        Some(outcomes) => format!("{outcomes}, {} lost", mistake.lost),
        None => format!("{} lost", mistake.lost),
    };
    writeln!(
        out,
        "{number}. {strong}{}{strong:#}: {cost}{}",
        mistake.position,
        report
            .alike(worst)
            .map_or_else(String::new, |alike| format!(" ({alike})"))
    )?;
    writeln!(out, "{}", worst.board)?;
    writeln!(
        out,
        "  played {bad}{}{bad:#} ({}), best {good}{}{good:#} ({})",
        mistake.mv,
        signed(mistake.after),
        mistake.best.join(", "),
        signed(mistake.due)
    )
}

fn refutation(line: &LineReport, out: &mut impl Write) -> io::Result<()> {
    let bad = style::BAD;
    let from = if line.from_start {
        "the start".to_owned()
    } else {
        line.steps[0].position.clone()
    };
    let which = match line.of_worst {
        Some(number) => format!("mistake {}", number + 1),
        None => "a mistake".to_owned(),
    };
    writeln!(
        out,
        "How {which} is punished (the AI plays the {} side; its mistake is marked; a score of {} becomes {}):",
        line.side,
        signed(line.due),
        signed(line.score)
    )?;
    writeln!(out, "  {}", line.claim())?;
    write!(out, "  from {from}:")?;
    for (number, step) in line.steps.iter().enumerate() {
        if number == line.mistake {
            write!(out, " {bad}{}?{bad:#}", step.mv)?;
        } else {
            write!(out, " {}", step.mv)?;
        }
    }
    writeln!(out, "\n  to {}", line.end)
}
