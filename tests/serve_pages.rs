//! Tests of the pages of `zermelo serve` without a script.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::{Home, TTT, wait_until};
use std::collections::{BTreeSet, VecDeque};

fn server() -> (Home, Server) {
    let home = Home::with_table("kalah-4-2.bin", &["kalah", "--pits", "4", "--seeds", "2"]);
    let table = home.path("kalah-4-2.bin");
    let args = ["--table", table.to_str().unwrap(), TTT, "--memory", "300M"];
    let server = Server::start(&args);
    (home, server)
}

/// Returns the values of an attribute, in the order of the page.
pub fn attributes(page: &str, name: &str) -> Vec<String> {
    let before = format!(" {name}=\"");
    let parts = page.split(&before).skip(1);
    parts
        .map(|rest| rest.split('"').next().unwrap())
        .map(|value| value.replace("&amp;", "&").replace("&quot;", "\""))
        .collect()
}

/// Returns the text of a page, without its tags.
pub fn text(page: &str) -> String {
    let pieces = page
        .split('<')
        .map(|piece| piece.split_once('>').map_or("", |piece| piece.1));
    let text: Vec<&str> = pieces.flat_map(str::split_whitespace).collect();
    text.join(" ").replace("&quot;", "\"")
}

/// Returns the links to moves, each as the move's name and its address.
pub fn moves(page: &str) -> Vec<(String, String)> {
    let links = page
        .split("<a ")
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap());
    let moves = links.filter_map(|link| {
        let link = format!(" {link}");
        let name = attributes(&link, "data-key").pop()?;
        Some((name, attributes(&link, "href").pop().unwrap()))
    });
    moves.collect()
}

pub fn follow(server: &Server, path: &str) -> (String, Reply) {
    let mut path = path.to_owned();
    for _ in 0..5 {
        let reply = server.get(&path);
        if ![303, 308].contains(&reply.status) {
            return (path, reply.succeeds());
        }
        path = reply.header("location").to_owned();
    }
    panic!("{path} leads on and on");
}

/// A page comes at once with its board, and its scores follow.
#[test]
fn a_searched_position_has_its_board_before_its_scores() {
    let server = Server::start(&["--table", TTT, "--memory", "300M"]);
    let page = server.get("/explore/kalah-6-4").succeeds();
    for text in [
        "<svg",
        "data-again=",
        "http-equiv=\"refresh\"",
        "Not known yet",
    ] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    let cookie = page.header("set-cookie");
    assert!(
        cookie.ends_with("; Path=/; SameSite=Lax; HttpOnly"),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    // A client keeps its cookie; files and programs need none.
    let known = server.request("GET", "/explore/ttt", &[("Cookie", cookie)], b"");
    assert_eq!(known.succeeds().header("set-cookie"), "");
    for path in ["/api/ttt", "/assets/style.css"] {
        assert_eq!(server.get(path).succeeds().header("set-cookie"), "");
    }
}

/// Checks every page within a few hundred links.
///
/// A page must load nothing from elsewhere and contain nothing that its policy forbids.
#[test]
fn all_links_lead_to_whole_pages() {
    let (_home, server) = server();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut waiting = VecDeque::from(["/".to_owned()]);
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = waiting.pop_front()
        && seen.len() < 250
    {
        // Searches take time, and have their own tests.
        let solved = ["ttt", "kalah-4-2", "/assets", "/api/games", "/api/openapi"];
        let is_searched = path != "/" && !solved.iter().any(|part| path.contains(part));
        if is_searched && !path.starts_with("/rules") || !seen.insert(path.clone()) {
            continue;
        }
        let (_, page) = follow(&server, &path);
        let kind = path.split(['/', '?']).nth(1).unwrap().to_owned();
        // Each kind of page is checked.
        let is_new = kinds.insert(kind);
        if !page.header("content-type").starts_with("text/html") {
            continue;
        }
        assert!(
            page.header("content-security-policy")
                .contains("default-src 'none'")
        );
        for forbidden in [
            " style=\"",
            "<style",
            "<script>",
            "javascript:",
            " onclick",
            "http://",
            "https://",
        ] {
            let namespace = page
                .body
                .replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
            assert!(!namespace.contains(forbidden), "{path} has {forbidden}");
        }
        assert_eq!(page.body.matches("<h1").count(), 1, "{path}");
        assert!(page.body.contains("<title>") && page.body.contains("lang=\"en\""));
        let ids = attributes(&page.body, "id");
        let different: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(ids.len(), different.len(), "{path}: {ids:?}");
        for link in attributes(&page.body, "href") {
            if let Some(id) = link.strip_prefix('#') {
                assert!(ids.iter().any(|known| known == id), "{path}: {link}");
            } else if is_new {
                waiting.push_front(link);
            } else {
                waiting.push_back(link);
            }
        }
    }
    for kind in [
        "",
        "explore",
        "play",
        "puzzles",
        "statistics",
        "rules",
        "assets",
        "api",
    ] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn the_home_page_has_a_card_for_each_game_with_familiar_ones_first() {
    let (home, _server) = server();
    let copy = home.path("noughts.bin");
    std::fs::copy(TTT, &copy).unwrap();
    let tables = [home.path("kalah-4-2.bin"), TTT.into(), copy];
    let tables = tables.map(|table| table.to_str().unwrap().to_owned());
    let [kalah, ttt, copy] = &tables;
    let server = Server::start(&["--table", kalah, ttt, copy, "--memory", "300M"]);
    let page = server.get("/").succeeds().body;
    let words = text(&page);
    let mut rest = &*words;
    for next in [
        "Tic-tac-toe A draw noughts",
        "Connect Four 7 columns and 6 rows",
        "5 columns and 4 rows",
        "Kalah 4 pits a side and 2 seeds in each: the first player wins by 6",
        "6 pits a side and 2 seeds in each",
        "6 pits a side and 4 seeds in each",
        "Reversi 4×4 squares, cross start",
        "an octagon of 24 squares",
        "Dots and Boxes",
        "Three Men's Morris",
        "The L game",
        "Oware",
        "Other boards",
    ] {
        let found = rest.find(next);
        rest = &rest[found.unwrap_or_else(|| panic!("no \"{next}\" in: {words}"))..];
    }
    for unwanted in ["classes", "searched, because", "Teeko", " B "] {
        assert!(!words.contains(unwanted), "{words}");
    }
    let links = attributes(&page, "href");
    for id in ["noughts", "kalah-4-2", "kalah-6-3", "lgame"] {
        assert!(links.contains(&format!("/explore/{id}")), "{links:?}");
    }
}

#[test]
fn damaged_and_large_tables_are_reported_on_their_pages() {
    let home = Home::new();
    let mut bytes = std::fs::read(TTT).unwrap();
    bytes[200] ^= 1;
    std::fs::write(home.path("broken3.bin"), bytes).unwrap();
    let table = home.path("broken3.bin");
    let server = Server::start(&["--table", table.to_str().unwrap(), "--memory", "20M"]);
    let page = text(&server.get("/").succeeds().body);
    assert!(page.contains("is damaged"), "{page}");
    let games = server.get("/api/games").succeeds().json();
    let error = games["games"][0]["error"].as_str().unwrap();
    assert!(error.contains("is damaged"), "{error}");
    // The names of files keep their case.
    let page = text(&server.get("/explore/broken3").body);
    assert!(!page.contains("Broken3.bin"), "{page}");
    let large = server.get("/api/kalah-6-4").fails_with(507, "may be used");
    assert!(large.headers.iter().all(|(name, _)| name != "retry-after"));
}

/// Returns a score's sign and its words in a game of points.
fn in_points(score: i64) -> (String, String) {
    let words = match score {
        1.. => format!("wins by {score}"),
        0 => "draws".to_owned(),
        _ => format!("loses by {}", -score),
    };
    let sign = match score {
        0 => "0".to_owned(),
        _ => format!("{score:+}").replace('-', "\u{2212}"),
    };
    (sign, words)
}

/// Returns the same for a move of tic-tac-toe after a number of moves, where X has 5 marks and O
/// has 4.
fn in_moves(score: i64, made: usize) -> (String, String) {
    let is_first = (made.is_multiple_of(2)) == (score > 0);
    let left = if is_first {
        5 - made.div_ceil(2)
    } else {
        4 - made / 2
    };
    let moves = left as i64 + 1 - score.abs();
    let (letter, verb) = match score {
        1.. => ("W", "wins"),
        0 => return ("D".to_owned(), "draws".to_owned()),
        _ => ("L", "loses"),
    };
    let words = match (score.abs(), moves) {
        (1, _) => format!("{verb} with the last mark"),
        (_, 1) => format!("{verb} in 1 move"),
        _ => format!("{verb} in {moves} moves"),
    };
    (format!("{letter}{moves}"), words)
}

/// Compares the scores of moves on pages with `query`, along a line and beside it.
#[test]
fn each_move_has_the_score_that_query_has() {
    let (_home, server) = server();
    for (game, noun, line) in [
        ("kalah-4-2", "Pit", &["3", "4", "1", "2", "2", "4"][..]),
        ("ttt", "Square", &["b2", "a1", "c3", "b1", "c1"]),
    ] {
        for length in 0..=line.len() {
            let path = format!("/explore/{game}?played={}", line[..length].join("+"));
            let reply = server.get(&path);
            if reply.status != 200 {
                // The move is illegal there, and so is the rest of the line.
                assert_eq!(reply.status, 400, "{path}");
                break;
            }
            let page = reply.body;
            let position = attributes(&page, "data-position").pop().unwrap();
            let answer = server.get(&format!(
                "/api/{game}?line=1&position={}",
                encoded(&position)
            ));
            let answer = answer.succeeds().json();
            let scores = answer["moves"].as_array().unwrap();
            let labels = attributes(&page, "aria-label");
            let all_alike = scores.iter().all(|of| of["score"] == scores[0]["score"]);
            for of in scores {
                let (mv, score) = (of["move"].as_str().unwrap(), of["score"].as_i64().unwrap());
                let is_best = score == scores[0]["score"].as_i64().unwrap() && !all_alike;
                let best = if is_best { ", a best move" } else { "" };
                let (sign, words) = match game {
                    "ttt" => in_moves(score, length),
                    _ => in_points(score),
                };
                // The score is on the board and in the list, with the moves of the same score.
                let label = format!("{noun} {mv}: {sign}, {words}{best}");
                assert!(labels.contains(&label), "{path}: {label} in {labels:?}");
                let best = if is_best { ", best" } else { "" };
                let (initial, rest) = words.split_at(1);
                let row = match all_alike && scores.len() > 1 {
                    true => format!("Every move {words} "),
                    false => format!("{sign} {}{rest}{best} ", initial.to_uppercase()),
                };
                let said = text(&page);
                let (_, names) = said.split_once(&row).expect(&row);
                assert!(
                    names.split(' ').any(|name| name == mv),
                    "{path}: {row}{names}"
                );
            }
            assert_eq!(moves(&page).len(), scores.len());
            let line: Vec<&str> = answer["line"]
                .as_array()
                .unwrap()
                .iter()
                .map(|mv| mv.as_str().unwrap())
                .collect();
            let shown = format!("Best play from here {}", line.join(" "));
            assert!(text(&page).contains(&shown), "{shown}");
        }
    }
}

#[test]
fn links_lead_on_back_and_to_the_start() {
    let (_home, server) = server();
    let page = server.get("/explore/kalah-4-2?played=3+4").succeeds().body;
    let next: Vec<String> = moves(&page).into_iter().map(|mv| mv.1).collect();
    assert!(
        next.iter()
            .all(|path| path.starts_with("/explore/kalah-4-2?played=3+4+"))
    );
    let links = attributes(&page, "href");
    for path in [
        "/explore/kalah-4-2?played=3+4&at=0",
        "/explore/kalah-4-2?played=3+4&at=1",
        "/explore/kalah-4-2?played=3+4",
    ] {
        assert!(links.iter().any(|link| link == path), "{path}: {links:?}");
    }
    // The page is the same whenever it is opened.
    assert_eq!(server.get(&next[0]).body, server.get(&next[0]).body);
    // A line may start at any position.
    let position = encoded("2,2,0,3:1/2,2,2,2:0 first");
    let page = server
        .get(&format!("/explore/kalah-4-2?position={position}&played=4"))
        .succeeds();
    for link in moves(&page.body) {
        server.get(&link.1).succeeds();
    }
}

#[test]
fn the_end_of_a_game_says_who_has_won() {
    let (_home, server) = server();
    let page = server.get("/explore/ttt?played=a1+a2+b1+b2+c1").succeeds();
    let said = text(&page.body);
    assert!(said.matches("X has won").count() == 1, "{said}");
    assert!(!said.contains("+3"), "{said}");
    // The line of three is marked.
    assert_eq!(page.body.matches("class=\"deciding\"").count(), 3);
    assert!(moves(&page.body).is_empty());
    server
        .get("/explore/ttt?played=a1+a2+b1+b2+c1+c2")
        .fails_with(400, "The game is over there".to_lowercase().as_str());
    server
        .get("/explore/ttt?played=a1+a1")
        .fails_with(400, "is not legal");
    server
        .get("/explore/ttt?played=q")
        .fails_with(400, "can&#39;t be read".replace("&#39;", "'").as_str());
}

/// A perfect first player never loses the win of Kalah with 4 pits and 2 seeds.
#[test]
fn the_perfect_player_never_loses_a_won_position() {
    let (_home, server) = server();
    for seed in 0..6 {
        let mut path = format!("/play/kalah-4-2?as=second&level=10&seed={seed}");
        let mut choices = seed as usize;
        loop {
            let (here, page) = follow(&server, &path);
            let said = text(&page.body);
            if said.contains("Look at the game again") {
                assert!(said.contains("You have lost by"), "{here}: {said}");
                let explored = here.replace("/play/", "/explore/");
                let again = text(&server.get(&explored).succeeds().body);
                assert!(
                    again.contains("The first player 0, the second player")
                        || again.contains("No mistakes"),
                    "{again}"
                );
                break;
            }
            assert!(said.contains("It is your turn"), "{here}: {said}");
            assert!(!said.contains("wins by"), "{here}: {said}");
            let moves = moves(&page.body);
            choices = choices * 7 + 3;
            path = moves[choices % moves.len()].1.clone();
        }
    }
}

#[test]
fn opponents_play_as_they_are_said_to() {
    let (_home, server) = server();
    // The weakest player errs with some seeds at the first move, which has one best move.
    let start = server.get("/api/kalah-4-2").succeeds().json();
    let best = format!("played={}", start["best_moves"][0].as_str().unwrap());
    let errs = (1..9).filter(|seed| {
        let path = format!("/play/kalah-4-2?as=second&level=1&seed={seed}");
        let (path, page) = follow(&server, &path);
        assert!(text(&page.body).contains("at level 1, beginner on the first day"));
        !path.contains(&best)
    });
    assert!(errs.count() > 0);
    // At a game without a table it answers at once, too.
    let (path, _) = follow(&server, "/play/kalah-6-4?as=second&level=9");
    assert!(path.contains("played="), "{path}");
    // A player without mistakes takes the win.
    let position = encoded("XX.OO....");
    let path = format!("/play/ttt?position={position}&as=second");
    let (path, page) = follow(&server, &path);
    assert!(path.contains("played=c1"), "{path}");
    assert!(text(&page.body).contains("You have lost"));
    for wrong in [
        "as=third",
        "as=first&level=many",
        "as=first&level=11",
        "as=first&seed=x",
    ] {
        let reply = server.get(&format!("/play/ttt?{wrong}"));
        assert_eq!(reply.status, 400, "{wrong}");
    }
    // No scores are shown.
    let (_, page) = follow(&server, "/play/kalah-4-2?as=first");
    assert!(!text(&page.body).contains("wins by"));
}

#[test]
fn a_line_has_its_board_its_chart_and_its_mistakes_on_one_page() {
    let (_home, server) = server();
    for at in 0..=5_i32 {
        let page = server.get(&format!("/explore/ttt?played=b2+b1+a1+c3+a3&at={at}"));
        let page = page.succeeds().body;
        let said = text(&page);
        // An edge in answer to the centre loses; the rest of the game shows the punishment.
        assert!(said.contains("X 0, O 1."), "{said}");
        assert!(said.contains("Move 2: O played square b1"), "{said}");
        assert!(said.contains("a draw turned into a loss"), "{said}");
        assert_eq!(page.matches("class=\"point").count(), 6);
        // The board shows the position after as many moves, and all moves stay.
        assert_eq!(page.matches("class=\"cross\"").count() as i32, (at + 1) / 2);
        assert!(said.contains("Start b2 b1? a1 c3 a3"), "{said}");
        let steps: Vec<&str> = page
            .split("<a ")
            .filter(|link| link.contains("rel=\""))
            .collect();
        for (rel, to) in [
            ("first", 0),
            ("prev", at - 1),
            ("next", at + 1),
            ("last", 5),
        ] {
            let is_there = (0..=5).contains(&to) && to != at;
            let link = steps
                .iter()
                .find(|link| link.contains(&format!("rel=\"{rel}\"")));
            let end = if to < 5 {
                format!("&amp;at={to}\"")
            } else {
                "a3\"".to_owned()
            };
            assert_eq!(
                link.unwrap().contains(&end),
                is_there,
                "{at} {rel} {link:?}"
            );
        }
        let mistake = page.contains("data-step=\"mistake\"");
        assert_eq!(mistake, at != 1);
    }
    // The line's own move keeps the moves after it, and another one replaces them.
    let page = server.get("/explore/ttt?played=b2+b1+a1+c3+a3&at=1").body;
    let next: Vec<(String, String)> = moves(&page);
    let to = |mv: &str| &next.iter().find(|next| next.0 == mv).unwrap().1;
    assert_eq!(to("b1"), "/explore/ttt?played=b2+b1+a1+c3+a3&at=2");
    assert_eq!(to("a1"), "/explore/ttt?played=b2+a1");
    // A number beyond the end means the end.
    let beyond = server.get("/explore/ttt?played=b2&at=9").succeeds().body;
    let end = server.get("/explore/ttt?played=b2").succeeds().body;
    assert_eq!(moves(&beyond), moves(&end));
    server.get("/review/ttt?played=b2").fails_with(404, "");
}

/// "Why?" leads to the position after a mistake, on a line with best play from there.
#[test]
fn mistakes_lead_to_their_refutations() {
    let (_home, server) = server();
    // From the list of mistakes, in explored lines and in games with scores.
    for page in [
        "/explore/ttt?played=b2+b1+a1+c3+a3&at=4",
        "/play/ttt?played=b2+b1+a1+c3&as=both&hide=0",
    ] {
        let page = server.get(page).succeeds().body;
        let links = attributes(&page, "href");
        let why = links.iter().find(|link| link.contains("why=2")).unwrap();
        assert!(why.starts_with("/explore/ttt?played=b2+b1&"), "{why}");
        let (address, reply) = follow(&server, why);
        assert!(
            address.starts_with("/explore/ttt?played=b2+b1+"),
            "{address}"
        );
        let said = text(&reply.body);
        // The refutation is stepped through, and its last move decides.
        let mut step = address.clone();
        while let Some(link) = next(&server.get(&step).succeeds().body) {
            assert!(link.contains("why=2"), "{link}");
            step = link;
        }
        let end = text(&server.get(&step).succeeds().body);
        assert!(end.contains("X has won"), "{end}");
        let line = address.split(['=', '&']).nth(1).unwrap();
        let names: Vec<&str> = line.split('+').collect();
        let last = names.last().unwrap();
        let reason = format!(
            "After square b1, X plays square {}; in the end, square {last} completes a row.",
            names[2]
        );
        assert!(said.contains(&reason), "{said}");
        // Another move leaves the refutation.
        let others = moves(&reply.body);
        assert!(
            others.iter().any(|other| !other.1.contains("why")),
            "{others:?}"
        );
    }
    // The effect of the refuting move follows from the rules.
    for (page, reason) in [
        (
            "/explore/ttt?played=a1+b1+a2+b2+c3&why=5",
            "O plays square b3 and completes a row.",
        ),
        (
            "/explore/reversi4-cross?played=a2&why=1",
            "After a2, White plays a1 and turns 1 disc.",
        ),
    ] {
        let mut said = String::new();
        wait_until("the scores of the page", || {
            said = text(&follow(&server, page).1.body);
            !said.contains("This page updates itself")
        });
        assert!(said.contains(reason), "{said}");
    }
    // In Kalah, the stores count.
    let (address, reply) = follow(&server, "/explore/kalah-4-2?played=1&why=1");
    let said = text(&reply.body);
    assert!(address.contains("&at=1&why=1"), "{address}");
    assert!(
        said.contains("After pit 1, the second player plays pit "),
        "{said}"
    );
    // Hidden scores hide refutations, and games show none until scores are shown.
    for page in [
        "/explore/ttt?played=b2+b1&why=2&hide=1",
        "/play/ttt?played=b2+b1+a1&as=both",
    ] {
        let page = server.get(page).succeeds().body;
        assert!(
            !page.contains("class=\"why\"") && !page.contains("Why?"),
            "{page}"
        );
    }
}

/// Returns the address of the next position of a page's line.
fn next(page: &str) -> Option<String> {
    let link = page
        .split("<a ")
        .find(|link| link.contains("rel=\"next\""))?;
    attributes(&format!(" {}", link.split('>').next()?), "href").pop()
}

#[test]
fn a_verdict_has_no_number_with_another_sign() {
    let (_home, server) = server();
    let page = server.get("/explore/kalah-4-2?played=3+4").succeeds().body;
    let verdict = page.split("id=\"verdict\"").nth(1).unwrap();
    let verdict = verdict.split("</p>").next().unwrap();
    assert!(verdict.contains("With best play the "), "{verdict}");
    assert!(
        !verdict.contains("pill") && !verdict.contains('+'),
        "{verdict}"
    );
}

#[test]
fn scores_of_connect_four_are_in_moves_and_its_players_have_colours() {
    let (_home, server) = server();
    let mut page = String::new();
    wait_until("the scores", || {
        let reply = server.get("/explore/connect4?played=1+2+1+2+1+3");
        page = reply.succeeds().body;
        !page.contains("data-again")
    });
    let said = text(&page);
    for words in [
        "Red (X) to move",
        "With best play Red (X) wins in 1 move; Red (X) wins soonest with column 1.",
        "W1 Wins in 1 move, best 1 W17 Wins in 17 moves 2 ",
        "Moves of Red (X)",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let page = server
        .get("/explore/connect4?played=1+2+1+2+1+3+1")
        .succeeds()
        .body;
    assert!(text(&page).contains("Red (X) has won"));
    assert_eq!(page.matches("class=\"deciding\"").count(), 4);
    // Programs get the number, and rules are about the board.
    let answer = server
        .get("/api/connect4?position=121213")
        .succeeds()
        .json();
    assert_eq!(answer["score"], 18);
    let rules = server.get("/rules/connect4").succeeds().body;
    assert!(!rules.contains("--") && rules.contains("class=\"board rack\""));
}

#[test]
fn a_page_says_what_happened() {
    let (_home, server) = server();
    let page = server
        .get("/explore/kalah-4-2?played=3+4+1")
        .succeeds()
        .body;
    let said = text(&page);
    assert!(
        said.contains("The first player played pit 3, then 4")
            || said.contains("The second player played pit 1"),
        "{said}"
    );
    assert!(page.contains("class=\"last\"") && page.contains("class=\"change\""));
    // At the end of a game of Kalah, the rest has an owner.
    let position = encoded("1,0,0,0:5/0,0,0,2:8 first");
    let page = server.get(&format!("/explore/kalah-4-2?position={position}&played=1"));
    assert!(page.status == 200 || page.status == 400);
    let position = encoded("0,0,0,1:5/0,0,0,2:8 first");
    let said = text(
        &server
            .get(&format!("/explore/kalah-4-2?position={position}&played=4"))
            .succeeds()
            .body,
    );
    let rest = "The second player gets the 2 seeds left in the second player's pits";
    assert!(said.to_lowercase().contains(&rest.to_lowercase()), "{said}");
    assert!(said.contains("Second player has won by 4"), "{said}");
}

#[test]
fn scores_can_be_hidden_and_the_board_turned() {
    let (_home, server) = server();
    let page = server
        .get("/explore/kalah-4-2?played=3&hide=1&flip=1")
        .succeeds()
        .body;
    let said = text(&page);
    for words in ["wins by", "loses by", "Best move", "Scores of the line"] {
        assert!(!said.contains(words), "{words}: {said}");
    }
    // Links keep both.
    let next = moves(&page);
    assert!(
        !next.is_empty() && next.iter().all(|mv| mv.1.contains("flip=1&hide=1")),
        "{next:?}"
    );
    assert!(page.contains("class=\"board wood turned\""));
    // Who plays second sits below.
    for (player, is_turned) in [("first", false), ("second", true)] {
        let (_, page) = follow(&server, &format!("/play/kalah-4-2?as={player}&seed=1"));
        assert_eq!(
            page.body.contains("board wood turned"),
            is_turned,
            "{player}"
        );
    }
    // Connect Four has no sides.
    let page = server
        .get("/explore/connect4?played=4&flip=1&hide=1")
        .succeeds()
        .body;
    assert!(page.contains("class=\"board rack\""));
}

#[test]
fn two_people_play_at_one_board_and_the_program_against_itself() {
    let (_home, server) = server();
    let (_, page) = follow(&server, "/play/ttt?as=both&played=a1+b1");
    assert!(text(&page.body).contains("X to move"));
    assert_eq!(moves(&page.body).len(), 7);
    let mut path = "/play/ttt?as=none&seed=2".to_owned();
    for number in 0..=9 {
        let (_, page) = follow(&server, &path);
        let next = page
            .body
            .split("<a ")
            .find(|link| link.contains("data-watch"));
        let Some(next) = next else {
            assert_eq!(number, 9);
            assert!(text(&page.body).contains("The game is drawn"));
            return;
        };
        assert!(moves(&page.body).is_empty());
        path = attributes(&format!(" {next}"), "href").remove(0);
    }
    panic!("the game never ends");
}

#[test]
fn a_tree_has_the_scores_of_its_positions_and_marks_what_comes_again() {
    let (_home, server) = server();
    let page = server.get("/explore/ttt?played=b2").succeeds().body;
    assert!(!page.contains("class=\"tree\"") && page.contains("tree=2"));
    let page = server.get("/explore/ttt?played=b2&tree=2").succeeds().body;
    let tree = page.split("id=\"tree\"").nth(1).unwrap();
    let said = text(tree);
    // After the centre, all edges are equivalent, and so are all corners.
    assert_eq!(said.matches("same as after").count() % 2, 0);
    assert!(said.contains("same as after a1"), "{said}");
    assert!(said.contains("b1 L3 loses in 3 moves"), "{said}");
    server
        .get("/explore/ttt?tree=4")
        .fails_with(400, "from 0 to 3");
}

#[test]
fn a_box_reads_positions_and_games() {
    let (_home, server) = server();
    for (typed, read, line) in [
        (
            "b2 a1",
            "You entered a game of 2 moves: b2 a1.",
            "Start b2 a1",
        ),
        (
            "B2a1",
            "You entered a game of 2 moves: b2 a1.",
            "Start b2 a1",
        ),
        (
            "1. b2, a1; 2.c3",
            "You entered a game of 3 moves: b2 a1 c3.",
            "Start b2 a1 c3",
        ),
        ("X...O....", "You entered a position.", "X to move"),
    ] {
        let page = server.get(&format!("/explore/ttt?text={}", encoded(typed)));
        let said = text(&page.succeeds().body);
        assert!(
            said.contains(read) && said.contains(line),
            "{typed}: {said}"
        );
    }
    let said = text(
        &server
            .get("/explore/connect4?text=4453&hide=1")
            .succeeds()
            .body,
    );
    assert!(
        said.contains("You entered a game of 4 moves: 4 4 5 3."),
        "{said}"
    );
    let full = server.get("/explore/connect4?text=4-4-4-4-4-4-4&hide=1");
    assert_eq!(full.status, 400);
    let said = text(&full.body);
    assert!(said.contains("Move 7, \"4\", is not legal"), "{said}");
    assert!(said.contains("the legal moves are 1, 2, 3, 5"), "{said}");
    // What can't be read stays in the box, with the board.
    for (query, problem, played) in [
        (
            "text=b2+b2",
            "move 2, \"b2\", is not legal in \"....x....\": the legal moves are a1,",
            "Start b2",
        ),
        ("text=nonsense", "can't read \"nonsense\"", "Start"),
        ("position=nonsense", "can't read \"nonsense\"", "Start"),
        ("played=b2+b2+c1", "\"b2\", is not legal", "Start b2"),
    ] {
        let page = server.get(&format!("/explore/ttt?{query}"));
        assert_eq!(page.status, 400, "{query}");
        let said = text(&page.body);
        assert!(
            said.to_lowercase().contains(problem) || said.contains("Can't read"),
            "{query}: {said}"
        );
        assert!(said.contains("Tic-tac-toe") && page.body.contains("class=\"board paper\""));
        assert!(
            played == "Start" || said.contains(played),
            "{query}: {said}"
        );
        if let Some((_, typed)) = query.split_once("text=") {
            let typed = typed.replace('+', " ");
            let field = format!(">{typed}</textarea>");
            assert!(page.body.contains(&field), "{query}");
        }
    }
    // A game that can't have come about goes on from its legal part.
    for query in ["as=first&level=3&seed=1&played=b2+b2", "played=b2+b2"] {
        let page = server.get(&format!("/play/ttt?{query}"));
        assert_eq!(page.status, 400, "{query}");
        let said = text(&page.body);
        assert!(said.contains("\"b2\", is not legal"), "{query}: {said}");
        assert!(page.body.contains("class=\"board paper\""), "{query}");
        assert_eq!(said.contains("Go on from here"), query.starts_with("as"));
    }
    let nearest = server.get("/explore/conect4");
    let nearest = nearest.fails_with(404, "did you mean connect4?");
    assert!(nearest.body.contains("opens other boards"));
    // A position that can't come up is shown without scores, whether it is pasted or not.
    for name in ["text", "position"] {
        let query = format!("{name}=8,0,0,0:0/8,0,0,0:0+first");
        let page = server.get(&format!("/explore/kalah-4-2?{query}"));
        assert_eq!(page.status, 404, "{query}");
        let said = text(&page.body);
        assert!(said.contains("it can't come up in kalah(4,2)"), "{said}");
        assert!(page.body.contains("class=\"board wood\"") && !said.contains("hidden"));
        assert!(page.body.contains(">8,0,0,0:0/8,0,0,0:0 first</textarea>"));
    }
    // A position with a slip is no game.
    let slip = server.get("/explore/kalah-4-2?text=2,2,2,2:0/2,2,2,1:0");
    slip.fails_with(400, "15 seeds");
    // A page that can't be shown leads back to its game.
    for page in ["/search/ttt?position=bad", "/explore/ttt?tree=9"] {
        let back = server.get(page).fails_with(400, "Back to Tic-tac-toe");
        assert!(back.body.contains("href=\"/explore/ttt\""), "{page}");
    }
}

/// Returns whether a text has the results of a puzzle's best and second-best moves.
fn reason(said: &str, moves: &[serde_json::Value], noun: &str) -> bool {
    let noun = noun.to_lowercase();
    let [best, next] = [0, 1].map(|number| moves[number]["move"].as_str().unwrap());
    let wins = format!("Right: {noun} {best} wins ");
    let result = match moves[1]["score"].as_i64().unwrap() {
        0 => "only draws",
        _ => "loses ",
    };
    let next = format!("; the next best move, {noun} {next}, {result}");
    said.contains(&wins) && said.contains(&next)
}

/// Checks that each puzzle leads to the next one of its sheet, and the last one to the next sheet.
fn leads_on(server: &Server, game: &str, level: &str, puzzles: &[serde_json::Value]) {
    let id = |puzzle: &serde_json::Value| puzzle["id"].as_str().unwrap().to_owned();
    let next = server.get(&format!("/api/{game}/puzzles?{level}&seed=5"));
    let next = next.succeeds().json()["puzzles"][0].clone();
    for (number, puzzle) in puzzles.iter().enumerate() {
        let (to, seed) = match puzzles.get(number + 1) {
            Some(next) => (id(next), 4),
            None => (id(&next), 5),
        };
        let on = format!("/puzzles/{game}/{}/next?{level}&seed=4", id(puzzle));
        let to = format!("/puzzles/{game}/{to}?{level}&seed={seed}");
        assert_eq!(server.get(&on).header("location"), to);
        server.get(&to).succeeds();
    }
}

/// Puzzles are the same on any machine, have one winning move that doesn't end the game at once,
/// and a wrong try gives nothing away.
#[test]
fn a_puzzle_has_one_winning_move_and_keeps_it() {
    let (_home, server) = server();
    let mut seen = 0;
    for (game, noun, level) in [
        ("kalah-4-2", "Pit", "easy"),
        ("kalah-4-2", "Pit", "medium"),
        ("kalah-4-2", "Pit", "hard"),
        ("ttt", "Square", "easy"),
    ] {
        let query = format!("{game}?seed=4&level={level}");
        let listed = server.get(&format!("/api/{game}/puzzles?seed=4&level={level}"));
        let listed = listed.succeeds().json();
        let puzzles = listed["puzzles"].as_array().unwrap();
        assert_eq!(
            (&listed["level"], &listed["seed"]),
            (&level.into(), &4.into())
        );
        let page = server.get(&format!("/puzzles/{query}")).succeeds().body;
        assert_eq!(
            page.matches("data-puzzle=").count(),
            puzzles.len(),
            "{query}"
        );
        assert!(
            page.contains("Answers") && page.contains("seed 4"),
            "{query}"
        );
        assert_eq!(page.matches("Answer: ").count(), puzzles.len(), "{query}");
        leads_on(&server, game, &format!("level={level}"), puzzles);
        for puzzle in puzzles {
            let [id, position, solution] =
                ["id", "position", "solution"].map(|key| puzzle[key].as_str().unwrap());
            assert!(page.contains(&format!("/puzzles/{game}/{id}?")), "{id}");
            assert_eq!(puzzle["level"], level);
            let ask = format!("/api/{game}?moves=true&position={}", encoded(position));
            let answer = server.get(&ask).succeeds().json();
            let moves = answer["moves"].as_array().unwrap();
            let loss = moves[0]["score"].as_i64().unwrap() - moves[1]["score"].as_i64().unwrap();
            assert_eq!(moves[0]["move"], solution);
            assert!(moves[0]["score"].as_i64() > Some(0) && moves[1]["score"].as_i64() <= Some(0));
            assert_eq!(puzzle["runner_up_loss"], loss);
            // It doesn't win at once.
            let after = format!(
                "/explore/{game}?position={}&played={solution}",
                encoded(position)
            );
            assert!(
                !text(&server.get(&after).succeeds().body).contains("has won"),
                "{after}"
            );
            let own = format!("/puzzles/{game}/{id}");
            let said = text(&server.get(&own).succeeds().body);
            assert!(
                said.contains(&format!("The answer {noun} {solution} wins ")),
                "{said}"
            );
            for of in moves {
                let mv = of["move"].as_str().unwrap();
                let page = server.get(&format!("{own}?try={mv}")).succeeds().body;
                let shown = page.split("<details>").next().unwrap();
                let is_right = mv == solution;
                assert_eq!(shown.contains("Not this one"), !is_right, "{own}");
                assert_eq!(page.contains("data-solved"), is_right, "{own}");
                assert!(!shown.contains("class=\"score"), "{own}");
                // The right move is made. After others, the board is still that of the puzzle.
                let again = shown.contains(&format!("try={solution}\""));
                assert_eq!(again, !is_right, "{own}");
                let on = shown.contains(&format!("/puzzles/{game}/{id}/next?"));
                assert_eq!(on, is_right, "{own}");
                let moved = attributes(shown, "data-position") != [position];
                assert_eq!(moved, is_right, "{own}");
                assert_eq!(shown.contains("Why?"), !is_right, "{own}");
                if is_right {
                    assert!(reason(&text(shown), moves, noun), "{shown}");
                } else {
                    // The refutation doesn't name the solution.
                    let links = attributes(shown, "href");
                    let why = links.iter().find(|link| link.contains("why=0")).unwrap();
                    let page = follow(&server, why).1.body;
                    assert!(page.contains("class=\"why\""), "{why}");
                    assert!(!text(&page).contains("; better: "), "{why}");
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 12, "{seen}");
    server.get("/puzzles/connect4").fails_with(404, "searched");
    server.get("/puzzles/ttt/xyz").fails_with(404, "no puzzle");
    server.get("/puzzles/ttt/0").fails_with(404, "no puzzle");
    server
        .get("/puzzles/ttt?level=harder")
        .fails_with(400, "level=medium");
    server
        .get("/api/ttt/puzzles?levels=easy")
        .fails_with(400, "levels");
}

#[test]
fn statistics_have_the_numbers_of_info() {
    let (_home, server) = server();
    let page = text(&server.get("/statistics/ttt").succeeds().body);
    let info = server.get("/api/ttt/statistics").succeeds().json();
    assert_eq!(info["path"], "ttt.bin");
    assert!(page.contains("Scores, for the side to move"));
    assert!(page.contains("627 classes of positions"), "{page}");
    for layer in info["by_layer"].as_array().unwrap() {
        let row = format!("{} {} ", layer["layer"], layer["classes"]);
        assert!(page.contains(&row), "{row}: {page}");
    }
    server
        .get("/statistics/connect4")
        .fails_with(404, "searched");
}

/// A page appears at once, and says that its search is not finished.
#[test]
fn a_page_about_a_long_search_says_what_is_proven_and_looks_again() {
    a_long_search_says_what_is_proven(&["/play/kalah-6-4?as=second&level=10"]);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn all_pages_about_a_long_search_say_what_is_proven_and_look_again() {
    a_long_search_says_what_is_proven(&["/explore/kalah-6-4", "/explore/kalah-6-4?played=1"]);
}

fn a_long_search_says_what_is_proven(paths: &[&str]) {
    let (_home, server) = server();
    for path in paths {
        let page = server.get(path).succeeds().body;
        assert!(
            page.contains("data-again=\"")
                && page.contains("<noscript><meta http-equiv=\"refresh\"")
        );
        assert!(text(&page).contains("hinking"), "{path}");
    }
    let page = server.get("/explore/kalah-6-4").body;
    assert_eq!(moves(&page).len(), 6);
    // The page of a finished position doesn't reload.
    let path = "/explore/connect4?played=1+2+1+2+1+2+1&hide=1";
    let page = server.get(path).succeeds().body;
    assert!(!page.contains("data-again") && text(&page).contains("has won"));
}

#[test]
fn a_table_without_a_start_begins_with_an_example() {
    let home = Home::with_table("end.bin", &["kalah", "--pits", "3", "--up-to", "6"]);
    let table = home.path("end.bin");
    let server = Server::start(&["--table", table.to_str().unwrap()]);
    let home_page = server.get("/").succeeds().body;
    assert!(text(&home_page).contains("an endgame, with no start of its own"));
    let games = server.get("/api/games").succeeds().json();
    let endgame = &games["games"][0];
    assert_eq!(
        (&endgame["id"], &endgame["error"]),
        (&"end".into(), &serde_json::Value::Null)
    );
    assert_eq!(
        (endgame.get("start"), &endgame["first_player_score"]),
        (None, &serde_json::Value::Null)
    );
    let link = attributes(&home_page, "href")
        .into_iter()
        .find(|link| link.starts_with("/explore/end"))
        .unwrap();
    assert!(link.contains("position="), "{link}");
    let page = server.get(&link).succeeds();
    assert!(!moves(&page.body).is_empty());
    server.get("/explore/end").fails_with(400, "no start");
    server.get("/statistics/end").succeeds();
    // The contents of the stores are unknown, and the page doesn't claim that they are empty.
    let puzzles = server.get("/puzzles/end").succeeds().body;
    assert!(puzzles.contains("first&#39;s store: ?") || puzzles.contains("first's store: ?"));
    assert!(!text(&page.body).contains("difference of the stores"));
}

#[test]
fn assets_are_kept_and_named_by_their_contents() {
    let (_home, server) = server();
    let page = server.get("/").body;
    let links = [attributes(&page, "href"), attributes(&page, "src")].concat();
    let assets: Vec<&String> = links
        .iter()
        .filter(|link| link.starts_with("/assets/"))
        .collect();
    assert_eq!(assets.len(), 4);
    for asset in assets {
        let reply = server.get(asset).succeeds();
        assert!(reply.header("cache-control").contains("immutable"));
        assert!(asset.contains("?v="), "{asset}");
    }
    server.get("/assets/other.css").fails_with(404, "");
}

#[test]
fn a_search_is_shown_step_by_step() {
    let (_home, server) = server();
    let first = "/search/ttt?position=XX.OO....&method=alphabeta&depth=3";
    let (mut path, mut visits, mut cuts, mut questions) = (first.to_owned(), 0, 0, 0);
    loop {
        let page = server.get(&path).succeeds().body;
        let words = text(&page);
        assert!(page.contains("class=\"still paper\""));
        assert_eq!(page.matches("id=\"now\"").count(), 1);
        visits += usize::from(words.contains(&format!("Visit {}: ", visits + 1)));
        cuts += usize::from(words.contains("The value reaches β, so "));
        // The root has a value only at the end.
        assert!(!page.contains("root  +") || words.contains("The search ends"));
        assert!(visits > 2 || !words.contains("never visited"), "{words}");
        let answer = |cut: &str| {
            let links = attributes(&page, "href").into_iter();
            let mut links = links.filter(|link| link.contains(&format!("cut={cut}")));
            Some(links.next()?.replace("#now", ""))
        };
        let next = page.split("<a ").find(|link| link.contains("rel=\"next\""));
        let Some(next) = next else { break };
        path = attributes(&format!(" {next}"), "href").pop().unwrap();
        path = path.replace("#now", "");
        if let (Some(searched), Some(cut)) = (answer("0"), answer("1")) {
            questions += 1;
            let [searched, cut] = [searched, cut].map(|path| text(&server.get(&path).body));
            let unasked = text(&server.get(&path).body);
            let (right, wrong) = match unasked.contains(": stop. ") {
                true => (cut, searched),
                false => (searched, cut),
            };
            assert!(right.contains("Right. α = ") && right.contains("1 of 1 prediction"));
            assert!(wrong.contains("Not this time. α = ") && wrong.contains("0 of 1 prediction"));
            assert!(unasked.contains("α = ") && !unasked.contains("prediction"));
        }
    }
    let last = text(&server.get(&path).succeeds().body);
    // Minimax visits each of 5 moves, and 4 and 3 moves after those that don't win.
    let all = format!("The search ends after {visits} visits and 4 cuts. Minimax makes 61 visits.");
    assert!(last.contains(&all) && cuts == 4 && questions > 10, "{last}");
    assert!(last.contains("Back at the root The value is +3"), "{last}");
    let at = |step: usize| text(&server.get(&format!("{first}&step={step}")).body);
    assert!(at(2).contains("square c2") && at(2).contains("α = +3, β = ∞: go on."));
    assert!(at(7).contains("7 visits so far. Minimax makes 7 "));
    assert!(at(8).contains("α = 0, β = -3: stop. Square c1 already refutes square c2."));
    assert!(at(8).contains("7 visits so far. Minimax makes 19 "));
    for (query, status, problem) in [
        ("position=XX.OO....&method=best", 400, "no method"),
        (
            "position=XX.OO....&depth=9",
            400,
            "a whole number from 0 to 4",
        ),
        ("position=XX.OO....&step=9999", 200, "The search ends"),
        ("position=XX.OO....&step=2&cut=maybe", 400, "true or false"),
        ("position=XXXOO....", 422, "game is over"),
    ] {
        let reply = server.get(&format!("/search/ttt?{query}"));
        assert_eq!(reply.status, status, "{query}");
        assert!(text(&reply.body).contains(problem), "{}", reply.body);
    }
}

#[test]
fn a_board_is_framed_only_by_the_sites_allowed() {
    let args = [
        "--table",
        TTT,
        "--allow-embed",
        "https://example.org",
        "--allow-embed",
        "http://localhost:8000",
    ];
    let server = Server::start(&args);
    let has_header = |page: &Reply, name: &str| page.headers.iter().any(|header| header.0 == name);
    let page = server.get("/embed/ttt?position=XX.OO....").succeeds();
    let policy = page.header("content-security-policy").to_owned();
    assert!(
        policy.ends_with("frame-ancestors https://example.org http://localhost:8000"),
        "{policy}"
    );
    assert!(!has_header(&page, "x-frame-options"));
    let words = text(&page.body);
    assert!(
        words.contains("X to move") && words.contains("Explore this position"),
        "{words}"
    );
    assert!(page.body.contains("class=\"board paper\""));
    assert!(attributes(&page.body, "href").contains(&"/explore/ttt?position=XX.OO....".to_owned()));
    // Moves stay in the frame.
    let next = "/embed/ttt?position=XX.OO....&played=c1".to_owned();
    assert!(attributes(&page.body, "href").contains(&next));
    // A game that is over, and a line of moves.
    let page = server.get("/embed/ttt?played=a1+a2+b1+b2+c1").succeeds();
    assert!(text(&page.body).contains("X has won"));
    assert!(attributes(&page.body, "href").contains(&"/embed/ttt?played=a1+a2+b1+b2".to_owned()));
    // Hidden scores are not looked for, and a problem has no link that would leave the frame.
    let page = server.get("/embed/ttt?played=a1&hide=1").succeeds();
    assert!(text(&page.body).contains("Scores are hidden."));
    let page = server.get("/embed/ttt?played=zz");
    assert_eq!(page.status, 400);
    assert!(!page.body.contains("<a ") && text(&page.body).contains("zz"));
    // All other pages, and this one without the option.
    let closed = Server::start(&["--table", TTT]);
    for page in [server.get("/explore/ttt"), closed.get("/embed/ttt")] {
        let page = page.succeeds();
        assert!(
            page.header("content-security-policy")
                .contains("frame-ancestors 'none'")
        );
        assert_eq!(page.header("x-frame-options"), "DENY");
    }
    for wrong in [
        "example.org",
        "https://example.org/slides",
        "https://a.org; script-src *",
    ] {
        let done = Home::new().zermelo(&["serve", "--allow-embed", wrong]);
        assert_eq!(done.code, Some(2), "{wrong}");
        assert!(done.err.contains("https://example.org"), "{}", done.err);
    }
}

#[test]
fn a_move_into_a_full_column_is_named_in_a_pasted_game() {
    let (_home, server) = server();
    let page = server.get("/explore/connect4?text=44444444").body;
    assert!(
        page.contains("Move 7, &quot;4&quot;, is not legal"),
        "{page}"
    );
}

/// The short id of a searched game still names it when it has a table of another name.
#[test]
fn a_board_has_both_of_its_ids_before_and_after_it_is_solved() {
    let home = Home::with_table(
        "connect4-5-4-4.bin",
        &["connect4", "--columns", "5", "--rows", "4"],
    );
    let table = home.path("connect4-5-4-4.bin");
    for server in [
        server().1,
        Server::start(&["--table", table.to_str().unwrap()]),
    ] {
        for id in ["connect4-5-4", "connect4-5-4-4"] {
            follow(&server, &format!("/explore/{id}"));
            follow(&server, &format!("/api/{id}/rules"));
        }
    }
}

#[test]
fn only_boards_that_can_be_answered_are_offered() {
    let (_home, server) = server();
    let page = server.get("/").succeeds().body;
    assert!(page.contains("name=\"game\" value=\"oware\""), "{page}");
    assert!(!page.contains("name=\"game\" value=\"teeko\""), "{page}");
    for board in ["game=teeko", "game=oware&pits=6&seeds=9"] {
        let reply = server.get(&format!("/boards?{board}"));
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert!(
            text(&reply.body).contains("too large to be solved here"),
            "{}",
            reply.body
        );
    }
}
