//! Tests of statements about games in the documents and the help.

use crate::run::ROOT;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use zermelo::any::{AnyFamily, FAMILIES};
use zermelo::game::{Endless, Family, NoProgress, Notation, SearchSetup, Values};
use zermelo::games::connect4::{Connect4, Parameters};
use zermelo::games::dobutsu::Dobutsu;
use zermelo::games::kalah::{Kalah, Rules};
use zermelo::games::lgame::LGame;
use zermelo::games::merels::Kind;
use zermelo::games::oware::OwareFamily;
use zermelo::games::reversi::{Board, Reversi, Start};
use zermelo::oracle::Wanted;

fn play<G: Notation>(game: &G, mv: &str, from: &str) -> String {
    let position = game.parse_position(from).unwrap();
    let mv = game.parse_move(mv).unwrap();
    assert!(game.legal_moves(&position).contains(&mv), "{from}");
    game.format_position(&game.play(&position, mv))
}

/// Checks each "Pit 3 turns `…` into `…`" of docs/reference/games.md.
#[test]
fn moves_lead_where_the_document_says() {
    let path = Path::new(ROOT).join("docs/reference/games.md");
    let text = fs::read_to_string(path).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let parts: Vec<&str> = text.split(" turns `").collect();
    assert_eq!(parts.len(), 10);
    for pair in parts.windows(2) {
        let before: Vec<&str> = pair[0].rsplitn(4, ' ').collect();
        let (mv, noun, earlier) = (before[0], before[1], before[2]);
        let (from, rest) = pair[1].split_once("` into `").unwrap();
        let (to, _) = rest.split_once('`').unwrap();
        let found = match noun {
            "Pit" | "pit" => {
                let rules = Rules {
                    pits: 4,
                    seeds: 2,
                    // "With the variant `--empty-capture` … is empty: pit 1 turns".
                    empty_capture: earlier == "empty:",
                };
                play(&Kalah::new(rules).unwrap(), mv, from)
            }
            "Square" => {
                let (board, start) = (Board::FourByFour, Start::Cross);
                play(&Reversi { board, start }, mv, from)
            }
            "Column" => play(&Connect4::new(Parameters::default()).unwrap(), mv, from),
            _ => panic!("{noun} {mv} of no game"),
        };
        assert_eq!(found, to, "{noun} {mv} from {from}");
    }
}

fn reads<F: Family>(family: &F, values: &Values, position: &str) -> bool {
    let game = family.game(values).unwrap();
    game.parse_position(position).is_ok()
}

#[test]
fn positions_in_the_rules_in_words_can_be_read() {
    for family in FAMILIES {
        let text = family.rules_in_words();
        // Moves and positions are in quotation marks.
        let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        assert!(!quoted.is_empty(), "{}", family.name());
        let mut values = Values::default();
        let sizes = [("pits", "6"), ("seeds", "2")];
        for (name, value) in sizes
            .into_iter()
            .chain([("steps", "orthogonal"), ("squares", "small")])
        {
            values.set(name, value);
        }
        let game = family.game_with(&values).unwrap();
        assert_eq!(game.rules_in_words(), text);
        let positions = quoted.into_iter().filter(|&word| word != "pass");
        let setup = SearchSetup::new(1, 64 << 20);
        // Positions of games with repetition can be read, but not searched.
        let oracle = match game.endless() {
            Endless::Impossible => Some(game.search(&setup, &NoProgress).unwrap()),
            Endless::Draw => None,
        };
        for position in positions {
            let is_read = match (&oracle, family.name()) {
                (Some(oracle), _) => oracle.view(Some(position), &[]).is_ok(),
                (None, "lgame") => LGame.parse_position(position).is_ok(),
                (None, "dobutsu") => Dobutsu.parse_position(position).is_ok(),
                (None, "morris3") => reads(&Kind::Morris, &values, position),
                (None, "teeko") => reads(&Kind::Teeko, &values, position),
                (None, "oware") => reads(&OwareFamily, &values, position),
                (None, name) => panic!("how is a position of {name} read?"),
            };
            assert!(is_read, "{}: {position}", family.name());
        }
    }
}

/// Checks the picture at the top of the README.
#[test]
fn the_scores_in_the_picture_are_those_of_the_game() {
    let path = Path::new(ROOT).join("docs/kalah.svg");
    let picture = fs::read_to_string(path).unwrap();
    let family: &dyn AnyFamily = FAMILIES[0];
    let game = family
        .game_of_words("pits=6 seeds=2 capture=standard")
        .unwrap();
    let setup = SearchSetup::new(1, 64 << 20);
    let oracle = game.search(&setup, &NoProgress).unwrap();
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    let moves = oracle.ask(None, wanted, None).unwrap().moves.unwrap();
    assert_eq!(moves.len(), 6);
    for (pit, score) in moves {
        let score = match score {
            1.. => format!("+{score}"),
            0 => "0".to_owned(),
            _ => format!("\u{2212}{}", -score),
        };
        // The score stands just before the pit.
        let (before, _) = picture.split_once(&format!(">pit {pit}</text>")).unwrap();
        let texts: Vec<&str> = before.split("</text>").collect();
        assert!(
            texts[texts.len() - 2].ends_with(&format!(">{score}")),
            "pit {pit} scores {score}"
        );
    }
}

/// Checks that the tests named in the table of CONTRIBUTING.md exist.
#[test]
fn promises_name_tests_that_there_are() {
    let root = Path::new(ROOT);
    let text = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let (_, table) = text
        .split_once("## Which test keeps which promise")
        .unwrap();
    let mut tests = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let mut source = String::new();
        for name in row.split('`').skip(1).step_by(2) {
            if name.ends_with(".rs") {
                source = fs::read_to_string(root.join(name)).unwrap();
            } else {
                assert!(source.contains(&format!("fn {name}(")), "{name}");
                tests += 1;
            }
        }
    }
    assert!(tests > 25, "{tests}");
}

/// `.ci/book` looks at the links within the book.
#[test]
fn links_beside_the_book_lead_to_files() {
    let root = Path::new(ROOT);
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let mut links = 0;
    for page in pages {
        let text = fs::read_to_string(root.join(page)).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            if !link.starts_with("https://") {
                let file = link.split('#').next().unwrap();
                assert!(root.join(file).exists(), "{page}: {link}");
                links += 1;
            }
        }
    }
    assert!(links > 10, "{links}");
}

/// Markdown of the book and the pages beside it, with their paths.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(ROOT);
    let folders = [
        "",
        "docs",
        "docs/tutorials",
        "docs/how-to",
        "docs/reference",
    ];
    let folders = folders
        .iter()
        .chain(&["docs/explanation", "docs/results", "python"]);
    let files = folders.flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    let pages = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages
        .map(|path| {
            (
                path.display().to_string(),
                fs::read_to_string(path).unwrap(),
            )
        })
        .collect()
}

/// A formatter that joins lines breaks code blocks and paragraphs.
#[test]
fn fences_and_entries_of_glossaries_begin_lines() {
    let pages = pages();
    assert!(pages.len() > 30);
    for (path, text) in pages {
        let mut is_code = false;
        for (number, line) in (1..).zip(text.lines()) {
            let is_fence = line.trim_start().starts_with("```");
            assert!(is_fence || !line.contains("```"), "{path}:{number}: {line}");
            is_code ^= is_fence;
            let joined = !is_code && line.contains(".  ");
            assert!(!joined, "{path}:{number}: {line}");
        }
        assert!(!is_code, "{path}: a code block has no end");
    }
}

/// Checks the first answer of docs/reference/http-api.md, in which "..." stands for more.
#[test]
fn the_answer_of_the_http_api_is_that_of_the_game() {
    let path = Path::new(ROOT).join("docs/reference/http-api.md");
    let text = fs::read_to_string(path).unwrap();
    let answer = text
        .lines()
        .find(|line| line.starts_with("{\"position\""))
        .unwrap();
    let answer = answer.replace(",...", "");
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let position = answer["position"].as_str().unwrap();
    let best = &answer["moves"][0];
    let kalah = Kalah::new(Rules {
        pits: 6,
        seeds: 2,
        empty_capture: false,
    })
    .unwrap();
    let after = play(&kalah, best["move"].as_str().unwrap(), position);
    assert_eq!(best["position"], after);
    let game = FAMILIES[0]
        .game_of_words("pits=6 seeds=2 capture=standard")
        .unwrap();
    let oracle = game
        .search(&SearchSetup::new(1, 64 << 20), &NoProgress)
        .unwrap();
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    let asked = oracle.ask(Some(position), wanted, None).unwrap();
    assert_eq!(answer["score"], asked.moves.as_ref().unwrap()[0].1);
    let moves = asked.moves.unwrap();
    assert_eq!(best["move"], moves[0].0);
    assert_eq!(best["score"], moves[0].1);
    let is_only = moves[1].1 < moves[0].1;
    assert_eq!(answer["best_moves"].as_array().unwrap().len() == 1, is_only);
}

/// Compares the README's bytes of memory per class with the measurements.
#[test]
fn memory_per_class_is_as_measured() {
    let root = Path::new(ROOT);
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let words = "takes 12 to 19 bytes of memory per class, 1 to 3 for Kalah, and up to 1 for Dots and Boxes";
    assert!(readme.contains(words));
    let figures = benchmarks();
    let mut rows = 0;
    for (row, classes) in &figures {
        let Some(row) = row.strip_suffix(": classes") else {
            continue;
        };
        let classes: f64 = classes.replace(',', "").parse().unwrap();
        let (bytes, unit) = figures[&format!("{row}: memory")].split_once(' ').unwrap();
        let unit = if unit == "GB" { 1e9 } else { 1e6 };
        let each = bytes.parse::<f64>().unwrap() * unit / classes;
        let range = if row.contains("kalah") {
            1.0..3.0
        } else if row.contains("dots") {
            0.1..1.0
        } else if row.contains("teeko") || row.contains("dobutsu") {
            18.0..45.0
        } else {
            12.0..19.0
        };
        assert!(range.contains(&each), "{row}: {each} bytes per class");
        rows += 1;
    }
    assert!(rows >= 5);
}

/// Figures of docs/results/benchmarks.md, by row and column, such as "solve teeko: time".
fn benchmarks() -> HashMap<String, String> {
    let page = Path::new(ROOT).join("docs/results/benchmarks.md");
    let text = fs::read_to_string(page).unwrap();
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().replace('`', "")).collect()
    };
    let (mut figures, mut heading) = (HashMap::new(), Vec::new());
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        if pair[1].starts_with("|---") {
            heading = cells(pair[0]);
        } else if pair[0].starts_with("| ") {
            let row = cells(pair[0]);
            for (name, value) in heading.iter().zip(&row).skip(1) {
                figures.insert(format!("{}: {name}", row[0]), value.clone());
            }
        }
    }
    figures
}

/// Splits a page into its text and its marked figures, `<!-- row: column -->figure<!-- -->`.
fn without_marks(text: &str) -> (String, Vec<(&str, &str)>) {
    let (mut rest, mut marks) = (String::new(), Vec::new());
    let mut parts = text.split("<!-- ");
    rest.push_str(parts.next().unwrap());
    for part in parts {
        let (name, after) = part.split_once("-->").unwrap();
        match name.trim() {
            name if name.contains(": ") => marks.push((name, after)),
            _ => rest.push_str(after),
        }
    }
    (rest, marks)
}

#[test]
fn marked_figures_are_those_of_the_benchmarks() {
    let figures = benchmarks();
    let mut marked = 0;
    for (path, text) in pages() {
        for (name, figure) in without_marks(&text).1 {
            let expected = figures.get(name).map(String::as_str);
            assert_eq!(
                Some(figure),
                expected,
                "{path}: {name}; run tools/benchmarks --copy"
            );
            marked += 1;
        }
    }
    assert!(marked >= 2, "{marked}");
}

/// Limits, settings and the reader's own time, which look like figures of Zermelo's speed.
const NOT_MEASURED: &[&str] = &[
    "to three minutes",
    "90 minutes",
    "(15 minutes)",
    "(30 minutes)",
    "takes ten minutes",
    "takes five minutes",
    "after five minutes",
    "last 4 kB",
    "10 seconds",
    "to 1 MB",
    "most 512 MiB",
    "most 16 GB",
    "to 1 GB",
];

#[test]
fn measured_figures_stand_only_in_the_benchmarks() {
    let units = "s ms µs min second seconds minute minutes hour hours kB MB GB MiB GiB megabyte megabytes \
                 gigabyte gigabytes";
    let numbers = "half two three four five six seven eight nine ten twenty thirty few several";
    let is_number = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            || numbers.split(' ').any(|number| number == word)
    };
    let folders = [
        "README.md",
        "docs/tutorials",
        "docs/how-to",
        "docs/explanation",
    ];
    let mut found = Vec::new();
    for (path, text) in pages() {
        let name = path
            .strip_prefix(ROOT)
            .unwrap_or(&path)
            .trim_start_matches('/');
        if !folders.iter().any(|folder| name.starts_with(folder)) {
            continue;
        }
        let (text, _) = without_marks(&text);
        let prose: String = text.split("```").step_by(2).collect();
        let prose: String = prose.split('`').step_by(2).collect::<Vec<_>>().join("code");
        let words: Vec<&str> = prose.split_whitespace().collect();
        for at in 1..words.len() {
            let word = |back: usize| words.get(at.wrapping_sub(back)).copied().unwrap_or("");
            let unit = word(0).trim_matches(|c: char| !c.is_alphanumeric());
            let number = word(1).trim_start_matches('(');
            let is_half = word(2) == "half" && matches!(number, "a" | "an");
            let is_figure = is_number(number) || is_half;
            let phrase = format!("{} {} {}", word(2), word(1), word(0));
            if is_figure
                && units.split(' ').any(|one| one == unit)
                && !NOT_MEASURED.iter().any(|allowed| phrase.contains(allowed))
            {
                found.push(format!("{name}: {phrase}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "mark or omit these figures:\n{}",
        found.join("\n")
    );
}

#[test]
fn the_readme_names_all_programs_that_are_installed() {
    let root = Path::new(ROOT);
    let manifest = fs::read_to_string(root.join("program/Cargo.toml")).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, install) = readme.split_once("cargo install --path program\n").unwrap();
    let (install, _) = install.split_once("\n## ").unwrap();
    let programs = manifest.split("[[bin]]\nname = \"").skip(1);
    let programs: Vec<&str> = programs.filter_map(|rest| rest.split('"').next()).collect();
    assert!(programs.contains(&"check-ai"));
    for program in programs {
        assert!(install.contains(&format!("`{program}`")), "{program}");
    }
}
