//! Likely causes of faults, from their pattern over the whole check.
//!
//! A cause is named only if it explains every fault, and if an AI without this error would hardly
//! ever show the same pattern. For crashes with the same message, half of the faults are enough.

mod readings;
#[cfg(test)]
mod tests;

use crate::check::contenders::{Fault, FaultKind};
use crate::game::Notation;
use crate::text::{counted, harmless};
pub(in crate::check) use readings::Evidence;

/// Returns the likely cause of the faults, in a sentence without its full stop.
///
/// `None` if the faults have no pattern.
pub(in crate::check) fn likely_cause<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    if evidence.faults.is_empty() {
        return None;
    }
    message(evidence)
        .or_else(|| one_answer_only(evidence))
        .or_else(|| silence(evidence))
        .or_else(|| slowness(evidence))
        .or_else(|| echo_or_mark(evidence))
        .or_else(|| other_lines(evidence))
        .or_else(|| same_end(evidence))
        .or_else(|| readings::misreading(evidence))
}

/// Returns whether more questions would only take time.
///
/// That is so if all faults are timeouts with one cause, or crashes of a program with one message
/// before any answer. A cause is certain, or seen three times. Silence from the first question on is certain,
/// because the question was repeated, and then the input closed.
pub(in crate::check) fn is_mute<G: Notation>(evidence: &Evidence<'_, G>) -> bool {
    let is_unanswered = evidence.right.is_empty();
    let is_certain = |fault: &Fault| {
        is_unanswered || fault.noticed.answered_at_next || fault.noticed.answered_at_end
    };
    let crashes = |fault: &Fault| fault.kind == FaultKind::Crash && fault.noticed.lines_before == 0;
    // A function that fails is soon asked again.
    let is_program = evidence.command.is_some();
    let is_crash = is_program && is_unanswered && evidence.all(crashes);
    match evidence.faults.len() {
        0 => false,
        1 | 2 => evidence.all(is_certain) && silence(evidence).is_some(),
        _ if is_crash => message(evidence).or_else(|| same_end(evidence)).is_some(),
        _ => silence(evidence).is_some(),
    }
}

/// Detects crashes that leave no message but end alike.
fn same_end<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let [(_, first), _, ..] = evidence.faults else {
        return None;
    };
    let is_same = |fault: &Fault| {
        fault.kind == FaultKind::Crash
            && fault.detail == first.detail
            && fault.stderr.trim().is_empty()
    };
    let end = harmless(&first.detail);
    evidence
        .all(is_same)
        .then(|| format!("it {end}, each time"))
}

/// First line of a Python traceback.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// Detects crashes with the same message on standard error.
///
/// The message is the last line of a Python error, and else the first line.
fn message<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let is_traceback = |fault: &Fault| {
        let names_error = last_line(&fault.stderr)
            .and_then(|line| line.split_once(": "))
            .is_some_and(|(name, _)| name.ends_with("Error"));
        fault.stderr.contains(TRACEBACK) || evidence.is_python() && names_error
    };
    let crashes = evidence.faults.iter().map(|(_, fault)| fault);
    let crashes = crashes.filter(|fault| fault.kind == FaultKind::Crash);
    let lines = crashes.filter_map(|fault| {
        let is_python = is_traceback(fault);
        let mut lines = fault.stderr.lines().map(str::trim);
        let line = match is_python {
            true => last_line(&fault.stderr),
            false => lines.find(|line| !line.is_empty()),
        }?;
        // The message of a Python error may contain the position; its name doesn't.
        let kind = line.split(':').next().filter(|_| is_python);
        Some((kind.unwrap_or(line), line, is_python))
    });
    let lines: Vec<_> = lines.collect();
    let times_of = |kind: &str| lines.iter().filter(|of| of.0 == kind).count();
    let &(kind, line, is_python) = lines.iter().rev().max_by_key(|of| times_of(of.0))?;
    let (all, times) = (evidence.faults.len(), times_of(kind));
    // Messages of other programs are only guesses, and a single one is no pattern.
    if 2 * times < all || !is_python && times < 2 {
        return None;
    }
    let line = harmless(&line.chars().take(200).collect::<String>());
    // The caller adds a full stop.
    let line = line.trim_end_matches('.');
    let what = if is_python {
        "a Python error ends it"
    } else {
        "it ends with the message"
    };
    let often = match times {
        _ if all == 1 => String::new(),
        _ if times == all => ", each time".to_owned(),
        _ => format!(", in {times} of {all} faults"),
    };
    Some(format!("{what}{often}: {line}"))
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// Detects a program that answers once and exits.
fn one_answer_only<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let ends = |fault: &Fault| {
        fault.kind == FaultKind::Crash
            // On a busy machine, the exit shows late.
            && ["exited with code 0", "closed its output", "closed its input"]
                .iter()
                .any(|how| fault.detail.starts_with(how))
            && fault.noticed.lines_before == 1
    };
    (evidence.faults.len() >= 2 && evidence.all(ends)).then(|| {
        "it answers one position and ends: it has to go on reading and answering, a line each, \
         until its input ends"
            .into()
    })
}

/// Detects a program that stops answering.
fn silence<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    if !evidence.all(|fault| fault.kind == FaultKind::Timeout) {
        return None;
    }
    let python = evidence.is_python();
    if evidence.all(|fault| fault.noticed.unended.is_some()) {
        let how = if python {
            ": print(move, flush=True) does, print(move, end=\"\") and sys.stdout.write(move) don't"
        } else {
            ""
        };
        return Some(format!("it doesn't end its lines{how}"));
    }
    let flush = if python {
        "print(move, flush=True), or sys.stdout.flush() after it"
    } else {
        "it has to after every line"
    };
    if evidence.all(|fault| fault.noticed.answered_at_next) {
        return Some(format!(
            "it is one line behind: it answers a position only when the next one comes; it has to \
             answer each before it reads on, and to flush its output ({flush})"
        ));
    }
    if evidence.all(|fault| fault.noticed.answered_at_end) {
        let read = if python {
            "read with `for line in sys.stdin`, and answer with print(move, flush=True)"
        } else {
            "it has to read a line, answer it and flush its output before it reads the next"
        };
        return Some(format!("it answers only when its input ends: {read}"));
    }
    if evidence.right.is_empty() && evidence.all(|fault| fault.noticed.lines_before == 0) {
        // An engine has told that it is ready.
        let what = match evidence.all(|fault| fault.sent.is_some()) {
            true => "it speaks UGI, but never answered \"go\" with \"bestmove\"",
            false => "it never answered",
        };
        return Some(format!(
            "{what}: it may have to flush its output ({flush}), or it needs more time, or another \
             protocol"
        ));
    }
    let once = |fault: &Fault| fault.noticed.lines_before == 1;
    (evidence.faults.len() >= 3 && evidence.all(once)).then(|| {
        format!(
            "it answers one position and then nothing more: it has to read the next line, and to \
             flush its output ({flush})"
        )
    })
}

/// Detects a program that needs more time in some positions.
fn slowness<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    if evidence.right.is_empty() || !evidence.all(|fault| fault.kind == FaultKind::Timeout) {
        return None;
    }
    let texts = evidence
        .faults
        .iter()
        .map(|(position, _)| evidence.game.format_position(position));
    let count = texts.collect::<std::collections::BTreeSet<_>>().len();
    Some(format!("it is too slow in {}", counted(count, "position")))
}

/// Detects lines that repeat the position or begin with a byte order mark.
fn echo_or_mark<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let all = |is_so: &dyn Fn(&G::Position, &str) -> bool| {
        evidence.faults.iter().all(|(position, fault)| {
            let noticed = &fault.noticed;
            let line = noticed.answer.as_ref().or(noticed.extra.as_ref());
            line.is_some_and(|line| is_so(position, line))
        })
    };
    if all(&|_, line| line.starts_with('\u{feff}')) {
        return Some(
            "its output begins with a byte order mark (BOM): it has to write UTF-8 or ASCII without \
             one"
            .into(),
        );
    }
    let is_echo = |position: &G::Position, line: &str| {
        // Long lines were cut off.
        !line.is_empty() && evidence.game.format_for_ai(position).starts_with(line)
    };
    all(&is_echo).then(|| {
        "it writes back the position that it reads (an echo): only its move belongs on its standard \
         output"
            .into()
    })
}

/// Detects lines that are not moves.
fn other_lines<G: Notation>(evidence: &Evidence<'_, G>) -> Option<String> {
    let line_of = |fault: &Fault| {
        let noticed = &fault.noticed;
        let before = noticed.answer.as_ref().filter(|_| noticed.move_followed);
        before.or(noticed.extra.as_ref()).cloned()
    };
    let lines: Option<Vec<String>> = evidence
        .faults
        .iter()
        .map(|(_, fault)| line_of(fault))
        .collect();
    let lines = lines.filter(|lines| lines.len() >= 2)?;
    let example = match lines[0].as_str() {
        "" => "an empty line".to_owned(),
        line => format!("{:?}", line.chars().take(60).collect::<String>()),
    };
    let is_first = |fault: &Fault| fault.noticed.lines_before == 0;
    let is_greeting = evidence.all(is_first) && lines.iter().all(|line| *line == lines[0]);
    let rest = "only moves belong on its standard output, one line for each position; the rest can \
                go to standard error";
    Some(if is_greeting {
        format!("it begins with a line that is no move, {example}: {rest}")
    } else {
        format!("it writes lines besides its moves, such as {example}: {rest}")
    })
}
