//! Tests of malicious requests: each gets an error, and the next one its answer.
#![allow(missing_docs)]

use crate::http::{Server, encoded};
use crate::run::{TTT, wait_until};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::time::Duration;

fn is_well(server: &Server) {
    let found = server.get("/api/ttt?position=XX.OO....").succeeds();
    assert_eq!(found.json()["score"], 3);
}

/// The policy in every response.
const POLICY: &str = "default-src 'none'";

#[test]
fn only_known_names_are_answered() {
    let server = Server::start(&["--table", TTT, "--allow-host", "laptop.local"]);
    let ask = |host: &str| server.request("GET", "/api/games", &[("Host", host)], b"");
    for host in [
        "localhost",
        "127.0.0.1:1",
        "[::1]:8080",
        "Laptop.local:80",
        "10.1.2.3",
    ] {
        ask(host).succeeds();
    }
    for host in [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
    ] {
        let reply = ask(host).fails_with(421, "not a name of this server");
        assert!(reply.header("content-security-policy").contains(POLICY));
    }
    for head in [
        "GET /api/games HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /api/games HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET /api/games HTTP/1.1\r\nConnection: close\r\nHost: <b>\r\n\r\n",
        "GET http://evil.example/api/games HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n",
    ] {
        let reply = server.say(head.as_bytes()).unwrap();
        assert!((400..500).contains(&reply.status), "{head}: {reply:?}");
    }
    is_well(&server);
}

#[test]
fn malformed_requests_are_refused() {
    let server = Server::start(&["--table", TTT]);
    let long = "x".repeat(200_000);
    let many: String = (0..1000)
        .map(|number| format!("X-{number}: 1\r\n"))
        .collect();
    let host = "Host: localhost\r\n";
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        format!("GET /{long} HTTP/1.1\r\n{host}\r\n").into_bytes(),
        format!("GET /api/ttt?position={long} HTTP/1.1\r\n{host}\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\n{host}X: {long}\r\n\r\n").into_bytes(),
        format!("GET / HTTP/1.1\r\n{host}{many}\r\n").into_bytes(),
        format!("POST /api/ttt/batch HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n").into_bytes(),
        format!("CONNECT localhost:22 HTTP/1.1\r\n{host}Connection: close\r\n\r\n").into_bytes(),
    ] {
        if let Some(reply) = server.say(&bytes) {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
            assert!((400..500).contains(&reply.status), "{shown}: {reply:?}");
        }
    }
    is_well(&server);
}

#[test]
fn paths_lead_nowhere_but_to_the_games() {
    let server = Server::start(&["--table", TTT]);
    for path in [
        "/../../etc/passwd",
        "/api/../Cargo.toml",
        "/api/..%2f..%2fetc%2fpasswd",
        "/api/%2e%2e/ttt",
        "/assets/../../Cargo.toml",
        "/assets/..%2fCargo.toml",
        "//evil.example/",
        "/api/ttt.bin",
        "/api/ttt%00",
        "/%00",
        "/\\..\\..",
    ] {
        let reply = server.get(path);
        assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
        assert!(!reply.body.contains("root:") && !reply.body.contains("[package]"));
    }
    is_well(&server);
}

/// Sends text that could do harm in a page as every parameter.
#[test]
fn responses_escape_markup() {
    let server = Server::start(&["--table", TTT, "--memory", "300M"]);
    let attack = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\0\u{7}&amp;";
    let attack = encoded(attack);
    for path in [
        format!("/api/ttt?position={attack}"),
        format!("/api/ttt?{attack}=1"),
        format!("/api/ttt?question={attack}"),
        format!("/api/ttt?moves={attack}"),
        format!("/api/{attack}"),
        format!("/api/connect4?position={attack}"),
        format!("/api/{attack}/statistics"),
        format!("/{attack}"),
        format!("/explore/{attack}"),
        format!("/explore/ttt?position={attack}"),
        format!("/explore/ttt?played={attack}"),
        format!("/explore/connect4?position={attack}"),
        format!("/play/ttt?position={attack}"),
        format!("/play/ttt?played={attack}"),
        format!("/play/ttt?as={attack}"),
        format!("/play/ttt?as=first&level={attack}"),
        format!("/play/ttt?as=first&seed={attack}"),
        format!("/explore/ttt?text={attack}"),
        format!("/explore/ttt?at={attack}"),
        format!("/puzzles/ttt?seed={attack}"),
        format!("/statistics/{attack}"),
        format!("/rules/{attack}"),
        format!("/assets/{attack}"),
    ] {
        let reply = server.get(&path);
        assert!((400..500).contains(&reply.status), "{path}: {reply:?}");
        assert!(reply.header("content-security-policy").contains(POLICY));
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        if !reply.header("content-type").starts_with("application/json") {
            for markup in ["<script>alert", "<img"] {
                assert!(!reply.body.contains(markup), "{path}: {}", reply.body);
            }
        }
    }
    is_well(&server);
}

#[test]
fn clients_that_disconnect_early_do_no_harm() {
    let server = Server::start(&["--table", TTT]);
    for round in 0..200 {
        let mut stream = server.connect();
        let text: &[u8] = match round % 5 {
            0 => b"",
            1 => b"GET /api/ttt HTT",
            2 => b"GET /api/ttt HTTP/1.1\r\nHost: localhost\r\n\r\n",
            3 => b"POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n....",
            _ => b"POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n..",
        };
        let _ = stream.write_all(text);
        if round % 2 == 0 {
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
    is_well(&server);
}

/// Answers are sent, and their end reports that they are incomplete.
#[test]
fn lines_that_break_off_are_an_error() {
    let server = Server::start(&["--table", TTT]);
    let head = "POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    for body in [
        "Transfer-Encoding: chunked\r\n\r\na\r\n.........\n\r\nnonsense\r\n",
        "Transfer-Encoding: chunked\r\n\r\nb\r\n.........\nX\r\n",
        "Content-Length: 1000\r\n\r\n.........\nX",
    ] {
        let mut stream = server.connect();
        stream.write_all([head, body].concat().as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut all = String::new();
        let _ = stream.read_to_string(&mut all);
        let is_error = all.contains("the body of the request is incomplete or malformed");
        // A client that sends nothing more may be taken for disconnected.
        assert!(
            is_error || all.is_empty() && !body.contains("nonsense"),
            "{body}: {all}"
        );
    }
    is_well(&server);
}

/// Requests whose head or body never ends are given up.
///
/// `src/cli/serve/mod.rs` tests the same with shorter limits.
#[test]
#[ignore = "exhaustive: waits for the limits of real clients"]
fn slow_senders_are_disconnected() {
    let server = Server::start(&["--table", TTT]);
    let mut waiting: Vec<_> = ["GET /api/ttt HTTP/1.1\r\nHost: loc", ""]
        .iter()
        .map(|text| {
            let mut stream = server.connect();
            stream.write_all(text.as_bytes()).unwrap();
            stream
        })
        .collect();
    is_well(&server);
    for stream in &mut waiting {
        let mut all = Vec::new();
        // The connection must end in any way; `connect` sets the time limit.
        if let Err(error) = stream.read_to_end(&mut all) {
            assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock);
        }
    }
    is_well(&server);
}

/// Checks that clients that don't read their answers block nobody.
///
/// The answers must exceed the system's buffers.
fn unread_answers_hold_up_nobody(lines: usize, clients: usize) {
    let server = Server::start(&["--table", TTT]);
    let lines = ".........\n".repeat(lines);
    let mut streams = Vec::new();
    for _ in 0..clients {
        let mut stream = server.connect();
        let head = format!(
            "POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            lines.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
            .set_write_timeout(Some(Duration::from_secs(5)))
            .unwrap();
        let _ = stream.write_all(lines.as_bytes());
        streams.push(stream);
    }
    is_well(&server);
    drop(streams);
    is_well(&server);
}

#[test]
fn clients_that_read_nothing_do_not_delay_others() {
    unread_answers_hold_up_nobody(50_000, 2);
}

#[test]
#[ignore = "exhaustive: eight hundred thousand lines"]
fn clients_that_read_none_of_many_answers_do_not_delay_others() {
    unread_answers_hold_up_nobody(200_000, 4);
}

/// Returns the memory of the process in bytes.
#[cfg(target_os = "linux")]
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    1024 * kibibytes.parse::<u64>().unwrap()
}

/// Waits until the memory is at its earlier level.
#[cfg(target_os = "linux")]
fn memory_stays(server: &Server, before: u64) {
    wait_until("memory to be as it was", || {
        memory(server).saturating_sub(before) < 16 << 20
    });
}

/// Sends random requests and checks each answer.
///
/// There is no internal error and no unescaped markup, and memory doesn't grow after the first
/// fifth of the requests.
#[cfg(target_os = "linux")]
fn no_random_request_makes_it_stumble(requests: usize) {
    let server = Server::start(&["--table", TTT, "--memory", "300M"]);
    let mut random = fastrand::Rng::with_seed(14);
    let methods = [
        "GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "<b>",
    ];
    let pages = [
        "api",
        "api/v1",
        "explore",
        "play",
        "review",
        "puzzles",
        "statistics",
        "rules",
        "assets",
        "",
        "..",
        "%2e%2e",
        "games",
    ];
    let games = [
        "ttt",
        "connect4",
        "games",
        "ttt.bin",
        "%",
        "%00",
        "%ff",
        "..",
        "<script>",
        "",
        "style.css",
    ];
    let names = [
        "position", "played", "line", "moves", "question", "as", "level", "seed", "<script>", "",
        "%ff",
    ];
    let values = [
        ".........",
        "X...O....",
        "XX.OO....",
        "XXXOO....",
        "a1 b2",
        "b2+c3+a1",
        "true",
        "1",
        "draw?",
        "first",
        "50",
        "18446744073709551616",
        "-1",
        "%00",
        "%ff",
        "%e2%80%ae",
        "\"><script>alert(1)</script>",
        "'",
        "&&",
        "=",
        "a1%20a1",
        "....X....%0d%0aX-Evil:%201",
        "é",
    ];
    let mut before = 0;
    for number in 0..requests {
        let page = random.choice(pages).unwrap();
        let game = random.choice(games).unwrap();
        let mut path = format!("/{page}/{game}");
        for (number, _) in (0..random.usize(..4)).enumerate() {
            let (name, value) = (
                random.choice(names).unwrap(),
                random.choice(values).unwrap(),
            );
            let value = value.repeat(if random.u8(..) == 0 { 300 } else { 1 });
            path.push_str(&format!(
                "{}{name}={value}",
                if number == 0 { '?' } else { '&' }
            ));
        }
        let path = path.replace(' ', "%20");
        let method = random.choice(methods).unwrap();
        let body = if method == "POST" {
            values.join("\n")
        } else {
            String::new()
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // Leave out searches, which take time and memory. These pages go on from the start if they
        // can't read a position.
        let searches = ["explore", "play"].contains(&page) || !path.contains("position=%");
        if path.contains("connect4") && searches {
            continue;
        }
        let reply = server.say(request.as_bytes());
        let reply = reply.unwrap_or_else(|| panic!("no answer to {request}"));
        assert!((200..500).contains(&reply.status), "{request}: {reply:?}");
        assert!(
            !reply.body.contains("<script>alert"),
            "{request}: {reply:?}"
        );
        assert_eq!(reply.header("x-evil"), "", "{request}");
        // The request at exactly a fifth may have been left out.
        if before == 0 && number >= requests / 5 {
            before = memory(&server);
        }
    }
    is_well(&server);
    memory_stays(&server, before);
}

#[cfg(target_os = "linux")]
#[test]
fn no_request_makes_it_stumble() {
    no_random_request_makes_it_stumble(600);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "exhaustive: ten thousand requests"]
fn ten_thousand_requests_are_answered() {
    no_random_request_makes_it_stumble(10_000);
}

#[cfg(target_os = "linux")]
fn open_files(server: &Server) -> usize {
    let files = std::fs::read_dir(format!("/proc/{}/fd", server.id()));
    files.unwrap().count()
}

/// Opens and drops connections, and checks that no files remain open.
///
/// One in `of` connections sends a request.
#[cfg(target_os = "linux")]
fn drop_connections(server: &Server, connections: usize, of: usize) {
    is_well(server);
    let before = open_files(server);
    for number in 0..connections {
        let mut stream = server.connect();
        if number % of == 0 {
            let _ = stream.write_all(b"GET /explore/ttt HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
    }
    is_well(server);
    // The connection of `is_well` itself may end late.
    wait_until("the end of all connections", || {
        open_files(server) <= before + 2
    });
}

/// Ten thousand dropped connections leave neither files nor memory in use.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "exhaustive: ten thousand connections, for a minute"]
fn ten_thousand_dropped_connections_leave_nothing_behind() {
    let server = Server::start(&["--table", TTT]);
    // Open as many connections as possible, so that the rest of the test needs no more memory.
    let mut streams: Vec<_> = (0..500).map(|_| server.connect()).collect();
    for stream in &mut streams {
        let request = b"GET /explore/ttt HTTP/1.1\r\nHost: localhost\r\n\r\n";
        // The server closes connections that are idle for long.
        let _ = stream.write_all(request);
    }
    for stream in &mut streams {
        let _ = stream.read(&mut [0; 100]);
    }
    drop(streams);
    drop_connections(&server, 2000, 2);
    let before = memory(&server);
    drop_connections(&server, 8000, 2);
    memory_stays(&server, before);
}
