//! Sentences and figures of a report, for the terminal and the page alike.

use super::{Comparison, LineReport, MistakeReport, PartReport, Report, Verdict};
use crate::check::judge::statistics::Estimate;
use crate::check::options::{Scope, StoppedBy};
use crate::game::{InWords, distance};
use crate::text::{count, counted, percent, plies, time};

impl PartReport {
    /// The column names of [`PartReport::cells`].
    pub const COLUMNS: [&str; 6] = [
        "asked",
        "best",
        "preserved",
        "mistakes",
        "total regret",
        "regret",
    ];

    /// Returns the counts as a row of a table.
    #[must_use]
    pub fn cells(&self) -> [String; 6] {
        let tally = &self.tally;
        let rate = |hits: u64| format!("{:.1}%", 100.0 * hits as f64 / tally.asked.max(1) as f64);
        let regret = self.regret.map_or_else(String::new, |regret| {
            let interval = regret.low.zip(regret.high);
            let unit = tens(self.decimals);
            let interval =
                interval.map(|(low, high)| format!(" ({:.3} to {:.3})", low / unit, high / unit));
            format!("{:.3}{}", regret.mean / unit, interval.unwrap_or_default())
        });
        [
            count(tally.asked),
            rate(tally.best_moves),
            rate(tally.outcome_preserved),
            count(tally.mistakes),
            points(tally.total_regret, self.decimals),
            regret,
        ]
    }
}

/// Returns the number of units of the last decimal that are a point.
fn tens(decimals: Option<u32>) -> f64 {
    10_f64.powi(decimals.unwrap_or(0) as i32)
}

/// Returns points, given units of their last decimal.
fn points(units: u64, decimals: Option<u32>) -> String {
    match decimals {
        None => count(units),
        Some(_) => (units as f64 / tens(decimals)).to_string(),
    }
}

impl LineReport {
    /// Returns the story of the line in sentences.
    #[must_use]
    pub fn story(&self) -> String {
        let side = &self.side;
        let which = match self.of_worst {
            Some(number) => format!("mistake {}", number + 1),
            None => "a mistake".to_owned(),
        };
        let claim = match (&self.why_not_from_start, self.confirmed) {
            (None, true) => {
                format!("This can happen: all moves of the {side} side are the AI's own.")
            }
            (None, false) => format!(
                "All moves of the {side} side are answers of the AI, but asked again it did not \
                 give all of them."
            ),
            (Some(why), true) => format!("The line begins at the mistake: {why}."),
            (Some(why), false) => format!(
                "The line begins at the mistake: {why}. Asked again, the AI did not give all of \
                 its moves."
            ),
        };
        let said = |score| InWords {
            decimals: self.decimals,
            ..InWords::new(score, self.counts_plies)
        };
        let [target, score] = [self.target, self.score].map(said);
        if self.counts_plies {
            let (target, score) = (target.effect(), score.effect());
            return format!(
                "The AI plays the {side} side. By best play it {target}, but with {which} it {score}. \
                 {claim}"
            );
        }
        let (target, score) = (target.short(), score.short());
        format!(
            "The AI plays the {side} side, and {which} turns a score of {target} into {score}. {claim}"
        )
    }

    /// Returns the end of a sentence about the final repetition; empty if there is none.
    #[must_use]
    pub fn repetition(&self) -> String {
        self.repeats.map_or_else(String::new, |moves| {
            let number = moves + 1;
            format!("; the position before move {number} comes up again: a draw")
        })
    }
}

impl Comparison {
    /// Returns the comparison in a sentence without its full stop.
    #[must_use]
    pub fn in_words(&self) -> String {
        let (fixed, new) = (counted(self.fixed as usize, "mistake"), count(self.new));
        let mut words = format!("{fixed} fixed, {new} new");
        if self.new_faults > 0 {
            words += &format!(", {}", counted(self.new_faults as usize, "new fault"));
        }
        if let Some(first) = &self.first_new {
            let (position, mv, best) = (&first.position, &first.mv, first.best.join(", "));
            words +=
                &format!("; the first new one: {position}, where it plays {mv} (best: {best})");
        }
        words
    }
}

impl Report {
    /// Returns the reason for the verdict in a few words.
    #[must_use]
    pub fn reason(&self) -> String {
        match (self.verdict, self.stopped_by) {
            (Verdict::Perfect, _) => "no mistake in what was asked".to_owned(),
            (Verdict::Unfinished, Some(StoppedBy::Interrupt)) => {
                "no mistake before the interrupt".to_owned()
            }
            (Verdict::Unfinished, Some(_)) => "no mistake before the time was up".to_owned(),
            (Verdict::Unfinished, None) => "no mistake in what was resolved".to_owned(),
            (Verdict::Imperfect, _) => counted(self.mistakes.total as usize, "mistake"),
            (Verdict::Faulty, _) => counted(self.faults.total() as usize, "fault"),
        }
    }

    /// Returns the warnings that precede the figures.
    ///
    /// Each has a name and a sentence without its full stop.
    #[must_use]
    pub fn warnings(&self) -> Vec<(&'static str, String)> {
        let stopped = self.stopped_by.map(|by| match by {
            StoppedBy::Time => "the time was up",
            StoppedBy::Interrupt => "an interrupt",
            StoppedBy::Faults => "the AI's faults",
        });
        let unresolved = self.budget.filter(|_| self.unresolved > 0).map(|budget| {
            let positions = counted(self.unresolved as usize, "position");
            let budget = time(budget);
            format!("{positions}, in {budget} each; they count nowhere else")
        });
        let warnings = [
            ("Likely cause", self.likely_cause.clone()),
            ("Diagnosis", self.diagnosis_in_words()),
            ("Where", self.mistakes_in_words()),
            ("Baseline", self.baseline.as_ref().map(Comparison::in_words)),
            ("Answers vary", self.inconstancy()),
            ("Stopped early", stopped.map(str::to_owned)),
            ("Unresolved", unresolved),
        ];
        let shown = warnings.into_iter();
        shown
            .filter_map(|(name, what)| Some((name, what?)))
            .collect()
    }

    /// Returns a short description of the positions asked.
    #[must_use]
    pub fn what_was_asked(&self) -> String {
        let positions = counted(self.asked as usize, "position");
        format!("{positions}: {}", self.coverage)
    }

    /// Returns the figures for all positions asked.
    ///
    /// Each has a name, a value with its unit, and a short explanation.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, String, String)> {
        let estimates = self.estimates.as_ref();
        let over = estimates.map_or("", |of| of.over);
        let between = |[low, high]: [String; 2]| format!("; {low} to {high} {over}");
        let rate = |name, hits, estimate: Option<Estimate>| {
            let interval = estimate.map(|of| between([of.low, of.high].map(percent)));
            let interval = interval.unwrap_or_default();
            let about = format!("{} of {}{interval}", count(hits), count(self.asked));
            let rate = percent(hits as f64 / self.asked.max(1) as f64);
            (name, rate, about)
        };
        let best = estimates.map(|of| of.best_moves);
        let good = estimates.map(|of| of.outcome_preserved);
        let mut figures = vec![
            rate("Best moves", self.best_moves, best),
            rate("Preserved", self.outcome_preserved, good),
        ];
        if let Some(regret) = self.regret {
            let points = |units: f64| format!("{:.3}", units / tens(self.decimals));
            let interval = regret.low.zip(regret.high);
            let interval = interval.map(|(low, high)| between([low, high].map(points)));
            let interval = interval.unwrap_or_default();
            let what = match self.counts_plies {
                true => "plies per move that keeps a win or a loss",
                false => "points per move",
            };
            let about = format!("{what}{interval}");
            figures.push(("Regret", points(regret.mean), about));
        }
        let (mistakes, faults) = (&self.mistakes, &self.faults);
        let kinds = format!(
            "{} win to draw, {} win to loss, {} draw to loss, {} of {} only; total regret {}",
            count(mistakes.win_to_draw),
            count(mistakes.win_to_loss),
            count(mistakes.draw_to_loss),
            count(mistakes.score_only),
            self.unit(),
            points(self.total_regret, self.decimals)
        );
        figures.push(("Mistakes", count(mistakes.total), kinds));
        let crashes = if faults.crash == 1 {
            "crash"
        } else {
            "crashes"
        };
        let kinds = format!(
            "{}, {}, {} {crashes}, {}",
            counted(faults.illegal as usize, "illegal move"),
            counted(faults.timeout as usize, "timeout"),
            count(faults.crash),
            counted(faults.malformed as usize, "malformed answer")
        );
        figures.push(("Faults", count(faults.total()), kinds));
        if let Some(seconds) = self.seconds_per_move {
            let about = "a move on average".to_owned();
            figures.push(("Time", time(seconds), about));
        }
        figures
    }

    /// Returns remarks on the figures: sentences without their full stops.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let costs_only_score =
            self.mistakes.total > 0 && self.mistakes.score_only == self.mistakes.total;
        let remarks = [
            costs_only_score.then(|| {
                "No mistake changes who wins; by the criterion \"outcome\" there is none".to_owned()
            }),
            self.tolerance(),
            self.estimates.as_ref().map(|of| of.method.to_owned()),
        ];
        remarks.into_iter().flatten().collect()
    }

    /// Describes how the AI's answers vary, in a sentence without a full stop.
    ///
    /// `None` if it repeated all answers.
    #[must_use]
    pub fn inconstancy(&self) -> Option<String> {
        let again = &self.asked_again;
        let [position, first, other] = again.example.as_ref()?;
        Some(format!(
            "asked again in a fresh process, the AI answered {} of {} positions otherwise, such as \
             {position}: {first}, then {other}",
            count(again.changed),
            count(again.asked)
        ))
    }

    /// Describes the tolerated moves: not best, but no mistakes.
    fn tolerance(&self) -> Option<String> {
        let reason = match self.scope {
            Scope::Play if self.counts_plies => "the value of the game is preserved",
            Scope::Play => {
                "the value of the game is preserved, of which the opponent had given something away"
            }
            Scope::All => "win, draw or loss is preserved",
        };
        let moves = counted(self.tolerated as usize, "move");
        (self.tolerated > 0).then(|| format!("{moves} not best and yet no mistake: {reason}"))
    }

    /// Returns the informative counts by part: the kind of parts, and the parts.
    #[must_use]
    pub(crate) fn tables(&self) -> Vec<(&'static str, &[PartReport])> {
        let is_imperfect = self.mistakes.total > 0;
        let tables = [
            ("games", &self.by_games, true),
            (self.layer_name, &self.by_layer, is_imperfect),
            ("side to move", &self.by_side, is_imperfect),
        ];
        let tables = tables.into_iter();
        tables
            .filter(|(_, parts, is_shown)| *is_shown && parts.len() > 1)
            .map(|(by, parts, _)| (by, &parts[..]))
            .collect()
    }

    /// Describes the cost of one of the worst mistakes, and counts those equivalent to it.
    #[must_use]
    pub fn cost(&self, worst: &MistakeReport) -> String {
        let mistake = &worst.mistake;
        let outcomes = mistake.outcomes.iter();
        let outcomes: String = outcomes.map(|outcomes| format!("{outcomes}, ")).collect();
        let equivalent = match (worst.equivalent, &self.estimates) {
            (1, _) => String::new(),
            (equivalent, Some(_)) => format!(" ({} equivalent samples)", count(equivalent)),
            (equivalent, None) => format!(" ({} equivalent positions)", count(equivalent)),
        };
        let cost = match (mistake.regret, distance(mistake.target)) {
            (None, _) => return outcomes.trim_end_matches(", ").to_owned() + &equivalent,
            (_, Some(number)) if self.counts_plies => {
                format!("{} instead of {}", self.said(mistake.after), plies(number))
            }
            (Some(regret), _) => format!(
                "{} lost",
                points(regret.unsigned_abs().into(), self.decimals)
            ),
        };
        format!("{outcomes}{cost}{equivalent}")
    }

    /// Returns a score with its sign or, if it counts plies, in words: "wins in 5".
    #[must_use]
    pub fn said(&self, score: i32) -> String {
        let words = InWords::new(score, self.counts_plies);
        let decimals = self.decimals.or(words.decimals);
        InWords { decimals, ..words }.short()
    }

    /// Returns what moves of equal outcome lose.
    pub(super) fn unit(&self) -> &'static str {
        if self.counts_plies {
            "distance"
        } else {
            "score"
        }
    }

    /// Says what is wrong with the AI's play, in sentences without the last full stop.
    ///
    /// `None` if it made no mistake, or has faults with a likely cause and no other explanation.
    #[must_use]
    pub fn diagnosis_in_words(&self) -> Option<String> {
        let Some(found) = &self.diagnosis.explanation else {
            let number = self.diagnosis.compared.len();
            let is_silent = number == 0 || self.likely_cause.is_some();
            return (!is_silent).then(|| {
                format!("none of the {number} known errors compared explains its mistakes")
            });
        };
        let part = |explained: usize, all: usize, noun: &str| match all {
            _ if explained < all => {
                format!(
                    "{} of {} {noun}s",
                    count(explained as u64),
                    count(all as u64)
                )
            }
            1 => format!("the {noun}"),
            all => format!("all {} {noun}s", count(all as u64)),
        };
        let mistakes = part(found.mistakes_explained, found.mistakes, "mistake");
        let others = part(found.others_explained, found.others, "other move");
        // Of many answers only a sample was compared.
        Some(
            match found.is_whole && found.mistakes as u64 == self.mistakes.total {
                true => format!(
                    "it {}; that explains {mistakes} and {others} where it had a choice",
                    found.sentence
                ),
                false => format!(
                    "it {}; of {} compared, that explains {mistakes} and {others}",
                    found.sentence,
                    counted(found.mistakes + found.others, "answer")
                ),
            },
        )
    }

    /// Says where the AI makes its mistakes, in a sentence without its full stop.
    ///
    /// `None` if it made none.
    #[must_use]
    pub fn mistakes_in_words(&self) -> Option<String> {
        let (position, mv) = self.diagnosis.smallest.as_ref()?;
        let smallest =
            format!("the smallest position that fails is {position}, where it plays {mv}");
        let places = self.diagnosis.in_common.join(" and ");
        Some(match (&places[..], self.mistakes.total) {
            ("", _) => smallest,
            (places, total) => {
                format!(
                    "nearly all {} mistakes are {places}; {smallest}",
                    count(total)
                )
            }
        })
    }
}
