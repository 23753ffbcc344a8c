//! Tests of the HTTP API: the answers of `query` and `info`, and its errors.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::Home;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const TTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/ttt.bin");

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
            let mut found = server.get(&path).json();
            // `query` reports this by its exit code.
            if found.get("error").is_some() {
                found.as_object_mut().unwrap().remove("first_player_score");
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
        ("/api/ttt?position=Q", 400, "nine, one for each cell"),
        ("/api/ttt?position=%ff", 400, "not UTF-8"),
        ("/api/%ff", 400, "not UTF-8"),
        (
            "/api/ttt?postion=.........",
            400,
            "the parameters are position, question",
        ),
        ("/api/ttt?moves=maybe", 400, "write true or false"),
        ("/api/ttt?question=why", 400, "not a question"),
        ("/api/ttt?line=1&line=1", 400, "comes twice"),
        ("/api/ttt?position=XXXOO....", 422, "the game is over"),
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
    let over = server.get("/api/ttt?position=XXXOO....").json();
    assert_eq!(over["first_player_score"], 3);
    assert_eq!(over["position"], "XXXOO....");
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
        assert!(began.elapsed() < Duration::from_secs(120), "it never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_searched_game_has_the_answers_of_query() {
    let home = Home::new();
    let server = Server::start_in(home.path(".").as_path(), &["--memory", "300M"]);
    for position in ["X...O....", "XX.OO....", "........."] {
        let path = format!("/api/ttt?moves&line&position={position}");
        let mut found =
            until(|| Some(server.get(&path)).filter(|reply| reply.status != 202)).json();
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
fn what_cannot_be_served_is_said_at_the_start() {
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
    let open = server(&home, &["--cors"]);
    let origin = [("Origin", "https://elsewhere.example")];
    let ask =
        |server: &Server, method: &str, path: &str| server.request(method, path, &origin, b"");
    ask(&closed, "GET", "/api/ttt").fails_with(403, "--cors");
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

#[test]
fn the_description_names_every_address() {
    let server = Server::start(&["--table", TTT]);
    let document = server.get("/api/openapi.json").succeeds().json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let paths = document["paths"].as_object().unwrap();
    let paths: Vec<&str> = paths.keys().map(|path| &**path).collect();
    assert_eq!(
        paths,
        [
            "/api/games",
            "/api/openapi.json",
            "/api/{game}",
            "/api/{game}/batch",
            "/api/{game}/puzzles",
            "/api/{game}/statistics"
        ]
    );
    // All references have a target.
    let text = serde_json::to_string(&document).unwrap();
    for reference in text.split("\"#/").skip(1) {
        let pointer = format!("/{}", reference.split('"').next().unwrap());
        assert!(document.pointer(&pointer).is_some(), "{pointer}");
    }
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/http-api.md");
    let manual = fs::read_to_string(manual).unwrap();
    for path in paths {
        assert!(manual.contains(path), "{path}");
    }
}
