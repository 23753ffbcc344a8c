//! Fuzzes the server of pages and API with requests, valid and invalid.

use super::table::samples;
use arbitrary::{Result, Unstructured};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use zermelo::any::AnyTable;
use zermelo::oracle::{AskError, Wanted};

/// Text that would become markup if a page repeated it unescaped.
const MARKUP: &str = "<zermelo a='\">";

/// A server, and the tables that it serves.
struct Served {
    address: SocketAddr,
    tables: Vec<(String, Box<dyn AnyTable>)>,
}

fn served() -> &'static Served {
    static SERVED: OnceLock<Served> = OnceLock::new();
    SERVED.get_or_init(|| {
        // A panic in a thread of the server must fail the run, too.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            before(info);
            let thread = std::thread::current();
            if thread.name().is_some_and(|name| name.starts_with("tokio")) {
                std::process::abort();
            }
        }));
        // The directory must exist as long as the server runs.
        let folder = tempfile::tempdir()
            .expect("a folder for temporary files")
            .keep();
        let mut tables = Vec::new();
        for (number, sample) in samples().iter().enumerate() {
            let id = format!("t{number}");
            let path = folder.join(format!("{id}.bin"));
            fs::write(&path, sample.bytes()).expect("it has room");
            match zermelo::open(&path) {
                Ok(table) => tables.push((id, table)),
                // The server can't open tables of other games.
                Err(_) => fs::remove_file(&path).expect("it was just written"),
            }
        }
        end_on_signals();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it has one");
        drop(listener);
        let port = address.port().to_string();
        let arguments = ["zermelo", "serve", "--port", &port, "--memory", "64M"];
        let waiting = ["--search-seconds", "0.05", "--table"];
        let mut arguments: Vec<OsString> = arguments
            .into_iter()
            .chain(waiting)
            .map(Into::into)
            .collect();
        arguments.push(folder.into());
        std::thread::spawn(move || zermelo::cli::Program::of_library().run(&arguments));
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(began.elapsed() < Duration::from_secs(30), "no server");
            std::thread::sleep(Duration::from_millis(10));
        }
        Served { address, tables }
    })
}

/// Restores the default action of signals, which the server handles in its process.
fn end_on_signals() {
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let always = std::sync::Arc::new(true.into());
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, always)
            .expect("these signals can be caught");
    }
}

/// Starts the server.
pub fn prepare() {
    served();
}

/// The expected answer of a request, if it is known.
enum Asked {
    /// The answer is unknown.
    Anything,
    /// The score of a position in the table with this number.
    Score(usize, String),
}

/// Sends the request of the input and checks the response.
///
/// # Errors
/// If the input is too short.
///
/// # Panics
/// If a complete request gets no response, or the response is malformed, repeats markup unescaped,
/// or has another score than the table.
pub fn run(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let served = served();
    if u.ratio(1, 5)? {
        let bytes = u.bytes(u.len())?;
        let _ = send(served.address, bytes, false);
        return Ok("bytes");
    }
    let (request, asked, is_whole) = request(u, &served.tables)?;
    let Some(reply) = send(served.address, &request, is_whole) else {
        assert!(!is_whole, "no answer to {request:02x?}");
        return Ok("broken off");
    };
    let shown = || String::from_utf8_lossy(&request).into_owned();
    let Some((status, head, body)) = parts(&reply) else {
        panic!("no answer in HTTP to {}: {reply:02x?}", shown());
    };
    // Requests that hyper rejects don't reach the pages.
    if status == 400 && body.is_empty() || status == 431 {
        return Ok("no request");
    }
    assert!(
        (200..500).contains(&status) || status == 503,
        "{}: {status}",
        shown()
    );
    assert!(
        head.contains("content-security-policy: default-src 'none'"),
        "{}",
        shown()
    );
    let body = String::from_utf8_lossy(body);
    if head.contains("content-type: text/html") {
        assert!(!body.contains("<zermelo"), "{}: {body}", shown());
    }
    if head.contains("content-type: application/json") && !body.is_empty() {
        let json: serde_json::Value = serde_json::from_str(&body)
            .unwrap_or_else(|error| panic!("{}: {error}: {body}", shown()));
        assert!(
            status == 200 || json["error"].is_string(),
            "{}: {body}",
            shown()
        );
        if let Asked::Score(table, position) = asked {
            let truth = served.tables[table]
                .1
                .ask(Some(&position), Wanted::default(), None);
            let (name, truth) = match truth {
                Ok(answer) => ("score", Some(i64::from(answer.bounds.lower))),
                Err(AskError::Finished { result, .. }) => {
                    assert_eq!(json["over"], true, "{}: {body}", shown());
                    ("first_player_score", Some(i64::from(result.score)))
                }
                Err(_) => ("score", None),
            };
            let said = (status == 200).then(|| json[name].as_i64()).flatten();
            assert_eq!(said, truth, "{}: {body}", shown());
        }
    }
    Ok(match status {
        200..300 => "answered",
        _ => "refused",
    })
}

/// Makes a request, and returns it with its question and whether it is complete.
fn request(
    u: &mut Unstructured<'_>,
    tables: &[(String, Box<dyn AnyTable>)],
) -> Result<(Vec<u8>, Asked, bool)> {
    let number = u.choose_index(tables.len())?;
    let (id, table) = &tables[number];
    let mut position = played(u, &**table)?;
    let mut asked = Asked::Anything;
    let method = *u.choose(&[
        "GET", "GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "get",
    ])?;
    if u.ratio(1, 3)? {
        position = changed(u, position)?;
    }
    let path = match u.int_in_range(0..=7)? {
        0..=2 => {
            if method == "GET" {
                asked = Asked::Score(number, position.clone());
            }
            format!("/api/{id}?position={}", encoded(&position))
        }
        3 => {
            let page = u.choose(&[
                "explore",
                "play",
                "review",
                "puzzles",
                "statistics",
                "rules",
            ])?;
            let played = word(u)?;
            format!(
                "/{page}/{id}?position={}&played={}",
                encoded(&position),
                encoded(&played)
            )
        }
        4 => format!("/api/{id}/batch?moves={}", encoded(&word(u)?)),
        5 => {
            let (name, value) = (word(u)?, word(u)?);
            format!("/explore/{id}?{}={}", encoded(&name), encoded(&value))
        }
        6 => format!("/{}/{}", encoded(&word(u)?), encoded(&word(u)?)),
        _ => format!("/api/{}/statistics", encoded(&word(u)?)),
    };
    let mut body = Vec::new();
    if path.contains("/batch") {
        for _ in 0..u.int_in_range(0..=3)? {
            let position = played(u, &**table)?;
            body.extend(changed(u, position)?.into_bytes());
            body.push(b'\n');
        }
    }
    let mut is_whole = true;
    let method = if path.contains("/batch") {
        "POST"
    } else {
        method
    };
    let length = match u.int_in_range(0..=7)? {
        0 => {
            is_whole = false;
            u.int_in_range(0..=1 << 20)?
        }
        _ => body.len(),
    };
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    if !body.is_empty() || method == "POST" || !is_whole {
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    let mut bytes = head.into_bytes();
    if u.ratio(1, 6)? {
        // An arbitrary header.
        let name = *u.choose(&[
            "Origin",
            "Accept",
            "Range",
            "Expect",
            "Cookie",
            "Sec-Fetch-Site",
        ])?;
        let length = u.arbitrary_len::<u8>()?.min(100);
        let value = u.bytes(length)?;
        let value: Vec<u8> = value
            .iter()
            .copied()
            .filter(|byte| !b"\r\n".contains(byte))
            .collect();
        bytes.extend(format!("{name}: ").bytes());
        bytes.extend(value);
        bytes.extend(b"\r\n");
        // The server may reject this request.
        asked = Asked::Anything;
        is_whole = false;
    }
    bytes.extend(b"\r\n");
    bytes.extend(body);
    Ok((bytes, asked, is_whole))
}

/// Returns the position after moves that the input chooses.
fn played(u: &mut Unstructured<'_>, table: &dyn AnyTable) -> Result<String> {
    let mut moves: Vec<String> = Vec::new();
    let mut position = table.start();
    for _ in 0..u.int_in_range(0..=8)? {
        let so_far: Vec<&str> = moves.iter().map(|mv| &**mv).collect();
        let Ok(view) = table.view(None, &so_far) else {
            break;
        };
        position = view.position;
        if view.moves.is_empty() {
            break;
        }
        moves.push(view.moves[u.choose_index(view.moves.len())?].name.clone());
    }
    Ok(position)
}

fn changed(u: &mut Unstructured<'_>, position: String) -> Result<String> {
    let mut letters: Vec<char> = position.chars().collect();
    for _ in 0..u.int_in_range(0..=2)? {
        let at = u.choose_index(letters.len() + 1)?;
        match u.int_in_range(0..=2)? {
            0 if at < letters.len() => drop(letters.remove(at)),
            1 => letters.insert(at, u.arbitrary()?),
            _ => letters.splice(at..at, MARKUP.chars()).for_each(drop),
        }
    }
    Ok(letters.into_iter().collect())
}

/// Returns an arbitrary word, or one with a meaning somewhere in the API.
fn word(u: &mut Unstructured<'_>) -> Result<String> {
    let known = [
        MARKUP,
        "",
        "1",
        "5 3 5",
        "b2 a1",
        "true",
        "api",
        "explore",
        "games",
        "v1",
        "assets",
        "style.css",
        "..",
        "openapi.json",
        "position",
        "played",
        "hints",
        "level",
        "side",
        "side=1",
        "first-player win?",
        "\u{202e}\0\u{7}",
    ];
    if u.ratio(3, 4)? {
        return Ok((*u.choose(&known)?).to_owned());
    }
    let length = u.int_in_range(0..=40)?;
    Ok(String::from_utf8_lossy(u.bytes(length)?).into_owned())
}

/// Percent-encodes a text.
fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => (byte as char).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

/// Sends a request and returns the response.
///
/// The server may wait for the rest of an incomplete request, so this gives up soon.
fn send(address: SocketAddr, bytes: &[u8], is_whole: bool) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(address).expect("the server takes connections");
    let patience = if is_whole { 30_000 } else { 20 };
    let patience = Some(Duration::from_millis(patience));
    stream.set_read_timeout(patience).expect("it can wait");
    // The server may have closed the connection already.
    let _ = stream.write_all(bytes);
    let mut reply = Vec::new();
    match stream.read_to_end(&mut reply) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            assert!(!is_whole, "no end of the answer to {bytes:02x?}");
            return None;
        }
        Ok(_) | Err(_) => {}
    }
    (!reply.is_empty()).then_some(reply)
}

/// Splits a response into status, head in lower case, and body.
fn parts(reply: &[u8]) -> Option<(u16, String, &[u8])> {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&reply[..end]).ok()?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, head.to_lowercase(), &reply[end + 4..]))
}
