//! Measures `zermelo serve` with a class of clients.
//!
//! Each client plays random games by following the links of the pages. It has a cookie, and asks
//! for a page again while scores are missing, as the script of the pages does.
//!
//! ```text
//! zermelo serve --port 8080 &
//! cargo run --release -p load -- 127.0.0.1:8080 kalah-6-4 connect4
//! ```

use anyhow::{Context, bail};
use clap::Parser;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Measures `zermelo serve` with a class of clients
#[derive(Parser)]
struct Args {
    /// Address of the server, such as 127.0.0.1:8080
    server: String,
    /// Games, by their ids; each client plays one of them
    #[arg(required = true)]
    games: Vec<String>,
    /// Number of clients
    #[arg(long, default_value_t = 25)]
    clients: usize,
    /// Seconds to measure
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Seconds between two clicks of a client
    #[arg(long, default_value_t = 5.0)]
    every: f64,
}

/// Longest time of a page with the board, for 99 of 100 clicks.
const PAGE: Duration = Duration::from_millis(200);
/// Longest time of the scores of all moves, for half of the clicks.
const SCORES: Duration = Duration::from_secs(5);

/// A click, and when its answers came.
struct Click {
    game: usize,
    /// Time until the page with the board had arrived.
    page: Duration,
    /// Time until the score of each move was known.
    scores: Option<Duration>,
}

#[derive(Default)]
struct Seen {
    clicks: Vec<Click>,
    /// Times of the pages that were asked for again.
    again: Vec<Duration>,
    /// Replies without a page, by their status.
    failed: Vec<u16>,
}

struct Client<'a> {
    args: &'a Args,
    game: usize,
    cookie: Option<String>,
    random: fastrand::Rng,
    seen: Seen,
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let began = Instant::now();
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let clients = (0..args.clients).map(|number| {
            let client = Client {
                args: &args,
                game: number % args.games.len(),
                cookie: None,
                random: fastrand::Rng::with_seed(number as u64),
                seen: Seen::default(),
            };
            scope.spawn(move || client.play(began))
        });
        let clients: Vec<_> = clients.collect();
        let seen = clients.into_iter().map(|client| client.join().ok());
        seen.map(|seen| seen.context("a client panicked")?)
            .collect::<anyhow::Result<_>>()
    })?;
    Ok(report(&args, &seen))
}

impl Client<'_> {
    fn play(mut self, began: Instant) -> anyhow::Result<Seen> {
        let every = Duration::from_secs_f64(self.args.every);
        let end = began + Duration::from_secs_f64(self.args.seconds);
        let home = format!("/explore/{}", self.args.games[self.game]);
        let mut address = home.clone();
        // A class does not click at the same moment.
        let mut next = began + every.mul_f64(self.random.f64());
        while next < end {
            sleep(next.saturating_duration_since(Instant::now()));
            next += every;
            let page = self.click(&address, next)?;
            let moves = moves(&page);
            address = match self.random.choice(&moves) {
                Some(mv) => mv.clone(),
                None => home.clone(),
            };
        }
        Ok(self.seen)
    }

    /// Opens a page, and asks for it again until it is complete or the next click is due.
    fn click(&mut self, address: &str, next: Instant) -> anyhow::Result<String> {
        let clicked = Instant::now();
        let (status, mut page) = self.get(address)?;
        let time = clicked.elapsed();
        if status != 200 || !page.contains("id=\"board\"") {
            self.seen.failed.push(status);
            return Ok(String::new());
        }
        let has_scores = |page: &str| !page.contains("pill open");
        let mut scores = has_scores(&page).then_some(time);
        let mut soon = Duration::from_millis(250);
        while let Some(again) = again(&page) {
            let wait = again.min(soon);
            soon *= 2;
            if Instant::now() + wait >= next {
                break;
            }
            sleep(wait);
            let asked = Instant::now();
            let (status, fresh) = self.get(address)?;
            if status != 200 {
                self.seen.failed.push(status);
                break;
            }
            page = fresh;
            self.seen.again.push(asked.elapsed());
            if scores.is_none() && has_scores(&page) {
                scores = Some(clicked.elapsed());
            }
        }
        self.seen.clicks.push(Click {
            game: self.game,
            page: time,
            scores,
        });
        Ok(page)
    }

    /// Returns the status and the text of a page.
    fn get(&mut self, address: &str) -> anyhow::Result<(u16, String)> {
        let server = &self.args.server;
        let mut stream =
            TcpStream::connect(server).with_context(|| format!("can't connect to {server}"))?;
        let cookie = self.cookie.iter().map(|it| format!("Cookie: {it}\r\n"));
        let cookie: String = cookie.collect();
        write!(
            stream,
            "GET {address} HTTP/1.1\r\nHost: {server}\r\n{cookie}Connection: close\r\n\r\n"
        )?;
        let mut reply = String::new();
        stream.read_to_string(&mut reply)?;
        let Some((head, page)) = reply.split_once("\r\n\r\n") else {
            bail!("{address}: the reply has no head");
        };
        let set = head
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        if let Some(cookie) = set.and_then(|set| set.split(';').next()) {
            self.cookie = Some(cookie.to_owned());
        }
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Ok((status.context("the reply has no status")?, page.to_owned()))
    }
}

/// Returns the time after which a page asks to be loaded again, if it does.
fn again(page: &str) -> Option<Duration> {
    let seconds = page.split("data-again=\"").nth(1)?.split('"').next()?;
    seconds.parse().ok().map(Duration::from_secs)
}

/// Returns the addresses of all moves on a page.
fn moves(page: &str) -> Vec<String> {
    let links = page.split("<a ").skip(1);
    let links = links.filter_map(|link| link.split_once('>').map(|parts| parts.0));
    let moves = links.filter(|link| link.contains("data-key="));
    let addresses = moves.filter_map(|link| link.split("href=\"").nth(1)?.split('"').next());
    addresses
        .map(|address| address.replace("&amp;", "&"))
        .collect()
}

/// Returns the time within which this share of a sorted list came.
fn within(times: &[Option<Duration>], share: f64) -> Option<Duration> {
    let at = (share * times.len() as f64).ceil() as usize;
    times.get(at.saturating_sub(1)).copied().flatten()
}

fn shown(time: Option<Duration>) -> String {
    time.map_or_else(|| "never".to_owned(), |time| format!("{time:.0?}"))
}

/// Prints the times; succeeds if they are short enough.
fn report(args: &Args, seen: &[Seen]) -> ExitCode {
    // What never came is last.
    let sorted = |mut times: Vec<Option<Duration>>| {
        times.sort_by_key(|time| time.unwrap_or(Duration::MAX));
        times
    };
    let line = |name: &str, times: &[Option<Duration>]| {
        let shares = [0.5, 0.9, 0.99, 1.0].map(|share| shown(within(times, share)));
        let [half, most, nearly, all] = shares;
        let count = times.len();
        println!("{name:24} {count:5} {half:>8} {most:>8} {nearly:>8} {all:>8}");
    };
    println!(
        "{:24} {:>5} {:>8} {:>8} {:>8} {:>8}",
        "", "count", "p50", "p90", "p99", "most"
    );
    let clicks = || seen.iter().flat_map(|seen| &seen.clicks);
    let pages = sorted(clicks().map(|click| Some(click.page)).collect());
    line("page with the board", &pages);
    let again = seen.iter().flat_map(|seen| &seen.again);
    line(
        "the same page again",
        &sorted(again.copied().map(Some).collect()),
    );
    let scores = sorted(clicks().map(|click| click.scores).collect());
    line("scores of all moves", &scores);
    for (number, game) in args.games.iter().enumerate() {
        let own = clicks().filter(|click| click.game == number);
        line(
            &format!("  {game}"),
            &sorted(own.map(|click| click.scores).collect()),
        );
    }
    let failed: Vec<u16> = seen.iter().flat_map(|seen| seen.failed.clone()).collect();
    println!("replies without a page: {} {failed:?}", failed.len());
    let is_soon = |time: Option<Duration>, most| time.is_some_and(|time| time <= most);
    let holds = failed.is_empty()
        && is_soon(within(&pages, 0.99), PAGE)
        && is_soon(within(&scores, 0.5), SCORES);
    ExitCode::from(u8::from(!holds))
}
