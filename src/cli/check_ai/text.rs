//! The report as text.

use crate::check::{LineReport, MistakeReport, PartReport, Report, Verdict};
use crate::cli::ui::grid::Grid;
use crate::cli::ui::style;
use crate::text::harmless;
use std::io::{self, Write};
use std::path::Path;

/// Pointers to more information: the written files, and the command that explains the game.
pub(super) struct More<'a> {
    pub page: Option<&'a Path>,
    pub mistakes: Option<&'a Path>,
    pub help: &'a str,
}

pub(super) fn print(report: &Report, more: &More<'_>, out: &mut impl Write) -> io::Result<()> {
    summary(report, out)?;
    faults(report, out)?;
    for (by, parts) in report.tables() {
        let rows = parts.iter().map(|of| (&of.part, of.cells()));
        let grid = Grid::filled(format!("By {by}:"), &PartReport::COLUMNS, rows);
        write!(out, "\n{}", grid.render(None))?;
    }
    for (number, mistake) in (1..).zip(&report.worst) {
        worst(number, report, mistake, out)?;
    }
    if let Some(line) = &report.refutation_line {
        refutation(line, out)?;
    }
    let (faint, help) = (style::FAINT, more.help);
    writeln!(
        out,
        "\n{faint}Rules, notation and what scores mean: {help}{faint:#}"
    )?;
    for (name, path) in [("Report", more.page), ("All mistakes", more.mistakes)] {
        if let Some(path) = path {
            writeln!(out, "{name}: {}", path.display())?;
        }
    }
    Ok(())
}

/// Prints the verdict and the figures of the whole check.
fn summary(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let style = match report.verdict {
        Verdict::Perfect => style::GOOD,
        Verdict::Imperfect | Verdict::Unfinished => style::EVEN,
        Verdict::Faulty => style::BAD,
    };
    writeln!(
        out,
        "{style}{}{style:#}: {}  ({} at {}, scope {}, criterion {})",
        report.verdict,
        report.reason(),
        report.ai,
        report.game,
        report.scope,
        report.criterion
    )?;
    let (bad, faint) = (style::BAD, style::FAINT);
    for (name, what) in report.warnings() {
        writeln!(out, "{bad}{name}:{bad:#} {what}.")?;
    }
    writeln!(out, "Asked:      {}", report.what_was_asked())?;
    for (name, value, about) in report.figures() {
        let name = format!("{name}:");
        writeln!(out, "{name:<11} {value} ({about})")?;
    }
    for remark in report.remarks() {
        writeln!(out, "            {faint}{remark}{faint:#}")?;
    }
    Ok(())
}

fn faults(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let (strong, bad) = (style::STRONG, style::BAD);
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

fn worst(
    number: usize,
    report: &Report,
    worst: &MistakeReport,
    out: &mut impl Write,
) -> io::Result<()> {
    let mistake = &worst.mistake;
    let (strong, bad, good) = (style::STRONG, style::BAD, style::GOOD);
    writeln!(
        out,
        "\n{number}. {strong}{}{strong:#}: {}",
        mistake.position,
        report.cost(worst)
    )?;
    writeln!(out, "{}", worst.board)?;
    writeln!(
        out,
        "  played {bad}{}{bad:#} ({}), best {good}{}{good:#} ({})",
        mistake.mv,
        report.said(mistake.after),
        mistake.best.join(", "),
        report.said(mistake.target)
    )
}

fn refutation(line: &LineReport, out: &mut impl Write) -> io::Result<()> {
    let bad = style::BAD;
    let from = if line.from_start {
        "the start"
    } else {
        &line.steps[0].position
    };
    writeln!(out, "\nA mistake, marked with ?, and its punishment:")?;
    writeln!(out, "  {}", line.story())?;
    write!(out, "  from {from}:")?;
    for (number, step) in line.steps.iter().enumerate() {
        if number == line.mistake {
            write!(out, " {bad}{}?{bad:#}", step.mv)?;
        } else {
            write!(out, " {}", step.mv)?;
        }
    }
    writeln!(out, "\n  to {}{}", line.end, line.repetition())
}
