//! Tests of the HTTP API: the answers of `query` and `info`, and its errors.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::{Home, ROOT, TTT};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn kalah() -> Home {
    Home::with_table("kalah-4-2.bin", &["kalah", "--pits", "4", "--seeds", "2"])
}

fn server(home: &Home, more: &[&str]) -> Server {
    let table = home.path("kalah-4-2.bin");
    let args = [&["--table", table.to_str().unwrap(), TTT], more].concat();
    Server::start(&args)
}

const POSITIONS: [&str; 6] = [
    "2,2,2,2:0/2,2,2,2:0 first",
    "2,2,0,3:1/2,2,2,2:0 first",
    "0,3,1,4:1/3,0,1,3:1 second",
    "1,1,1,1/1,1,1,1 second",
    "0,0,0,0:16/0,0,0,0:0 first",
    "nonsense <b>&\"",
];

#[test]
fn answers_are_those_of_query() {
    let home = kalah();
    let server = server(&home, &[]);
    for (parameters, options) in [
        ("", &[][..]),
        ("&line=true", &["--line"]),
        ("&question=draw%3F&moves", &["--moves"]),
    ] {
        for position in POSITIONS {
            let path = format!("/api/kalah-4-2?position={}{parameters}", encoded(position));
            let question = parameters.contains("question").then_some("draw?");
            // Errors name the path of the file as given to the server.
            let table = home.path("kalah-4-2.bin");
            let words: Vec<&str> = ["query", table.to_str().unwrap()]
                .into_iter()
                .chain(question)
                .chain(["--json", "--position", position])
                .chain(options.iter().copied())
                .collect();
            let asked = home.zermelo(&words);
            let expected: serde_json::Value = serde_json::from_str(&asked.out).unwrap();
            let found = server.get(&path).json_of_query();
            // To `query`, a finished position is an error.
            if found["over"] == true {
                assert!(expected["error"].to_string().contains("the game is over"));
                continue;
            }
            assert_eq!(found, expected, "{path}");
        }
    }
}

#[test]
fn without_a_position_it_is_about_the_start() {
    let home = kalah();
    let server = server(&home, &[]);
    for path in [
        "/api/ttt",
        "/api/v1/ttt",
        "/api/ttt?position=",
        "/api/ttt?position=.........",
    ] {
        let reply = server.get(path).succeeds();
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.json()["position"], ".........", "{path}");
        assert_eq!(reply.json()["moves"].as_array().unwrap().len(), 9);
    }
}

#[test]
fn a_batch_is_that_of_query() {
    let home = kalah();
    let server = server(&home, &[]);
    let lines = POSITIONS.join("\n");
    let table = home.path("kalah-4-2.bin");
    let args = ["query", table.to_str().unwrap(), "--batch", "--json"];
    let expected = home.zermelo_reading(&args, lines.as_bytes()).out;
    let reply = server.post("/api/kalah-4-2/batch", &lines).succeeds();
    assert_eq!(reply.header("content-type"), "application/x-ndjson");
    assert_eq!(reply.body, expected);
    // More lines than are ever answered together.
    let many = format!("{}\n", POSITIONS[0]).repeat(10_000);
    let reply = server.post("/api/kalah-4-2/batch", &many).succeeds();
    let first = expected.lines().next().unwrap();
    assert_eq!(reply.body.lines().count(), 10_000);
    assert!(reply.body.lines().all(|line| line == first));
    assert_eq!(server.post("/api/ttt/batch", "").succeeds().body, "");
    let more = "\n".repeat((16 << 20) + 1);
    let refused = server.post("/api/ttt/batch", more);
    refused.fails_with(413, "at most 16777216 bytes");
}

#[test]
fn a_line_that_is_too_long_costs_only_its_own_answer() {
    let home = kalah();
    let server = server(&home, &[]);
    let lines = format!("{}\n.........\n", "X".repeat(10_000_000));
    let reply = server.post("/api/ttt/batch", &lines).succeeds();
    let answers: Vec<&str> = reply.body.lines().collect();
    assert_eq!(answers.len(), 2);
    assert!(
        answers[0].contains("the line has 10,000,000 bytes"),
        "{}",
        answers[0]
    );
    assert!(answers[0].len() < 1000);
    assert!(answers[1].contains("\"score\":0"), "{}", answers[1]);
}

#[test]
fn statistics_are_those_of_info() {
    let home = kalah();
    let server = server(&home, &[]);
    let table = home.path("kalah-4-2.bin");
    let expected = home.zermelo(&["info", table.to_str().unwrap(), "--json"]);
    let mut expected: serde_json::Value = serde_json::from_str(&expected.succeeds()).unwrap();
    // The server must not reveal the path of the table.
    expected["path"] = "kalah-4-2.bin".into();
    let found = server.get("/api/kalah-4-2/statistics").succeeds().json();
    assert_eq!(found, expected);
    let searched = server.get("/api/connect4/statistics");
    searched.fails_with(404, "only tables have statistics");
}

#[test]
fn tables_come_first_and_games_without_one_are_searched() {
    let home = kalah();
    let server = server(&home, &[]);
    let games = server.get("/api/games").succeeds().json();
    let list = games["games"].as_array().unwrap();
    let named: Vec<(&str, &str)> = list
        .iter()
        .map(|game| {
            (
                game["id"].as_str().unwrap(),
                game["source"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [
            ("kalah-4-2", "table"),
            ("ttt", "table"),
            ("connect4-5-4", "search"),
            ("kalah-6-2", "search"),
            ("kalah-6-3", "search"),
            ("kalah-6-4", "search"),
            ("connect4", "search"),
        ]
    );
    assert_eq!(list[0]["classes"], 66_265);
    assert_eq!(list[0]["first_player_score"], 6);
}

#[test]
fn errors_are_json_with_the_status_that_fits() {
    let home = kalah();
    let server = server(&home, &[]);
    for (path, status, text) in [
        ("/api/chess", 404, "there is no game \\\"chess\\\""),
        ("/api/ttt/nothing", 404, "nothing at this address"),
        (
            "/api/ttt?position=Q",
            400,
            "row 1 has 1 square instead of 9",
        ),
        ("/api/ttt?position=%ff", 400, "not UTF-8"),
        ("/api/%ff", 400, "not UTF-8"),
        (
            "/api/ttt?postion=.........",
            400,
            "the parameters are position, played, question",
        ),
        ("/api/ttt?moves=maybe", 400, "write true or false"),
        ("/api/ttt?question=why", 400, "not a question"),
        ("/api/ttt?line=1&line=1", 400, "comes twice"),
        (
            "/api/kalah-4-2?position=1,1,1,1/1,1,1,1",
            404,
            "kalah-4-2.bin",
        ),
        ("/api/ttt/batch", 405, "doesn't support that method"),
        ("/api/games?x=1", 400, "no parameter"),
    ] {
        let reply = server.get(path).fails_with(status, text);
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
        assert!(reply.json()["error"].is_string(), "{path}");
    }
}

#[test]
fn a_front_end_gets_all_that_it_needs_to_play() {
    let home = kalah();
    let server = server(&home, &[]);
    let get = |path: &str| server.get(path).succeeds().json();
    for path in [
        "/api/ttt?position=XXXOO....",
        "/api/ttt?played=a1+b1+a2+b2+a3",
    ] {
        let over = get(path);
        assert_eq!(over["over"], true, "{over}");
        assert_eq!(over["first_player_score"], 3);
        assert_eq!(
            (&over["score"], &over["outcome"]),
            (&(-3).into(), &"loss".into())
        );
    }
    // The third pit's last seed falls into the store.
    let answer = get("/api/kalah-4-2");
    let moves = answer["moves"].as_array().unwrap();
    let third = moves.iter().find(|mv| mv["move"] == "3").unwrap();
    assert_eq!(third["again"], true);
    assert_eq!(third["position"], "2,2,0,3:1/2,2,2,2:0 first");
    let after = get("/api/kalah-4-2?played=3");
    assert_eq!(after["position"], third["position"]);
    assert_eq!(after["score"], third["score"]);
    assert!(moves.iter().any(|mv| mv["again"] == false));
    let wrong = server.get("/api/ttt?played=a1+a1");
    wrong.fails_with(400, "move 2, \\\"a1\\\", is not legal");
    let board = server.get("/api/ttt/board.svg?played=b2").succeeds();
    assert_eq!(board.header("content-type"), "image/svg+xml");
    assert!(
        board
            .header("content-security-policy")
            .contains("unsafe-inline")
    );
    let board = roxmltree::Document::parse(&board.body).unwrap();
    assert!(board.descendants().any(|node| node.has_tag_name("style")));
    assert!(
        get("/api/ttt/rules")["text"]
            .as_str()
            .unwrap()
            .contains("three")
    );
}

#[test]
fn answers_have_players_and_legal_moves_even_before_a_score() {
    let home = kalah();
    let server = server(&home, &["--search-seconds", "0.001", "--memory", "300M"]);
    let answer = server.get("/api/ttt?played=b2").succeeds().json();
    assert_eq!(answer["to_move"], "second");
    assert_eq!(answer["players"]["second"], "O");
    let legal = answer["legal_moves"].as_array().unwrap();
    assert_eq!(legal.len(), 8);
    assert_eq!(
        legal[0],
        serde_json::json!({ "move": "a1", "places": ["a1"] })
    );
    assert_eq!(answer["moves"][0]["places"][0], answer["moves"][0]["move"]);
    let over = server.get("/api/ttt?position=XXXOO....").succeeds().json();
    assert_eq!(over["to_move"], "second");
    assert_eq!(over["legal_moves"], serde_json::json!([]));
    // A search that has just begun.
    let reply = server.get("/api/kalah-6-4?moves=true");
    assert_eq!(reply.status, 202, "{reply:?}");
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(reply.header("etag"), "");
    let answer = reply.json();
    assert_eq!(answer["players"]["first"], "first player");
    let legal = answer["legal_moves"].as_array().unwrap();
    let names: Vec<&str> = legal
        .iter()
        .map(|mv| mv["move"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn errors_have_codes() {
    let home = kalah();
    let server = server(&home, &[]);
    for (path, code) in [
        ("/api/none", "no_such_game"),
        ("/api/ttt/none", "not_found"),
        ("/api/ttt?none=1", "bad_request"),
        ("/api/ttt?position=none", "bad_position"),
        ("/api/ttt?played=none", "bad_move"),
        ("/api/ttt?played=a1+a1", "illegal_move"),
        ("/api/kalah-6-4/statistics", "needs_table"),
        ("/api/ttt/batch", "wrong_method"),
    ] {
        assert_eq!(server.get(path).json()["code"], code, "{path}");
    }
}

#[test]
fn answers_from_tables_are_cached_until_they_change() {
    let home = kalah();
    let server = server(&home, &[]);
    for path in [
        "/api/ttt",
        "/api/ttt?position=XXXOO....",
        "/api/ttt/board.svg?played=b2",
        "/api/ttt/rules",
        "/api/ttt/statistics",
        "/api/ttt/puzzles",
    ] {
        let reply = server.get(path).succeeds();
        assert!(reply.header("cache-control").contains("max-age="), "{path}");
        let tag = reply.header("etag");
        assert!(!tag.is_empty(), "{path}");
        for known in [tag.to_owned(), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = server.request("GET", path, &[("If-None-Match", &known)], b"");
            assert_eq!((again.status, &*again.body), (304, ""), "{path}: {again:?}");
            assert_eq!(again.header("etag"), tag);
        }
        let other = server.request("GET", path, &[("If-None-Match", "\"other\"")], b"");
        assert_eq!(other.succeeds().body, reply.body, "{path}");
    }
    let other = server.get("/api/ttt?played=b2").succeeds();
    assert_ne!(other.header("etag"), server.get("/api/ttt").header("etag"));
    for path in ["/api/games", "/explore/ttt"] {
        let reply = server.get(path).succeeds();
        assert_eq!(
            (reply.header("etag"), reply.header("cache-control")),
            ("", "no-cache")
        );
    }
}

#[test]
fn other_ids_of_a_board_lead_to_its_own() {
    let home = kalah();
    fs::rename(home.path("kalah-4-2.bin"), home.path("mine.bin")).unwrap();
    let table = home.path("mine.bin");
    let server = Server::start(&["--table", table.to_str().unwrap(), TTT]);
    for (old, new) in [
        ("/api/kalah-4-2", "/api/mine"),
        (
            "/api/v1/kalah-4-2?played=3+1&moves",
            "/api/v1/mine?played=3+1&moves",
        ),
        ("/explore/kalah%2d4-2?played=3", "/explore/mine?played=3"),
        ("/api/connect4-5-4-4/rules", "/api/connect4-5-4/rules"),
        ("/play/connect4-5-4-4", "/play/connect4-5-4"),
    ] {
        let reply = server.get(old);
        assert_eq!(
            (reply.status, reply.header("location")),
            (308, new),
            "{reply:?}"
        );
        server.get(new).succeeds();
    }
    let reply = server.post("/api/connect4-5-4-4/batch", "");
    assert_eq!(
        (reply.status, reply.header("location")),
        (308, "/api/connect4-5-4/batch")
    );
}

#[test]
fn answers_are_compressed_for_clients_that_want_it() {
    let server = Server::start(&["--table", TTT]);
    let accept = [("Accept-Encoding", "gzip")];
    let encoding = |method: &str, path: &str, headers: &[(&str, &str)]| {
        let reply = server.request(method, path, headers, b".........");
        reply.header("content-encoding").to_owned()
    };
    assert_eq!(encoding("GET", "/explore/ttt", &accept), "gzip");
    assert_eq!(encoding("GET", "/api/openapi.json", &accept), "gzip");
    assert_eq!(encoding("GET", "/explore/ttt", &[]), "");
    // Lines of a batch are sent one by one.
    assert_eq!(encoding("POST", "/api/ttt/batch", &accept), "");
}

#[test]
fn a_search_says_what_is_proven_so_far() {
    let server = Server::start(&[
        "--table",
        TTT,
        "--search-seconds",
        "0.3",
        "--memory",
        "600M",
    ]);
    let reply = server.get("/api/kalah-6-4?moves");
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert!(!reply.header("retry-after").is_empty());
    let so_far = reply.json();
    assert_eq!(so_far["searching"], true);
    assert_eq!(so_far["position"], "4,4,4,4,4,4:0/4,4,4,4,4,4:0 first");
    // A search continues between requests, so a small one finishes despite the short limit.
    let path = format!(
        "/api/kalah-6-2?line&position={}",
        encoded("0,0,0,3,0,3/1,0,2,0,0,1 first")
    );
    let reply = until(|| Some(server.get(&path)).filter(|reply| reply.status != 202));
    let found = reply.succeeds().json();
    assert!(
        found["score"].is_i64() && found["line"].is_array(),
        "{found}"
    );
}

/// Waits for the first result of `come`.
fn until<T>(mut come: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(thing) = come() {
            return thing;
        }
        assert!(began.elapsed() < Duration::from_secs(3600), "it never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_searched_game_has_the_answers_of_query() {
    let home = Home::new();
    // Without named tables, it would be solved.
    let args = ["--table", ".", "--memory", "300M"];
    let server = Server::start_in(home.path(".").as_path(), &args);
    for position in ["X...O....", "XX.OO....", "........."] {
        let path = format!("/api/ttt?moves&line&position={position}");
        let mut found =
            until(|| Some(server.get(&path)).filter(|reply| reply.status != 202)).json_of_query();
        let args = [
            "query",
            "tictactoe",
            "--json",
            "--moves",
            "--line",
            "--position",
            position,
        ];
        let mut expected: serde_json::Value =
            serde_json::from_str(&home.zermelo(&args).succeeds()).unwrap();
        for report in [&mut found, &mut expected] {
            let report = report.as_object_mut().unwrap();
            assert!(report.remove("nodes").is_some() && report.remove("seconds").is_some());
        }
        assert_eq!(found, expected);
    }
}

/// Without tables, small games are solved at the start, and others say why they are not.
#[test]
fn small_games_and_other_boards_are_solved_in_memory() {
    let home = Home::new();
    let server = Server::start_in(home.path(".").as_path(), &["--memory", "100M"]);
    let is_solved = |id: &str| {
        let answer = server.get(&format!("/api/{id}")).succeeds().json();
        answer.get("nodes").is_none().then_some(answer)
    };
    assert_eq!(until(|| is_solved("ttt"))["score"], 0);
    for page in ["puzzles", "statistics"] {
        server.get(&format!("/{page}/ttt")).succeeds();
        let searched = server.get(&format!("/{page}/kalah-6-4"));
        searched.fails_with(404, "is searched, because it has no table");
    }
    let page = server.get("/").succeeds();
    for text in ["action=\"/boards\"", "name=\"columns\""] {
        assert!(page.body.contains(text), "{text}");
    }
    // The starts of searched games are searched before anybody asks.
    let sees_start = || server.get("/").succeeds().body.contains("Red (X) wins");
    until(|| sees_start().then_some(()));
    let open = |columns: usize| {
        let path = format!("/boards?game=connect4&columns={columns}&rows=2&connect=");
        server.get(&path)
    };
    let reply = open(4);
    assert_eq!(reply.status, 303, "{reply:?}");
    let explore = reply.header("location").to_owned();
    server.get(&explore).succeeds();
    let id = explore.strip_prefix("/explore/").unwrap();
    until(|| is_solved(id));
    server.get(&format!("/statistics/{id}")).succeeds();
    // A board that is open is not opened again, and the oldest of many is closed.
    open(4);
    for columns in 5..=11 {
        assert_eq!(open(columns).status, 303);
        server.get(&explore).succeeds();
    }
    open(12);
    // Its address opens it again, like that of any board.
    for board in [&*explore, "/rules/kalah-2-3", "/api/dots-and-boxes-2-1"] {
        server.get(board).succeeds();
    }
    for none in ["kalah-9-3", "kalah-2-03", "kalah", "connect4-4"] {
        server
            .get(&format!("/explore/{none}"))
            .fails_with(404, "There is no game");
    }
    for (query, text) in [
        ("game=chess", "There is no game"),
        ("game=connect4&columns=99", "columns"),
        ("game=kalah&pits=9&seeds=2", "such as pits 6"),
        ("game=kalah&size=3", "here is no parameter size"),
        ("", "There is no game"),
    ] {
        let reply = server.get(&format!("/boards?{query}"));
        assert!(reply.body.contains("action=\"/boards\""), "{query}");
        // What was typed is still there.
        let is_kept = reply.body.contains("value=\"99\"");
        assert_eq!(is_kept, query.contains("columns=99"), "{query}");
        let is_open = reply.body.contains("<details open>");
        assert_eq!(is_open, text != "There is no game", "{query}");
        reply.fails_with(400, text);
    }
    // What the form offers can be opened.
    let offered = "/boards?game=kalah&pits=3&seeds=2";
    assert_eq!(server.get(offered).status, 303);
    assert!(!page.body.contains("name=\"up-to\""));
}

/// More batches than are answered at once: the others wait for their turn.
#[test]
fn batches_queue() {
    use std::io::{Read, Write};
    let server = Server::start(&["--table", TTT]);
    let head = "POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Content-Length: 20\r\n\r\n.........\n";
    let mut streams: Vec<_> = (0..12).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(head.as_bytes()).unwrap();
    }
    for stream in &mut streams {
        stream.write_all(b"X...O....\n").unwrap();
    }
    for mut stream in streams {
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        assert_eq!(
            reply.matches("\"score\":").count() - reply.matches("{\"move").count(),
            2
        );
    }
}

/// More searches than may wait, so abandoned ones must make room.
#[test]
fn searches_that_nobody_waits_for_are_stopped() {
    let server = Server::start(&["--table", TTT, "--memory", "300M"]);
    for column in 0..7 {
        for row in 0..20 {
            use std::io::Write;
            let position = encoded(&format!("4,4,4,4,4,{column}/4,4,4,4,4,{row} first"));
            let mut stream = server.connect();
            let line = format!(
                "GET /api/kalah-6-4?moves&position={position} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            );
            stream.write_all(line.as_bytes()).unwrap();
            // Any pause will do, so that not all requests start and end at once.
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let position = encoded("0,0,0,0,0,1/1,0,0,0,0,1 first");
    let path = format!("/api/kalah-6-2?position={position}");
    let found = until(|| Some(server.get(&path)).filter(|reply| reply.status == 200));
    assert_eq!(found.json()["score"], -1);
}

fn changed(server: &Server, path: &str, old: u16) -> Reply {
    until(|| Some(server.get(path)).filter(|reply| reply.status != old))
}

#[test]
fn a_table_that_is_damaged_or_replaced_is_an_error_and_others_go_on() {
    damaged_tables_are_errors(1);
}

#[test]
#[ignore = "exhaustive: 5 s"]
fn a_table_that_is_damaged_or_replaced_in_any_way_is_an_error() {
    damaged_tables_are_errors(4);
}

/// Replaces a table by up to `most` damaged files.
fn damaged_tables_are_errors(most: usize) {
    let home = kalah();
    let table = home.path("kalah-4-2.bin");
    let right = fs::read(&table).unwrap();
    let server = server(&home, &[]);
    server.get("/api/kalah-4-2").succeeds();
    let put = |bytes: &[u8]| {
        let new = home.path("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(&new, &table).unwrap();
    };
    let mut flipped = right.clone();
    flipped[20] ^= 1;
    for (wrong, text) in [
        (&flipped[..], "damaged"),
        (&right[..right.len() / 2], "damaged"),
        (b"nothing of the kind", "not a table"),
        (&fs::read(TTT).unwrap(), "no table of this game"),
    ]
    .into_iter()
    .take(most)
    {
        put(wrong);
        changed(&server, "/api/kalah-4-2", 200).fails_with(503, text);
        server.get("/api/ttt").succeeds();
        server.get("/api/games").succeeds();
        put(&right);
        let again = changed(&server, "/api/kalah-4-2", 503).succeeds();
        assert_eq!(again.json()["score"], 6);
    }
    // The file is truncated in place, while it is mapped.
    fs::OpenOptions::new()
        .write(true)
        .open(&table)
        .unwrap()
        .set_len(200)
        .unwrap();
    let broken = changed(&server, "/api/kalah-4-2?position=1,1,1,1/1,1,1,1", 200);
    assert!(matches!(broken.status, 500 | 503), "{broken:?}");
    fs::remove_file(&table).unwrap();
    until(|| {
        Some(server.get("/api/kalah-4-2")).filter(|reply| reply.body.contains("there is no table"))
    });
    server.get("/api/ttt").succeeds();
}

#[test]
fn tables_that_cannot_be_served_are_errors_at_the_start() {
    let home = kalah();
    fs::write(home.path("broken.bin"), "nothing of the kind").unwrap();
    fs::create_dir(home.path("other")).unwrap();
    fs::copy(home.path("kalah-4-2.bin"), home.path("other/kalah-4-2.bin")).unwrap();
    for (args, words) in [
        (
            &["--table", "broken.bin"][..],
            &["broken.bin is not a table"][..],
        ),
        (&["--table", "none.bin"], &["there is no table none.bin"]),
        (
            &["--table", "kalah-4-2.bin", "other/kalah-4-2.bin"],
            &["both be called kalah-4-2"],
        ),
        (&["--host", "192.0.2.1"], &["can't listen at 192.0.2.1:"]),
    ] {
        let args = [&["serve", "--port", "0"], args].concat();
        home.zermelo(&args).assert_refused_with(words);
    }
    // Other tables of the directory are served all the same.
    let folder = home.path(".");
    let server = Server::start(&["--table", folder.to_str().unwrap()]);
    server.get("/api/kalah-4-2").succeeds();
    server
        .get("/api/broken")
        .fails_with(404, "there is no game");
}

#[test]
fn the_port_is_refused_if_it_is_taken() {
    let server = Server::start(&["--table", TTT]);
    let port = server.address.rsplit_once(':').unwrap().1.to_owned();
    let home = Home::new();
    home.zermelo(&["serve", "--port", &port])
        .assert_refused_with(&["can't listen", "--port 0"]);
}

/// Tries memory limits from hardly any up to enough for listening.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_for_its_threads_is_said() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let mut refusals = String::new();
    for kilobytes in (24_000..).step_by(4_000) {
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
        let mut child = Command::new("bash")
            .args(["-c", &script, crate::run::ZERMELO, "serve", "--port", "0"])
            .args(["--memory", "1M", "--table", TTT])
            .env("RUST_BACKTRACE", "0")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        if line.starts_with("Listening") {
            child.kill().unwrap();
            child.wait().unwrap();
            break;
        }
        let mut error = child.stderr.take().unwrap();
        error.read_to_string(&mut refusals).unwrap();
        // With the least memory the program can't be loaded, or its first allocations fail.
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(2 | 127) | None), "{code:?}: {refusals}");
    }
    assert!(refusals.contains("too few threads"), "{refusals}");
}

#[cfg(unix)]
#[test]
fn it_ends_at_once_when_interrupted() {
    for signal in ["INT", "TERM"] {
        let quick = ["--search-seconds", "0.1"];
        let mut server =
            Server::start(&[&["--table", TTT, "--memory", "300M"], &quick[..]].concat());
        // The server must end in the middle of a search, too.
        let mut asking = server.connect();
        use std::io::Write;
        write!(
            asking,
            "GET /api/kalah-6-4 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        .unwrap();
        // Another request for the same search shows when it runs or has run.
        until(|| {
            let reply = server.get("/api/kalah-6-4");
            (reply.status == 202).then_some(())
        });
        let id = server.id().to_string();
        let kill = std::process::Command::new("kill")
            .args(["-s", signal, &id])
            .status();
        assert!(kill.unwrap().success());
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn pages_of_other_sites_may_only_ask_if_they_are_let() {
    let home = kalah();
    let closed = server(&home, &[]);
    let open = server(&home, &["--allow-origin", "*"]);
    let known = server(&home, &["--allow-origin", "https://elsewhere.example"]);
    let other = server(&home, &["--allow-origin", "https://other.example"]);
    let origin = [("Origin", "https://elsewhere.example")];
    let ask =
        |server: &Server, method: &str, path: &str| server.request(method, path, &origin, b"");
    for closed in [&closed, &other] {
        ask(closed, "GET", "/api/ttt").fails_with(403, "--allow-origin");
    }
    let reply = ask(&known, "GET", "/api/ttt").succeeds();
    assert_eq!(reply.header("access-control-allow-origin"), origin[0].1);
    assert_eq!(ask(&known, "GET", "/explore/ttt").status, 403);
    // An image on a page of another site.
    let image = [
        ("Referer", "https://elsewhere.example/page"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "no-cors"),
    ];
    let board = "/api/ttt/board.svg";
    let reply = known.request("GET", board, &image, b"").succeeds();
    assert_eq!(reply.header("cross-origin-resource-policy"), "cross-origin");
    for closed in [&closed, &other] {
        closed
            .request("GET", board, &image, b"")
            .fails_with(403, "--allow-origin");
    }
    home.zermelo(&["serve", "--allow-origin", "elsewhere"])
        .assert_refused_with(&["https://example.org"]);
    let reply = ask(&closed, "OPTIONS", "/api/ttt");
    assert_eq!(reply.header("access-control-allow-origin"), "");
    let reply = ask(&open, "GET", "/api/ttt").succeeds();
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    let reply = ask(&open, "OPTIONS", "/api/ttt/batch");
    assert_eq!(reply.status, 204);
    assert!(
        reply
            .header("access-control-allow-methods")
            .contains("POST")
    );
    // The server's own pages send the same kind of request.
    let own = format!("http://{}", closed.address);
    closed
        .request("GET", "/api/ttt", &[("Origin", &own)], b"")
        .succeeds();
    let sent = [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "no-cors"),
    ];
    closed
        .request("GET", "/api/connect4", &sent, b"")
        .fails_with(403, "other sites");
}

/// Checks a value against a schema: types, keys, and those that are required.
fn fits(document: &Value, schema: &Value, value: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = document.pointer(reference.trim_start_matches('#'));
        return fits(document, schema.unwrap(), value, place);
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        Value::Null => Vec::new(),
        kind => vec![kind.clone()],
    };
    let is_of = |kind: &Value| match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{place}: {other}"),
    };
    assert!(
        kinds.is_empty() || kinds.iter().any(is_of),
        "{place}: {value}"
    );
    if let Some(known) = schema.get("const") {
        assert_eq!(value, known, "{place}");
    }
    if let Some(known) = schema["enum"].as_array() {
        assert!(known.contains(value), "{place}: {value}");
    }
    for item in value.as_array().into_iter().flatten() {
        fits(document, &schema["items"], item, place);
    }
    let Some(keys) = value
        .as_object()
        .filter(|_| schema["properties"].is_object())
    else {
        return;
    };
    for key in schema["required"].as_array().into_iter().flatten() {
        assert!(
            keys.contains_key(key.as_str().unwrap()),
            "{place}: no {key}"
        );
    }
    for (key, value) in keys {
        let known = &schema["properties"][key];
        assert!(known.is_object(), "{place}: {key} is not described");
        fits(document, known, value, &format!("{place}.{key}"));
    }
}

/// Asks every address of the description with each of its parameters.
#[test]
fn every_answer_is_as_the_description_says() {
    let home = kalah();
    let server = server(&home, &["--search-seconds", "0.05", "--memory", "300M"]);
    let document = server.get("/api/openapi.json").succeeds().json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let mut queries = vec![String::new(), "?unknown=1".to_owned()];
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let values: &[&str] = match parameter["name"].as_str().unwrap() {
                    "game" => continue,
                    "position" => &[
                        ".........",
                        "XXXOO....",
                        "nonsense",
                        "2,2,2,2/2,2,2,2 first",
                    ],
                    "played" => &["b2+a1", "a1+b1+a2+b2+a3", "3", "nonsense"],
                    "question" => &["draw%3F", "why"],
                    "level" => &["easy", "hard", "other"],
                    "seed" => &["3", "other"],
                    "moves" | "line" => &["true", "maybe"],
                    other => panic!("{path}: no value for {other}"),
                };
                let name = &parameter["name"];
                let query = |value: &str| {
                    format!("?{}={}", name.as_str().unwrap(), value.replace(' ', "+"))
                };
                queries.extend(values.iter().copied().map(query));
            }
            for game in ["ttt", "kalah-4-2", "kalah-6-4", "none"] {
                for query in &queries {
                    let place = format!("{method} {}{query}", path.replace("{game}", game));
                    let address = place.split_once(' ').unwrap().1;
                    let lines = b".........\n2,2,2,2/2,2,2,2 first\nnonsense";
                    // A search of many lines would take long.
                    let body: &[u8] = if game == "kalah-6-4" {
                        b"nonsense"
                    } else {
                        lines
                    };
                    let reply = server.request(&method.to_uppercase(), address, &[], body);
                    let response = &operation["responses"][reply.status.to_string()];
                    let content = response["content"].as_object();
                    let content = content.unwrap_or_else(|| panic!("{place}: {reply:?}"));
                    let (kind, content) = content.iter().next().unwrap();
                    assert_eq!(reply.header("content-type"), kind, "{place}");
                    let schema = &content["schema"];
                    match &**kind {
                        "application/json" => fits(&document, schema, &reply.json(), &place),
                        "application/x-ndjson" => {
                            for line in reply.body.lines() {
                                let value: Value = serde_json::from_str(line).unwrap();
                                let is_error = value.get("error").is_some();
                                let schema = &schema["oneOf"][usize::from(is_error)];
                                fits(&document, schema, &value, &place);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

#[test]
fn the_description_names_every_address() {
    let server = Server::start(&["--table", TTT]);
    let document = server.get("/api/openapi.json").succeeds().json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let paths = document["paths"].as_object().unwrap();
    let paths: BTreeSet<&str> = paths.keys().map(|path| &**path).collect();
    let source = include_str!("../src/cli/serve/api/mod.rs");
    let routes = source.split(".route(").skip(1);
    let routes = routes.map(|rest| format!("/api{}", rest.split('"').nth(1).unwrap()));
    let routes: BTreeSet<String> = routes.collect();
    assert_eq!(paths, routes.iter().map(|route| &**route).collect());
    // All references have a target.
    let text = serde_json::to_string(&document).unwrap();
    for reference in text.split("\"#/").skip(1) {
        let pointer = format!("/{}", reference.split('"').next().unwrap());
        assert!(document.pointer(&pointer).is_some(), "{pointer}");
    }
    let manual = Path::new(ROOT).join("docs/reference/http-api.md");
    let manual = fs::read_to_string(manual).unwrap();
    for path in paths {
        assert!(manual.contains(path), "{path}");
    }
}

#[test]
fn opening_books_are_no_tables() {
    let home = Home::new();
    let root = Path::new(ROOT);
    let book = root.join("data/openings/connect4-7-6.bin");
    fs::create_dir(home.path("d")).unwrap();
    fs::copy(&book, home.path("d/connect4-7-6.bin")).unwrap();
    let server = Server::start(&["--table", home.path("d").to_str().unwrap()]);
    assert!(!server.get("/api/games").body.contains("\"connect4-7-6\""));
    // The game is searched, with the same book.
    server.get("/api/connect4?played=1+1+2+2+3+3").succeeds();
    let refused = home.zermelo(&["serve", "--table", book.to_str().unwrap()]);
    refused.assert_refused_with(&["is an opening book"]);
}

/// A position of the L game has up to 200 moves, so that a deep search of it takes a minute.
#[test]
fn puzzles_of_games_with_many_moves_take_little_work() {
    let home = Home::with_table("lgame.bin", &["lgame"]);
    let server = Server::start(&["--table", home.path("lgame.bin").to_str().unwrap()]);
    let ask = || {
        server
            .get("/api/lgame/puzzles?level=hard&seed=5")
            .succeeds()
            .body
    };
    assert_eq!(ask(), ask());
}
