//! How long an experiment will take, said before it begins.

use crate::experiments::published::{Allowance, Experiment, Figure, Selection, Value};
use indicatif::HumanDuration;
use std::time::{Duration, Instant};

/// What takes less needs no estimate, by [`crate::experiments::published::Job::cost`]: some ten seconds.
const SHORT: f64 = 1e8;
/// The most that is run to learn how fast this machine is; a tenth of a second or so.
const SAMPLE: f64 = 8e5;
/// What takes less is not announced, in seconds.
const WORTH_SAYING: f64 = 60.0;
/// So many depths beyond the published ones the costs were held against runs: nearly all were right
/// to a factor of [`FACTOR`]. Every depth is another game, so that even a greater one may take less.
const TRUSTED: u32 = 2;
const FACTOR: u32 = 5;
const YEAR: f64 = 365.25 * 24.0 * 3600.0;

/// A sentence on how long this part of an experiment takes on so many threads, if that is more than
/// a minute: about how long, or that it can't be told.
pub fn how_long(experiment: &Experiment, selection: &Selection, threads: usize) -> Option<String> {
    // Experiments without depths are what was published, and short.
    let published = *experiment.depths.as_ref()?.end();
    let cost: f64 = jobs(experiment, selection, None).sum();
    if cost < SHORT {
        return None;
    }
    let (mut all, mut longest) = (0.0, 0.0f64);
    for method in (experiment.methods)() {
        let mut costs = jobs(experiment, selection, Some(method)).peekable();
        if costs.peek().is_none() {
            continue;
        }
        let speed = seconds_an_evaluation(experiment, method);
        for cost in costs {
            all += cost * speed;
            longest = longest.max(cost * speed);
        }
    }
    let seconds = longest.max(all / threads as f64);
    let deepest = *selection.depths.end();
    sentence(seconds, deepest, published, threads)
}

/// The costs of the jobs that are selected, or of one method's.
fn jobs(
    experiment: &Experiment,
    selection: &Selection,
    method: Option<&str>,
) -> impl Iterator<Item = f64> + use<> {
    let mut selection = selection.clone();
    if let Some(method) = method {
        let is_selected = selection
            .methods
            .as_ref()
            .is_none_or(|methods| methods.iter().any(|name| name == method));
        selection.methods = Some(match is_selected {
            true => vec![method.to_owned()],
            false => Vec::new(),
        });
    }
    let jobs = (experiment.jobs)(&selection);
    jobs.into_iter().map(|job| job.cost())
}

/// How long an evaluation takes here, by a job of the method that takes but a moment.
fn seconds_an_evaluation(experiment: &Experiment, method: &str) -> f64 {
    let published = Selection {
        methods: Some(vec![method.to_owned()]),
        depths: experiment.depths.clone().unwrap_or(1..=1),
        without_cutoffs_to: u32::MAX,
    };
    let jobs = (experiment.jobs)(&published).into_iter();
    let short = jobs.filter(|job| job.cost() <= SAMPLE);
    let Some(sample) = short.max_by(|one, other| one.cost().total_cmp(&other.cost())) else {
        return 0.0;
    };
    let began = Instant::now();
    let figures = sample.run(&Allowance::unlimited()).unwrap_or_default();
    let seconds = began.elapsed().as_secs_f64();
    let is_count = |figure: &&Figure| figure.table.ends_with("/evaluations");
    match figures.iter().find(is_count).map(|figure| figure.value) {
        Some(Value::One(evaluations @ 1..)) => seconds / evaluations as f64,
        _ => seconds / sample.cost(),
    }
}

fn sentence(seconds: f64, deepest: u32, published: u32, threads: usize) -> Option<String> {
    if seconds < WORTH_SAYING {
        return None;
    }
    let about = if seconds > 1000.0 * YEAR {
        "more than a thousand years".to_owned()
    } else {
        format!("about {}", HumanDuration(Duration::from_secs_f64(seconds)))
    };
    let threads = crate::cli::ui::numbers::threads(threads);
    Some(if deepest > published + TRUSTED {
        format!(
            "how long this takes can't be told: depth {deepest} lies far beyond {published}, the \
             deepest that was published; if the effort goes on to grow as it does up to there, \
             {about} on {threads}; Ctrl-C prints what is done"
        )
    } else {
        format!(
            "this takes {about} on {threads}, give or take a factor of {FACTOR} (estimated from \
             how the effort grows up to depth {published}, and from a moment's run on this \
             machine); Ctrl-C prints what is done"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_long_is_announced_and_only_what_is_known_is_promised() {
        assert_eq!(sentence(59.0, 6, 5, 2), None);
        let hours = sentence(3.0 * 3600.0, 7, 5, 2).unwrap();
        assert!(
            hours.starts_with("this takes about 3 hours on 2 threads"),
            "{hours}"
        );
        let unknown = sentence(1e20, 20, 5, 1).unwrap();
        assert!(unknown.contains("can't be told"), "{unknown}");
        assert!(
            unknown.contains("more than a thousand years on 1 thread;"),
            "{unknown}"
        );
    }

    #[test]
    fn what_was_published_is_short() {
        for experiment in crate::experiments::published::EXPERIMENTS {
            let selection = Selection {
                methods: None,
                depths: experiment.depths.clone().unwrap_or(1..=1),
                without_cutoffs_to: 12,
            };
            assert_eq!(how_long(&experiment, &selection, 2), None);
        }
    }
}
