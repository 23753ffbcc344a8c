//! A server with the explorer and a browser to test it: Chromium with chromedriver.
//!
//! The environment provides three inputs:
//! * `ZERMELO`: the program (default `target/debug/zermelo`);
//! * `ZERMELO_TABLES`: a directory with `kalah-6-2.bin` (default: the tables are solved);
//! * `AXE`: the accessibility checker `axe.min.js` of npm's axe-core.

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A child process that is killed when its owner is dropped.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the path of the program.
fn zermelo() -> PathBuf {
    let given = env::var_os("ZERMELO").map(PathBuf::from);
    given.unwrap_or_else(|| root().join("target/debug/zermelo"))
}

/// Returns a directory with tables of Kalah(6,2) and tic-tac-toe.
fn tables() -> &'static Path {
    static TABLES: OnceLock<(Option<TempDir>, PathBuf)> = OnceLock::new();
    let (_, path) = TABLES.get_or_init(|| {
        if let Some(given) = env::var_os("ZERMELO_TABLES") {
            return (None, given.into());
        }
        let folder = tempfile::tempdir().expect("a folder for tables");
        for game in [&["kalah", "--seeds", "2"][..], &["tictactoe"]] {
            let mut solve = Command::new(zermelo());
            let solve = solve.arg("solve").args(game).arg("--quiet");
            let solve = solve.env("ZERMELO_TABLES", folder.path());
            assert!(solve.status().expect("zermelo").success());
        }
        let path = folder.path().to_owned();
        (Some(folder), path)
    });
    path
}

/// A running `zermelo serve`.
pub struct Explorer {
    _server: Owned,
    /// Its standard output after the first line.
    out: Lines<BufReader<ChildStdout>>,
    /// Its origin, such as `http://127.0.0.1:12345`.
    pub origin: String,
}

impl Explorer {
    /// Starts the server on a free port.
    pub fn start() -> Explorer {
        Explorer::start_with(&[])
    }

    /// Starts the server in class mode, and returns the address of the teacher's page, too.
    pub fn start_class() -> (Explorer, String) {
        let mut explorer = Explorer::start_with(&["--class"]);
        let line = explorer.out.next().expect("a line").expect("UTF-8");
        let teacher = line.strip_prefix("Teacher: ").expect("an address");
        (explorer, teacher.to_owned())
    }

    fn start_with(args: &[&str]) -> Explorer {
        let mut server = Command::new(zermelo());
        let server = server.args(["serve", "--port", "0", "--memory", "600M"]);
        let server = server.args(args).arg("--table").arg(tables());
        let server = server.stdout(Stdio::piped()).spawn();
        let mut server = Owned(server.expect("zermelo"));
        let out = server.0.stdout.take().expect("its output");
        let mut out = BufReader::new(out).lines();
        let line = out.next().expect("a line").expect("UTF-8");
        let address = line.split_whitespace().nth(2).expect("an address");
        Explorer {
            origin: address.trim_end_matches('/').to_owned(),
            _server: server,
            out,
        }
    }

    /// Sends a request to the API without a browser and returns the JSON.
    pub fn api(&self, path: &str) -> Value {
        let host = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("a connection");
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("a request");
        let mut all = String::new();
        stream.read_to_string(&mut all).expect("an answer");
        let (head, body) = all.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {all}");
        serde_json::from_str(body).expect("JSON")
    }

    /// Returns the output of `query --json` for a position.
    pub fn query(&self, table: &str, position: &str) -> Value {
        let mut query = Command::new(zermelo());
        let table = tables().join(table);
        let query = query.arg("query").arg("--table").arg(table);
        let done = query
            .args(["--json", "--line", "--position", position])
            .output();
        serde_json::from_slice(&done.expect("zermelo").stdout).expect("JSON")
    }
}

/// The size and the preferences of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// Whether dark pages are preferred.
    pub is_dark: bool,
    /// Whether scripts run.
    pub has_script: bool,
    /// Whether motion is welcome.
    pub has_motion: bool,
}

impl Sight {
    /// A desktop screen.
    pub const DESKTOP: Sight = Sight {
        width: 1400,
        height: 900,
        is_dark: false,
        has_script: true,
        has_motion: true,
    };
    /// A telephone's screen.
    pub const PHONE: Sight = Sight {
        width: 400,
        height: 800,
        ..Sight::DESKTOP
    };
}

/// A running chromedriver, which starts browsers.
pub struct Driver {
    _driver: Owned,
    address: String,
}

impl Driver {
    /// Starts chromedriver on a free port.
    pub fn start() -> Driver {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn();
        let mut driver = Owned(driver.expect("chromedriver, of Debian's chromium-driver"));
        let out = driver.0.stdout.take().expect("its output");
        let lines = BufReader::new(out).lines();
        let mut lines = lines.map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, rest) = line.split_once("successfully on port ")?;
            Some(rest.trim_end_matches('.').to_owned())
        });
        Driver {
            address: format!("http://127.0.0.1:{}", port.expect("a port")),
            _driver: driver,
        }
    }

    /// Starts a new browser that shares no state with others.
    pub async fn browser(&self, sight: Sight) -> Client {
        let mut args = vec![
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
        ];
        if sight.is_dark {
            args.push("--blink-settings=preferredColorScheme=0");
        }
        if !sight.has_motion {
            args.push("--force-prefers-reduced-motion");
        }
        let script = if sight.has_script { 1 } else { 2 };
        let options = json!({
            "args": args,
            "prefs": { "profile.managed_default_content_settings.javascript": script },
            "mobileEmulation": {
                "deviceMetrics": {
                    "width": sight.width,
                    "height": sight.height,
                    "pixelRatio": 1,
                    "touch": false,
                    "mobile": false,
                },
            },
        });
        let mut capabilities = Capabilities::new();
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        builder.connect(&self.address).await.expect("a browser")
    }
}

/// Returns the script of the accessibility checker.
pub fn axe() -> String {
    let path = env::var_os("AXE").map(PathBuf::from);
    let path = path.unwrap_or_else(|| root().join("target/tools/axe.min.js"));
    fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// Returns the text of a page's main part.
pub async fn text(browser: &Client) -> String {
    loop {
        let main = browser.wait().for_element(Locator::Css("main"));
        let main = main.await.expect("a page");
        match main.text().await {
            // Another page has come meanwhile.
            Err(error) if error.is_stale_element_reference() => {}
            text => return text.expect("its text"),
        }
    }
}

/// Clicks the element that a CSS selector finds.
pub async fn click(browser: &Client, selector: &str) {
    let found = browser.find(Locator::Css(selector)).await;
    found
        .unwrap_or_else(|_| panic!("no {selector}"))
        .click()
        .await
        .unwrap();
}

/// Returns the path and the query of the browser's address.
pub async fn path(browser: &Client) -> String {
    let address = browser.current_url().await.unwrap();
    let query = address
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    format!("{}{query}", address.path())
}

/// Opens an address of the explorer.
pub async fn goto(explorer: &Explorer, browser: &Client, path: &str) {
    let address = format!("{}{path}", explorer.origin);
    browser.goto(&address).await.unwrap();
}

/// Returns whether a move is shown as motion now.
async fn is_moving(browser: &Client) -> bool {
    browser.find(Locator::Css("[aria-busy]")).await.is_ok()
}

/// Waits until the browser is at the address and its board is at rest.
pub async fn arrives(browser: &Client, wanted: &str) {
    let began = Instant::now();
    while path(browser).await != wanted || is_moving(browser).await {
        let here = path(browser).await;
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{here}, not {wanted}"
        );
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Waits until the browser has left an address, and the board is at rest.
pub async fn leaves(browser: &Client, before: &str) {
    while path(browser).await == before || is_moving(browser).await {
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Presses a key of the keyboard, or several.
pub async fn press(browser: &Client, key: &str) {
    let body = browser.find(Locator::Css("body")).await.unwrap();
    body.send_keys(key).await.unwrap();
}
