//! A running `zermelo serve`, and a client that can also send malformed requests.
#![allow(dead_code, missing_docs)] // No test uses all of it.

use super::run::ZERMELO;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A server that ends with the test.
pub struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    /// Its address, such as `127.0.0.1:12345`.
    pub address: String,
}

/// The response of the server.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// Names, in lower case, and values, in the order of the lines.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Server {
    /// Starts a server with these arguments on a free port.
    pub fn start(args: &[&str]) -> Server {
        Server::start_in(Path::new("."), args)
    }

    pub fn start_in(folder: &Path, args: &[&str]) -> Server {
        let mut child = Command::new(ZERMELO)
            .current_dir(folder)
            .args(["serve", "--port", "0"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.strip_prefix("Listening at http://");
        let address = address.and_then(|rest| rest.split_once('/'));
        let address = address.expect(&line).0.to_owned();
        Server {
            child,
            out,
            address,
        }
    }

    /// Returns the next line of the output that begins with a word, without this word.
    pub fn line(&mut self, word: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.out.read_line(&mut line).unwrap(), 0, "no {word}");
            if let Some(rest) = line.strip_prefix(word) {
                return rest.trim().to_owned();
            }
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the server has exited by itself.
    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        let limit = Some(Duration::from_secs(120));
        stream.set_read_timeout(limit).unwrap();
        stream
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: impl AsRef<[u8]>) -> Reply {
        self.request("POST", path, &[], body.as_ref())
    }

    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.0 == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        self.say(&bytes).expect("an answer")
    }

    /// Sends any bytes, and returns the response if it is HTTP.
    pub fn say(&self, bytes: &[u8]) -> Option<Reply> {
        let mut stream = self.connect();
        // The server may refuse a request before it has received everything.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Reply::read(&all)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    fn read(all: &[u8]) -> Option<Reply> {
        let end = all.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&all[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap_or((line, "")))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let body = &all[end + 4..];
        let is_chunked = headers.iter().any(|header| header.1 == "chunked");
        let body = if is_chunked {
            unchunked(body)
        } else {
            body.to_vec()
        };
        let is_zipped = headers.iter().any(|header| header.1 == "gzip");
        let body = if is_zipped {
            let mut plain = Vec::new();
            let mut unzipped = flate2::read::GzDecoder::new(&body[..]);
            unzipped.read_to_end(&mut plain).unwrap();
            plain
        } else {
            body
        };
        Some(Reply {
            status,
            headers,
            body: String::from_utf8(body).expect("text"),
        })
    }

    pub fn header(&self, name: &str) -> &str {
        let mut headers = self.headers.iter();
        let found = headers.find(|header| header.0 == name);
        found.map_or("", |header| &*header.1)
    }

    /// Returns the JSON without what `query` leaves out, such as the positions after moves.
    pub fn json_of_query(&self) -> serde_json::Value {
        let mut json = self.json();
        for name in ["to_move", "players", "legal_moves", "code"] {
            json.as_object_mut().unwrap().remove(name);
        }
        let moves = json.get_mut("moves").and_then(|moves| moves.as_array_mut());
        for mv in moves.into_iter().flatten() {
            let mv = mv.as_object_mut().unwrap();
            for name in ["position", "again", "places"] {
                assert!(mv.remove(name).is_some(), "{name}");
            }
        }
        json
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub fn succeeds(self) -> Reply {
        assert_eq!(self.status, 200, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn fails_with(self, status: u16, text: &str) -> Reply {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.body.contains(text), "{}", self.body);
        self
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let from = end + 2;
        // A truncated body shows in the text.
        let to = (from + length).min(rest.len());
        whole.extend_from_slice(&rest[from..to]);
        rest = rest.get(to + 2..).unwrap_or_default();
    }
    whole
}

/// Percent-encodes a value for an address.
pub fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
