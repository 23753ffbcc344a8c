//! The report as one self-contained page: nothing is loaded from elsewhere, and whatever an AI
//! wrote is text, never markup.

use super::{LayerReport, LineReport, MistakeReport, Report, TimeReport, TopicReport, Verdict};
use crate::check::judge::statistics::Estimate;
use crate::game::drawing::frame;
use crate::text::{count, percent, printable, signed, time};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--paper:#f6f7f9;--card:#fff;--edge:#dfe3e9;--good:#0a9e6a;--fair:#e0a100;--bad:#d9480f}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--paper:#14181f;--card:#1d232c;--edge:#313a46;--good:#2fc78f;--fair:#e8b93a;--bad:#ff7a45}}\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\
main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}h1{font-size:1.7rem;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:40px 0 12px}\
.soft{color:var(--soft)}.verdict{display:inline-block;padding:2px 14px;border-radius:99px;color:#fff;font-weight:700;letter-spacing:.02em}\
.perfect{background:#0a855a}.imperfect{background:#a87400}.faulty{background:#c33f0c}\
.grid{display:grid;gap:14px;grid-template-columns:repeat(auto-fit,minmax(200px,1fr))}.wide{grid-template-columns:repeat(auto-fit,minmax(320px,1fr))}\
.card{background:var(--card);border:1px solid var(--edge);border-radius:14px;padding:16px;overflow-x:auto}\
.big{font-size:1.7rem;font-weight:650;line-height:1.2}code,pre{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap;margin:8px 0 0}\
table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:4px 10px;border-bottom:1px solid var(--edge)}th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft)}\
svg{max-width:100%;height:auto;display:block}.film{display:grid;gap:12px;grid-template-columns:repeat(auto-fill,minmax(170px,1fr))}.film .card{padding:10px;font-size:.85rem}\
.marked{border:2px solid var(--bad)}.bad{color:var(--bad);font-weight:650}.good{color:var(--good);font-weight:650}.track{height:8px;border-radius:4px;background:var(--edge);margin-top:8px;overflow:hidden}.track i{display:block;height:100%;background:var(--good)}";

/// The page.
#[must_use]
pub fn page(report: &Report) -> String {
    let title = format!(
        "{} at {}: {}",
        report.ai,
        report.game,
        report.verdict.name()
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing may run and nothing may be loaded, whatever stands below.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head(report))
                    (numbers(report))
                    @if !report.fault_list.is_empty() { (faults(report)) }
                    (rules(report))
                    @if !report.by_layer.is_empty() { (charts(report)) }
                    @if !report.worst.is_empty() { (worst(report)) }
                    @if let Some(line) = &report.refutation_line { (refutation(line)) }
                }
            }
        }
    }
    .into_string()
}

fn head(report: &Report) -> Markup {
    html! {
        h1 { (report.ai) }
        p class="soft" { "at " (report.game) ", checked move by move against the exact scores of a solved table" }
        p { span class={ "verdict " (report.verdict.name()) } { (report.verdict.name()) } " " (sentence(report)) }
        @if let Some(cause) = &report.likely_cause { p { b { "Likely cause: " } (cause) "." } }
    }
}

fn sentence(report: &Report) -> String {
    let asked = count(report.asked);
    match report.verdict {
        Verdict::Perfect => format!("No mistake in {asked} positions ({}).", report.coverage),
        Verdict::Imperfect => format!(
            "{} mistakes in {asked} positions ({}).",
            count(report.mistakes.total),
            report.coverage
        ),
        Verdict::Faulty => format!(
            "{} faults and {} mistakes in {asked} positions ({}){}.",
            report.faults.total(),
            count(report.mistakes.total),
            report.coverage,
            if report.stopped_early {
                "; stopped early"
            } else {
                ""
            }
        ),
    }
}

fn numbers(report: &Report) -> Markup {
    let estimates = report.estimates.as_ref();
    let mistakes = &report.mistakes;
    html! {
        div class="grid" {
            (rate_card("Best moves", report.perfect_rate(), estimates.map(|of| of.perfect_moves)))
            (rate_card("Good moves (outcome kept)", report.good_rate(), estimates.map(|of| of.good_moves)))
            div class="card" {
                div class="soft" { "Mistakes" }
                div class="big" { (count(mistakes.total)) }
                div class="soft" {
                    (count(mistakes.win_to_draw)) " win to draw, " (count(mistakes.win_to_loss)) " win to loss, "
                    (count(mistakes.draw_to_loss)) " draw to loss, " (count(mistakes.score_only)) " of score only"
                }
            }
            div class="card" {
                div class="soft" { "Points lost" }
                div class="big" { (count(report.score_lost)) }
                div class="soft" { (format!("{:.3}", report.score_lost as f64 / report.asked.max(1) as f64)) " a move" }
            }
            (pace(&report.seconds))
        }
        p class="soft" {
            "Scope: " (report.scope) ". Standard: " (report.standard) "."
            @if let Some(excuse) = report.excuse() { " " (excuse) "." }
            @if let Some(of) = estimates { " Estimates of the true rates: " (of.method) "." }
        }
    }
}

/// How fast the AI is, as far as that was measured.
fn pace(seconds: &TimeReport) -> Markup {
    let TimeReport {
        mean,
        median,
        p95,
        longest,
        moves_per_second,
    } = *seconds;
    html! {
        @if let (Some(mean), Some(median), Some(p95), Some(longest)) = (mean, median, p95, longest) {
            div class="card" {
                div class="soft" { "Time a move" }
                div class="big" { (time(mean)) }
                div class="soft" { "median " (time(median)) ", 95% within " (time(p95)) ", longest " (time(longest)) }
            }
        } @else if let Some(rate) = moves_per_second {
            div class="card" {
                div class="soft" { "Moves a second" }
                div class="big" { (count(rate.round().max(1.0) as u64)) }
                div class="soft" { "asked many at once, no move timed by itself" }
            }
        }
    }
}

fn rate_card(name: &str, rate: f64, estimate: Option<Estimate>) -> Markup {
    html! {
        div class="card" {
            div class="soft" { (name) }
            div class="big" { (percent(rate)) }
            div class="track" { i style={ "width:" (format!("{:.2}", 100.0 * rate)) "%" } {} }
            @if let Some(of) = estimate {
                div class="soft" { "of all positions " (percent(of.rate)) " (" (percent(of.low)) " to " (percent(of.high)) ")" }
            }
        }
    }
}

fn faults(report: &Report) -> Markup {
    html! {
        h2 { "Faults" }
        div class="grid wide" {
            @for fault in &report.fault_groups {
                div class="card" {
                    div { span class="bad" { (fault.kind) } " " code { (fault.times_and_places()) } }
                    div { "The AI " (fault.detail) "." }
                    @if !fault.stderr.is_empty() { pre class="soft" { (printable(&fault.stderr)) } }
                }
            }
        }
    }
}

fn rules(report: &Report) -> Markup {
    let rules = &report.rules;
    html! {
        h2 { "Does it know the rules?" }
        p { (capitalised(&report.rules_sentence())) "." }
        div class="card" {
            table {
                tr { th { "about" } th { "asked" } th { "best move" } }
                @for topic in [&rules.forced, &rules.simple].into_iter().chain(&rules.topics) {
                    (topic_row(topic))
                }
            }
        }
    }
}

fn topic_row(topic: &TopicReport) -> Markup {
    html! {
        tr {
            td {
                @if topic.suspect { span class="bad" { (topic.topic) } } @else { (topic.topic) }
                @if let (true, Some((position, mv))) = (topic.suspect, &topic.example) {
                    div class="soft" { "played " (mv) " in " code { (position) } }
                }
            }
            td { (topic.asked) }
            td { (topic.best) }
        }
    }
}

fn charts(report: &Report) -> Markup {
    html! {
        h2 { "Where it goes wrong" }
        div class="grid wide" {
            div class="card" {
                div class="soft" { "Share of positions with a mistake, by " (report.layer_name) }
                (PreEscaped(layer_chart(&report.by_layer, report.layer_name)))
                (legend(&[("var(--bad)", "outcome lost"), ("var(--fair)", "only score lost")]))
            }
            div class="card" {
                div class="soft" { "Share of best moves, by " (report.layer_name) }
                (PreEscaped(best_chart(&report.by_layer, report.layer_name)))
            }
            @if !report.by_loss.is_empty() {
                div class="card" {
                    div class="soft" { "Mistakes by points lost" }
                    (PreEscaped(loss_chart(report)))
                }
            }
        }
    }
}

fn legend(entries: &[(&str, &str)]) -> Markup {
    html! {
        div class="soft" {
            @for (color, name) in entries {
                span style={ "color:" (color) } { "\u{25a0} " } (name) " "
            }
        }
    }
}

/// A bar: its name, and the heights of its parts from the bottom up, each with its colour.
struct Bar {
    name: String,
    title: String,
    parts: Vec<(f64, &'static str)>,
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 190.0;

/// Bars side by side; `highest` is the top of the scale.
fn bar_chart(bars: &[Bar], highest: f64, scale: impl Fn(f64) -> String, label: &str) -> String {
    let highest = if highest > 0.0 { highest } else { 1.0 };
    let step = (WIDTH - LEFT - 8.0) / bars.len().max(1) as f64;
    let y = |value: f64| BOTTOM - (BOTTOM - TOP) * value / highest;
    // Names that would overlap are left out.
    let every = (34.0 / step).ceil().max(1.0) as usize;
    let content = html! {
        g font-size="11" stroke="none" {
            @for tick in 0..=4 {
                @let value = highest * f64::from(tick) / 4.0;
                line x1=(LEFT) x2=(WIDTH) y1=(number(y(value))) y2=(number(y(value))) stroke="currentColor" stroke-opacity=".15" {}
                text x=(LEFT - 8.0) y=(number(y(value) + 4.0)) text-anchor="end" fill-opacity=".7" { (scale(value)) }
            }
            @for (index, bar) in bars.iter().enumerate() {
                @let x = LEFT + step * index as f64;
                g {
                    title { (bar.title) }
                    @for (from, to, color) in stacked(&bar.parts) {
                        rect x=(number(x + 0.12 * step)) width=(number(0.76 * step)) y=(number(y(to)))
                            height=(number(y(from) - y(to))) style={ "fill:" (color) } {}
                    }
                }
                @if index % every == 0 {
                    text x=(number(x + step / 2.0)) y=(number(BOTTOM + 18.0)) fill-opacity=".7" { (bar.name) }
                }
            }
        }
    };
    frame(WIDTH as usize, HEIGHT as usize, label, &content)
}

/// The parts of a bar, each with where it begins and ends.
fn stacked(parts: &[(f64, &'static str)]) -> Vec<(f64, f64, &'static str)> {
    let mut from = 0.0;
    let mut stacked = Vec::new();
    for &(height, color) in parts {
        if height > 0.0 {
            stacked.push((from, from + height, color));
        }
        from += height;
    }
    stacked
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn share(part: u64, layer: &LayerReport) -> f64 {
    part as f64 / layer.tally.asked.max(1) as f64
}

fn layer_chart(layers: &[LayerReport], name: &str) -> String {
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| {
            let (all, outcome) = (layer.tally.mistakes, layer.tally.outcome_mistakes);
            Bar {
                name: layer.layer.to_string(),
                title: format!(
                    "{} {name}: {} mistakes in {} positions, {} of them lose the outcome",
                    layer.layer,
                    count(all),
                    count(layer.tally.asked),
                    count(outcome)
                ),
                parts: vec![
                    (share(outcome, layer), "var(--bad)"),
                    (share(all - outcome, layer), "var(--fair)"),
                ],
            }
        })
        .collect();
    let highest = layers
        .iter()
        .map(|layer| share(layer.tally.mistakes, layer))
        .fold(0.0, f64::max);
    bar_chart(&bars, highest, percent, "mistakes by layer")
}

fn best_chart(layers: &[LayerReport], name: &str) -> String {
    let bars: Vec<Bar> = layers
        .iter()
        .map(|layer| {
            let best = share(layer.tally.perfect_moves, layer);
            Bar {
                name: layer.layer.to_string(),
                title: format!(
                    "{} {name}: best move in {} of {} positions",
                    layer.layer,
                    percent(best),
                    count(layer.tally.asked)
                ),
                parts: vec![(best, "var(--good)")],
            }
        })
        .collect();
    bar_chart(&bars, 1.0, percent, "best moves by layer")
}

fn loss_chart(report: &Report) -> String {
    let bars: Vec<Bar> = report
        .by_loss
        .iter()
        .map(|(lost, &mistakes)| Bar {
            name: lost.to_string(),
            title: format!("{} mistakes lost {lost}", count(mistakes)),
            parts: vec![(mistakes as f64, "var(--bad)")],
        })
        .collect();
    let highest = report.by_loss.values().max().copied().unwrap_or(0);
    // A scale of whole numbers.
    let highest = highest.div_ceil(4) * 4;
    bar_chart(
        &bars,
        highest as f64,
        |value| count(value as u64),
        "mistakes by points lost",
    )
}

fn worst(report: &Report) -> Markup {
    html! {
        h2 { "The worst mistakes" }
        p class="soft" { "Marked: the move that it made, and dashed the best ones." }
        div class="grid wide" {
            @for mistake in &report.worst { (mistake_card(report, mistake)) }
        }
    }
}

fn mistake_card(report: &Report, mistake: &MistakeReport) -> Markup {
    html! {
        div class="card" {
            (PreEscaped(&mistake.drawing))
            div { code { (mistake.position) } }
            div {
                "played " span class="bad" { (mistake.mv) } " (" (signed(mistake.after)) "), best "
                span class="good" { (mistake.best.join(", ")) } " (" (signed(mistake.due)) ")"
            }
            div class="soft" {
                (mistake.lost) " lost" @if let Some(outcomes) = mistake.outcomes() { ", " (outcomes) }
                @if let Some(alike) = report.alike(mistake) { "; " (alike) }
            }
        }
    }
}

fn refutation(line: &LineReport) -> Markup {
    html! {
        h2 { "How it is punished" }
        p {
            "The AI plays the " (line.side) " side. It could have had " (signed(line.due)) "; against best play it ends with " (signed(line.score)) "."
        }
        p class="soft" {
            @if let Some(number) = line.of_worst { "The mistake is number " (number + 1) " of the worst above. " }
            @if let Some(why) = &line.why_not_from_start { "The line begins at the mistake: " (why) "." }
            @else { "This can happen: from the start on, all moves of the " (line.side) " side are the AI's own." }
        }
        div class="film" {
            @for (number, step) in line.steps.iter().enumerate() {
                div class=(if number == line.mistake { "card marked" } else { "card" }) {
                    (PreEscaped(&step.drawing))
                    (number + 1) ". " (step.side) " plays " b { (step.mv) }
                    @if number == line.mistake { span class="bad" { ", the mistake" } }
                }
            }
            div class="card" {
                (PreEscaped(&line.drawing))
                "the end"
            }
        }
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
