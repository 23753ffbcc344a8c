//! Tests of the page that `check-ai --report` writes.

use crate::check::table_of;
use crate::common;
use zermelo::check::builtin::Builtin;
use zermelo::check::{CheckOptions, InProcess, Report, check, html};
use zermelo::game::{NoProgress, Notation};
use zermelo::games::eight::Eight;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::games::tictactoe::TicTacToe;

fn report_of<G: Notation>(game: &G, ai: &str) -> Report {
    let table = table_of(game);
    let builtin: Builtin = ai.parse().unwrap();
    let contender = InProcess(|| builtin.make(&table));
    let mut report = check(&table, &contender, &CheckOptions::default(), &NoProgress).unwrap();
    report.ai = format!("builtin:{ai}");
    report
}

/// Returns reports on games with letters, discs and pits, and one without pictures.
fn reports() -> [Report; 4] {
    let reversi = Reversi {
        board: Board::FourByFour,
        start: Start::Cross,
    };
    [
        report_of(&TicTacToe::default(), "greedy"),
        report_of(&reversi, "first"),
        report_of(&common::kalah(3, 2, false), "greedy"),
        report_of(&Eight, "first"),
    ]
}

/// Returns the texts between each `from` and the next `to`.
fn between<'a>(page: &'a str, from: &str, to: &str) -> Vec<&'a str> {
    let rest = page.split(from).skip(1);
    rest.map(|rest| rest.split_once(to).unwrap().0).collect()
}

#[test]
fn the_page_names_the_game_and_the_ai() {
    let titles = [
        "builtin:greedy at Tic-tac-toe",
        "builtin:first at Reversi on 4×4 squares, cross start",
        "builtin:greedy at Kalah with 3 pits a side and 2 seeds in each",
        "builtin:first at Eight",
    ];
    for (report, title) in reports().iter().zip(titles) {
        let page = html::page(report);
        assert_eq!(between(&page, "<h1>", "</h1>"), [title]);
        let whole = format!("{title}: imperfect");
        assert_eq!(between(&page, "<head>", "</head>").len(), 1);
        assert!(page.contains(&format!("<title>{whole}</title>")), "{whole}");
    }
}

#[test]
fn pages_support_keyboards_and_screen_readers() {
    for report in reports() {
        let page = html::page(&report);
        assert!(page.contains("<html lang=\"en\">"));
        // There is one main heading and its sections; every link leads to one of them.
        assert_eq!(page.matches("<h1").count(), 1);
        assert_eq!(page.find("<h3"), None);
        let sections = between(&page, "<h2 id=\"", "\"");
        let links = between(&page, "href=\"#", "\"");
        assert_eq!(page.matches("<h2").count(), sections.len());
        assert!(sections.len() >= 6, "{sections:?}");
        assert!(
            links.iter().all(|link| sections.contains(link)),
            "{links:?}"
        );
        assert!(sections.iter().all(|section| links.contains(section)));
        // Every picture has a description, or repeats the words next to it.
        for picture in between(&page, "<svg ", ">") {
            let is_told = picture.contains("role=\"img\" aria-label=\"");
            assert!(
                is_told || picture.contains("aria-hidden=\"true\""),
                "{picture}"
            );
        }
        for table in between(&page, "<table>", "</table>") {
            assert!(table.contains("<th scope=\"col\">") && table.contains("<th scope=\"row\">"));
            assert!(!table.contains("<th>"));
        }
    }
}

#[test]
fn boards_show_pieces_coordinates_and_whose_turn_it_is() {
    let [tictactoe, reversi, kalah, eight] = reports();
    for report in [&tictactoe, &reversi, &kalah, &eight] {
        let line = report.refutation_line.as_ref().unwrap();
        let steps = line.steps.iter().map(|step| &step.drawing);
        for drawing in report.worst.iter().map(|of| &of.drawing).chain(steps) {
            assert!(drawing.contains(" to move<"), "{drawing}");
        }
        assert!(line.drawing.contains("The game is drawn<") || line.drawing.contains(" has won"));
        let mistake = &line.steps[line.mistake].drawing;
        assert!(mistake.contains("best move"), "{mistake}");
    }
    for (report, pieces) in [
        (
            &tictactoe,
            [
                "class=\"cross\"",
                "class=\"nought\"",
                ">a</text>",
                ">3</text>",
            ],
        ),
        (
            &reversi,
            [
                "class=\"stone first\"",
                "class=\"stone second\"",
                ">d</text>",
                ">4</text>",
            ],
        ),
        (
            &kalah,
            [
                ">second&#39;s store</text>",
                ">first&#39;s store</text>",
                ">1</text>",
                ">3</text>",
            ],
        ),
    ] {
        let drawing = &report.worst[0].drawing;
        for piece in pieces {
            let piece = piece.replace("&#39;", "'");
            assert!(drawing.contains(&piece), "{piece}: {drawing}");
        }
        assert!(drawing.contains(": mistake</title>") && drawing.contains(": best move</title>"));
    }
}

#[test]
fn marks_on_boards_are_explained() {
    for report in reports() {
        let page = html::page(&report);
        for words in [
            "a question mark",
            "a tick",
            "a dotted border",
            "a solid border",
        ] {
            // Boards in text need no description.
            assert_eq!(page.contains(words), report.game != "eight", "{words}");
        }
        // Bars differ by more than their colours, too.
        assert!(page.contains("(striped)") && page.contains("(plain)"));
    }
}

/// Returns whether a number is 1, 2 or 5 times a power of ten.
fn is_round(number: f64) -> bool {
    let mantissa = number / 10f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .iter()
        .any(|round| (mantissa - round).abs() < 1e-6)
}

#[test]
fn axes_have_names_and_round_numbers() {
    for report in reports() {
        let page = html::page(&report);
        let axes: Vec<&str> = between(&page, "<text class=\"axis\"", "</text>");
        assert_eq!(axes.len(), 2);
        let of_layers = format!(">{}", report.layer_name);
        assert_eq!(
            axes.iter()
                .filter(|axis| axis.ends_with(&of_layers))
                .count(),
            1
        );
        for chart in between(&page, "aria-label=\"Bar chart: ", "</svg>") {
            let ticks = between(chart, "<text class=\"tick\"", "</text>");
            let ticks = ticks.iter().map(|tick| {
                let (_, number) = tick.split_once('>').unwrap();
                number.replace([',', '%'], "").parse::<f64>().unwrap()
            });
            let ticks: Vec<f64> = ticks.collect();
            assert_eq!(ticks[0], 0.0);
            assert!(is_round(ticks[1]), "{ticks:?}");
            for (number, tick) in ticks.iter().enumerate() {
                assert!((tick - ticks[1] * number as f64).abs() < 1e-6, "{ticks:?}");
            }
        }
    }
}

#[test]
fn pages_have_the_rules_in_plain_words() {
    let mut report = report_of(&TicTacToe::default(), "greedy");
    report.game_rules = "Three in a row <win>.\n\n  a drawing\n\n* X begins".into();
    let page = html::page(&report);
    let [section] = between(&page, "<h2 id=\"rules\">", "<h2")[..] else {
        panic!("no rules");
    };
    assert!(section.contains("<p>Three in a row &lt;win&gt;.</p>"));
    assert!(section.contains("<pre>  a drawing</pre><ul><li>X begins</li></ul>"));
    assert!(section.contains("<b>score</b>"));
}
