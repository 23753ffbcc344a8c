//! The explorer and a browser to test it: Chromium with chromedriver.
//!
//! The explorer is that of `zermelo serve`, or a site of `zermelo export --web`. The site is in a
//! directory of a server of files, which goes offline after each browser's first visit.
//!
//! The environment provides these inputs:
//! * `ZERMELO_HOST`: `server` (the default), or `site`;
//! * `ZERMELO`: the program (default `target/debug/zermelo`);
//! * `ZERMELO_TABLES`: a directory with `kalah-6-2.bin` (default: the tables are solved);
//! * `AXE`: the accessibility checker `axe.min.js` of npm's axe-core.

mod files;

use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use files::Files;
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use url::{ParseError, Url};

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

/// The directory of a site on its server. Addresses of its pages begin with it.
const PREFIX: &str = "/zermelo";

/// A running explorer.
pub struct Explorer {
    host: Host,
    /// Its origin, such as `http://127.0.0.1:12345`.
    pub origin: String,
}

enum Host {
    Server {
        _process: Owned,
        /// Its standard output after the first line.
        out: Lines<BufReader<ChildStdout>>,
    },
    Site {
        files: Files,
        directory: TempDir,
        /// Sessions of the browsers that have the site in their cache.
        visitors: Mutex<HashSet<String>>,
    },
}

impl Explorer {
    /// Starts the explorer of the kind that the environment names, on a free port.
    pub fn start() -> Explorer {
        match env::var("ZERMELO_HOST").as_deref() {
            Err(_) | Ok("server") => Explorer::server(),
            Ok("site") => Explorer::site(),
            Ok(other) => panic!("ZERMELO_HOST is server or site, not {other}"),
        }
    }

    /// Starts the server.
    pub fn server() -> Explorer {
        Explorer::server_with(&[])
    }

    /// Starts the server in class mode, and returns the address of the teacher's page, too.
    pub fn start_class() -> (Explorer, String) {
        let mut explorer = Explorer::server_with(&["--class"]);
        let Host::Server { out, .. } = &mut explorer.host else {
            unreachable!("a server has been started");
        };
        let line = out.next().expect("a line").expect("UTF-8");
        let teacher = line.strip_prefix("Teacher: ").expect("an address");
        (explorer, teacher.to_owned())
    }

    fn server_with(args: &[&str]) -> Explorer {
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
            host: Host::Server {
                _process: server,
                out,
            },
        }
    }

    /// Exports the site and serves its files. The program must have been built with it.
    pub fn site() -> Explorer {
        let directory = tempfile::tempdir().expect("a directory for the site");
        let mut export = Command::new(zermelo());
        let export = export.args(["export", "--quiet", "--web"]);
        let export = export.arg(directory.path().join(&PREFIX[1..]));
        let export = export.args(["kalah-6-2", "ttt"]).stdout(Stdio::null());
        let done = export.env("ZERMELO_TABLES", tables()).status();
        assert!(done.expect("zermelo").success(), "no site");
        let files = Files::serve(directory.path().to_owned());
        Explorer {
            origin: format!("http://{}", files.address),
            host: Host::Site {
                files,
                directory,
                visitors: Mutex::default(),
            },
        }
    }

    /// Returns whether browsers show pages with a script, and without one if that is possible.
    pub fn scripts(&self) -> &'static [bool] {
        match self.host {
            Host::Server { .. } => &[true, false],
            Host::Site { .. } => &[true],
        }
    }

    /// Returns the whole address of a page.
    pub fn address(&self, path: &str) -> String {
        let prefix = match self.host {
            Host::Server { .. } => "",
            Host::Site { .. } => PREFIX,
        };
        format!("{}{prefix}{path}", self.origin)
    }

    /// Loads a site into a browser that hasn't visited it, and then goes offline.
    async fn visit(&self, browser: &Client, address: &str) {
        let Host::Site {
            files,
            directory,
            visitors,
        } = &self.host
        else {
            return;
        };
        let session = browser.session_id().await.unwrap().expect("a session");
        if !visitors.lock().unwrap().insert(session) {
            return;
        }
        files.is_online.store(true, Relaxed);
        browser.goto(address).await.unwrap();
        // The first page only loads the explorer, and has no main part.
        text(browser).await;
        let tables = directory.path().join(&PREFIX[1..]).join("tables");
        let names = fs::read_dir(tables).expect("tables").flatten();
        let names = names.map(|file| file.file_name().into_string().expect("UTF-8"));
        let names = names.collect();
        load(browser, &names).await;
        files.is_online.store(false, Relaxed);
        // A worker that begins anew has only the browser's cache.
        for command in ["ServiceWorker.enable", "ServiceWorker.stopAllWorkers"] {
            browser.issue_cmd(DevTools(command)).await.unwrap();
        }
        load(browser, &names).await;
        // The worker answers only below the prefix.
        let offline = browser.execute_async(
            "const [done] = arguments;
             fetch('/').then(() => done(false), () => done(true));",
            Vec::new(),
        );
        assert_eq!(offline.await.unwrap(), true, "the server still answers");
    }

    /// Sends a request to the server's API without a browser and returns the JSON.
    pub fn api(&self, path: &str) -> Value {
        let (status, body) = self.request(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Sends a request to the server without a browser, and those to which it leads.
    ///
    /// Returns the status and the body of the last answer.
    pub fn request(&self, path: &str) -> (u64, String) {
        let host = self.origin.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).expect("a connection");
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("a request");
        let mut all = String::new();
        stream.read_to_string(&mut all).expect("an answer");
        let (head, body) = all.split_once("\r\n\r\n").expect("a head");
        let place = head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        if let Some(place) = place {
            return self.request(place);
        }
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        (status.expect("a status"), body.to_owned())
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

/// Returns the output of `query --batch --json` for positions of a table or game.
pub fn query_batch(of: &str, positions: &[&str]) -> Vec<Value> {
    let mut query = Command::new(zermelo());
    let query = query.arg("query").args(of.split(' '));
    let query = query
        .args(["--batch", "--json"])
        .env("ZERMELO_TABLES", tables());
    let query = query.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut query = query.expect("zermelo");
    let mut to = query.stdin.take().expect("its input");
    let lines = positions.join("\n");
    let sending = thread::spawn(move || to.write_all(lines.as_bytes()));
    let done = query.wait_with_output().expect("its output");
    sending
        .join()
        .expect("a thread")
        .expect("all lines are read");
    let answers = done.stdout.split(|&byte| byte == b'\n');
    let answers = answers.filter(|line| !line.is_empty());
    answers
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect()
}

/// Loads the tables of a site, by their files' names.
async fn load(browser: &Client, names: &Value) {
    let loaded = browser.execute_async(
        "const [prefix, names, done] = arguments;
         const load = async () => {
             await Promise.all(names.map((name) => fetch(`${prefix}/tables/${name}`)));
             for (const game of ['kalah-6-2', 'ttt']) {
                 while (!(await fetch(`${prefix}/api/${game}/statistics`)).ok) {
                     await new Promise((resolve) => setTimeout(resolve, 50));
                 }
             }
         };
         load().then(() => done(null), (error) => done(String(error)));",
        vec![json!(PREFIX), names.clone()],
    );
    assert_eq!(loaded.await.unwrap(), Value::Null);
}

/// A command of the Chrome DevTools protocol.
#[derive(Debug)]
struct DevTools(&'static str);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/goog/cdp/execute",
            session.unwrap_or_default()
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.0, "params": {} });
        (Method::POST, Some(body.to_string()))
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
        // Another program may take the port that it has chosen.
        let mut tries = (0..10).filter_map(|_| Driver::try_start());
        tries.next().expect("a port")
    }

    fn try_start() -> Option<Driver> {
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
        Some(Driver {
            address: format!("http://127.0.0.1:{}", port?),
            _driver: driver,
        })
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
        // A slow machine searches long.
        capabilities.insert("timeouts".to_owned(), json!({ "script": 300_000 }));
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

/// Clicks the element that a CSS selector finds. Addresses in it are those of a server.
pub async fn click(browser: &Client, selector: &str) {
    let here = browser.current_url().await.unwrap();
    let selector = match here.path().starts_with(PREFIX) {
        true => &selector.replace("=\"/", &format!("=\"{PREFIX}/")),
        false => selector,
    };
    let found = browser.find(Locator::Css(selector)).await;
    found
        .unwrap_or_else(|_| panic!("no {selector}"))
        .click()
        .await
        .unwrap();
}

/// Returns a path without the directory of a site.
fn local(path: &str) -> &str {
    path.strip_prefix(PREFIX).unwrap_or(path)
}

/// Returns the path and the query of the browser's address, as on a server.
pub async fn path(browser: &Client) -> String {
    let address = browser.current_url().await.unwrap();
    let query = address
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    format!("{}{query}", local(address.path()))
}

/// Opens an address of the explorer.
pub async fn goto(explorer: &Explorer, browser: &Client, path: &str) {
    let address = explorer.address(path);
    explorer.visit(browser, &address).await;
    browser.goto(&address).await.unwrap();
}

/// Returns whether a move is shown as motion now.
async fn is_moving(browser: &Client) -> bool {
    browser.find(Locator::Css("[aria-busy]")).await.is_ok()
}

/// Waits until the browser is at the address and its board is at rest.
pub async fn arrives(browser: &Client, wanted: &str) {
    let (wanted, began) = (local(wanted), Instant::now());
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
