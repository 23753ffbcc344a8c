//! A server that only sends files, like those of static web hosts. It can go offline.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// A running server of the files in a directory.
pub struct Files {
    pub address: SocketAddr,
    /// Whether it answers. Otherwise it closes connections at once.
    pub is_online: Arc<AtomicBool>,
}

impl Files {
    /// Starts the server on a free port of this machine.
    pub fn serve(directory: PathBuf) -> Files {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let is_online = Arc::new(AtomicBool::new(true));
        let answers = Arc::clone(&is_online);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (directory, answers) = (directory.clone(), Arc::clone(&answers));
                thread::spawn(move || {
                    if answers.load(Relaxed) {
                        // The browser may close a connection.
                        let _ = answer(&stream, &directory);
                    }
                });
            }
        });
        Files { address, is_online }
    }
}

/// Answers the request of a connection.
fn answer(mut stream: &TcpStream, directory: &Path) -> io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let Some(request) = lines.next().transpose()? else {
        return Ok(());
    };
    // The rest of the head says nothing of interest.
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let address = request.split_whitespace().nth(1).unwrap_or_default();
    let path = address.split('?').next().unwrap_or_default();
    let file = directory.join(path.trim_start_matches('/'));
    let is_safe = !path.split('/').any(|part| part == "..");
    let (status, file) = match (file.is_dir(), path.ends_with('/')) {
        _ if !is_safe => ("400 Bad Request", None),
        (true, false) => ("301 Moved Permanently", None),
        (true, true) => ("200 OK", Some(file.join("index.html"))),
        (false, _) => ("200 OK", Some(file)),
    };
    let (status, file) = match file {
        Some(file) if !file.is_file() => ("404 Not Found", not_found(directory, path)),
        file => (status, file),
    };
    let body = file.as_ref().map(fs::read).transpose()?.unwrap_or_default();
    let extension = file.as_ref().and_then(|file| file.extension()?.to_str());
    let kind = match extension {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        _ => "application/octet-stream",
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n"
    )?;
    if status.starts_with("301") {
        write!(
            stream,
            "Location: {}\r\n",
            address.replacen(path, &format!("{path}/"), 1)
        )?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&body)
}

/// Returns the page for addresses without a file, from the first directory of the path.
fn not_found(directory: &Path, path: &str) -> Option<PathBuf> {
    let first = path.split('/').nth(1)?;
    Some(directory.join(first).join("404.html")).filter(|page| page.is_file())
}
