//! Tests of the pages of `zermelo serve` without a script.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::Home;
use std::collections::{BTreeSet, VecDeque};

const TTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/ttt.bin");

fn server() -> (Home, Server) {
    let home = Home::with_table("kalah-4-2.bin", &["kalah", "--pits", "4", "--seeds", "2"]);
    let table = home.path("kalah-4-2.bin");
    let args = ["--table", table.to_str().unwrap(), TTT, "--memory", "300M"];
    let server = Server::start(&args);
    (home, server)
}

/// Returns the values of an attribute, in the order of the page.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let before = format!(" {name}=\"");
    let parts = page.split(&before).skip(1);
    parts
        .map(|rest| rest.split('"').next().unwrap())
        .map(|value| value.replace("&amp;", "&").replace("&quot;", "\""))
        .collect()
}

/// Returns the text of a page, without its tags.
fn text(page: &str) -> String {
    let pieces = page
        .split('<')
        .map(|piece| piece.split_once('>').map_or("", |piece| piece.1));
    let text: Vec<&str> = pieces.flat_map(str::split_whitespace).collect();
    text.join(" ")
}

/// Returns the links to moves, each as the move's name and its address.
fn moves(page: &str) -> Vec<(String, String)> {
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

fn follow(server: &Server, path: &str) -> (String, Reply) {
    let mut path = path.to_owned();
    for _ in 0..5 {
        let reply = server.get(&path);
        if reply.status != 303 {
            return (path, reply.succeeds());
        }
        path = reply.header("location").to_owned();
    }
    panic!("{path} leads on and on");
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
        let is_searched = path.contains("kalah-6") || path.contains("connect4");
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
        "review",
        "assets",
        "api",
    ] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn the_home_page_says_what_there_is_and_who_wins() {
    let (_home, server) = server();
    let page = text(&server.get("/").succeeds().body);
    for words in [
        "Kalah with 4 pits a side and 2 seeds in each",
        "First player wins by 6",
        "table of 66,265 classes",
        "Tic-tac-toe",
        "A draw",
        "Connect Four with 7 columns and 6 rows",
        "Searched as you go",
    ] {
        assert!(page.contains(words), "no \"{words}\" in: {page}");
    }
}

#[test]
fn what_is_damaged_or_too_large_is_said_where_it_is() {
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

/// Compares the scores of moves on pages with `query`, along a line and beside it.
#[test]
fn each_move_has_the_score_that_query_has() {
    let (_home, server) = server();
    for (game, noun, line) in [
        ("kalah-4-2", "Pit", &["3", "4", "1", "2", "2", "4"][..]),
        ("ttt", "Cell", &["b2", "a1", "c3", "b1", "c1"]),
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
            let position = attributes(&page, "value").pop().unwrap();
            let answer = server.get(&format!(
                "/api/{game}?line=1&position={}",
                encoded(&position)
            ));
            let answer = answer.succeeds().json();
            let scores = answer["moves"].as_array().unwrap();
            let labels = attributes(&page, "aria-label");
            for of in scores {
                let (mv, score) = (of["move"].as_str().unwrap(), of["score"].as_i64().unwrap());
                let words = match score {
                    1.. => format!("wins by {score}"),
                    0 => "draws".to_owned(),
                    _ => format!("loses by {}", -score),
                };
                let is_best = score == scores[0]["score"].as_i64().unwrap();
                let best = if is_best { ", a best move" } else { "" };
                let signed = match score {
                    0 => "0".to_owned(),
                    _ => format!("{score:+}").replace('-', "\u{2212}"),
                };
                // The score is on the board and in the list.
                let label = format!("{noun} {mv}: {signed}, {words}{best}");
                assert!(labels.contains(&label), "{path}: {label} in {labels:?}");
                let best = if is_best { " \u{2605} best" } else { "" };
                let row = format!("{mv} {signed} {words}{best}");
                assert!(text(&page).contains(&row), "{path}: {row}");
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
        "/explore/kalah-4-2",
        "/explore/kalah-4-2?played=3",
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
    assert!(said.contains("X (first player) has won, +3"), "{said}");
    assert!(said.contains("+3 X (first player) has won, +3."), "{said}");
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
fn nobody_wins_a_lost_position_against_the_perfect_player() {
    let (_home, server) = server();
    for seed in 0..6 {
        let mut path = format!("/play/kalah-4-2?as=second&mistakes=0&seed={seed}");
        let mut choices = seed as usize;
        loop {
            let (here, page) = follow(&server, &path);
            let said = text(&page.body);
            if said.contains("Look at the game again") {
                assert!(said.contains("You have lost by"), "{here}: {said}");
                let review = here.replace("/play/", "/review/");
                let again = text(&server.get(&review).succeeds().body);
                assert!(
                    again.contains("The first player has made 0 mistakes"),
                    "{again}"
                );
                break;
            }
            assert!(said.contains("It is your turn."), "{here}: {said}");
            let moves = moves(&page.body);
            choices = choices * 7 + 3;
            path = moves[choices % moves.len()].1.clone();
        }
    }
}

#[test]
fn opponents_play_as_they_are_said_to() {
    let (_home, server) = server();
    // A player who always errs does so at the first move, which has one best move.
    let (path, _) = follow(&server, "/play/kalah-4-2?as=second&mistakes=100");
    let review = text(
        &server
            .get(&path.replace("/play/", "/review/"))
            .succeeds()
            .body,
    );
    assert!(review.contains("Move 1: Pit"), "{review}");
    // A player without mistakes takes the win.
    let position = encoded("XX.OO....");
    let path = format!("/play/ttt?position={position}&as=second");
    let (path, page) = follow(&server, &path);
    assert!(path.contains("played=c1"), "{path}");
    assert!(text(&page.body).contains("You have lost by 3."));
    for wrong in [
        "as=third",
        "as=first&mistakes=many",
        "as=first&mistakes=101",
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
fn a_review_names_the_mistakes() {
    let (_home, server) = server();
    let page = server.get("/review/ttt?played=b2+b1+a1+c3+a3").succeeds();
    let said = text(&page.body);
    // An edge in answer to the centre loses; the rest of the game shows the punishment.
    assert!(said.contains("the second player 1 mistake."), "{said}");
    assert!(
        said.contains("Move 2: Cell b1 of the second player"),
        "{said}"
    );
    assert!(said.contains("a draw turned into a loss"), "{said}");
    assert_eq!(page.body.matches("class=\"point").count(), 6);
}

#[test]
fn a_puzzle_has_one_winning_move_and_its_answer() {
    let (_home, server) = server();
    for (path, game, noun) in [
        ("/puzzles/kalah-4-2", "kalah-4-2", "Pit"),
        ("/puzzles/ttt?seed=4", "ttt", "Cell"),
    ] {
        let page = server.get(path).succeeds().body;
        let cards: Vec<&str> = page.split("<section class=\"card\"").skip(1).collect();
        assert!(!cards.is_empty(), "{path}");
        for card in cards {
            let links = attributes(card, "href");
            let all = links.iter().find(|link| !link.contains("played=")).unwrap();
            let position = all.split_once("position=").unwrap().1;
            let answer = server
                .get(&format!("/api/{game}?position={position}"))
                .succeeds()
                .json();
            let moves = answer["moves"].as_array().unwrap();
            let wins: Vec<&str> = moves
                .iter()
                .filter(|of| of["score"].as_i64().unwrap() > 0)
                .map(|of| of["move"].as_str().unwrap())
                .collect();
            assert_eq!(wins.len(), 1, "{position}");
            let said = text(card);
            assert!(
                said.contains(&format!("The answer {noun} {} wins by", wins[0])),
                "{said}"
            );
            // Every move can be tried on the board, with the page's verdict.
            let tries: Vec<&String> = links
                .iter()
                .filter(|link| link.contains("played="))
                .collect();
            assert_eq!(tries.len(), moves.len(), "{position}");
            for link in tries {
                let is_right = link.contains(&format!("played={}&", wins[0]));
                let said = text(&server.get(link).succeeds().body);
                assert_eq!(
                    said.contains("is the only move that wins"),
                    is_right,
                    "{link}"
                );
                assert_eq!(said.contains("another move wins"), !is_right, "{link}");
            }
        }
    }
    server.get("/puzzles/connect4").fails_with(404, "searched");
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
    a_long_search_says_what_is_proven(&["/play/kalah-6-4?as=second&mistakes=0"]);
}

#[test]
#[ignore = "exhaustive: 3 s"]
fn all_pages_about_a_long_search_say_what_is_proven_and_look_again() {
    a_long_search_says_what_is_proven(&["/explore/kalah-6-4", "/review/kalah-6-4?played=1"]);
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
    let path = "/explore/connect4?played=1+2+1+2+1+2+1";
    let page = server.get(path).succeeds().body;
    assert!(!page.contains("data-again") && text(&page).contains("has won, +"));
}

#[test]
fn a_table_without_a_start_begins_with_an_example() {
    let home = Home::with_table("end.bin", &["kalah", "--pits", "3", "--up-to", "6"]);
    let table = home.path("end.bin");
    let server = Server::start(&["--table", table.to_str().unwrap()]);
    let home_page = server.get("/").succeeds().body;
    assert!(text(&home_page).contains("An endgame, with no start of its own"));
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
    assert_eq!(assets.len(), 3);
    for asset in assets {
        let reply = server.get(asset).succeeds();
        assert!(reply.header("cache-control").contains("immutable"));
        assert!(asset.contains("?v="), "{asset}");
    }
    server.get("/assets/other.css").fails_with(404, "");
}
