//! The command `serve`: a server in this process.
//!
//! `connections` accepts connections and limits them; `addresses` finds those to type into a browser.

mod addresses;
mod connections;

use super::ais::Ais;
use super::class::{Class, TEACHER};
use super::explorer::{Explorer, Limits};
use super::http::{Names, embedding};
use super::jobs::{LONGEST, Visitor};
use super::registry::{Registry, Source};
use super::{api, host, pages};
use crate::cli::args::ai::{AiArgs, Entrant};
use crate::cli::args::numbers::parse_seconds;
use crate::cli::args::resources::{available_share, cores, parse_size};
use crate::cli::output::plain_results;
use crate::cli::program::{Answer, Program, arguments, say_note};
use addresses::{outer_addresses, qr_code, shown_address};
use anyhow::{Context, anyhow};
use clap::{ArgMatches, Args, Command};
use connections::answer;
use std::io::{IsTerminal, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Explore games in a browser, and answer programs by HTTP
///
/// Serves every table given, and by search the games that need none. Each position has a page with
/// the board, the score of every move, and a line of best play. docs/reference/http-api.md
/// describes the API.
#[derive(Debug, Args)]
struct ServeArgs {
    /// Table, or directory of tables [default: data/]
    ///
    /// May be given several times.
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    table: Vec<PathBuf>,

    /// Port to listen at; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,

    /// Address to listen at
    ///
    /// 0.0.0.0 lets others in your network use the explorer, too.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    host: IpAddr,

    /// Another name of this machine, such as laptop.local
    ///
    /// Browsers send the name that somebody typed. Other names are refused, so that no page of
    /// another site can pass for this one. Numeric addresses and localhost always work.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// AI to play against; once for each
    ///
    /// The page for playing offers it at every game that is served. It runs as `check-ai` runs it:
    /// one process per game, started at its first move, restarted after a fault and ended with the
    /// server. Pages show its regret and its standard error. `builtin:NAME` is a built-in AI,
    /// `ugi:COMMAND` an engine that speaks the Universal Game Interface.
    #[arg(long = "ai", value_name = "NAME=COMMAND", value_parser = Entrant::parse, help_heading = "AI")]
    entrants: Vec<Entrant>,

    #[command(flatten)]
    ais: AiArgs,

    /// Open the first page in a browser
    #[arg(long)]
    open: bool,

    /// Class mode: a teacher locks scores and sees who solves what
    ///
    /// Prints the address of the teacher's page. Scores are locked at first. Students join with a
    /// name on the first page. Nothing is saved on disk.
    #[arg(long)]
    class: bool,

    /// Seconds that an answer waits for a search
    ///
    /// After that the answer is what is proven so far.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_seconds, allow_negative_numbers = true, help_heading = "Resources")]
    search_seconds: Duration,

    /// Memory limit of all searches together
    ///
    /// The default is a quarter of what is available, at most 4G.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Resources")]
    memory: Option<u64>,

    /// Site whose pages may use the API, or * for all
    #[arg(long, value_name = "ORIGIN|*", value_parser = parse_origin, hide_short_help = true)]
    allow_origin: Vec<String>,

    /// Site that may show boards in frames, or * for all
    ///
    /// The addresses of such boards begin with /embed/ instead of /explore/.
    #[arg(long, value_name = "ORIGIN|*", value_parser = parse_origin, hide_short_help = true)]
    allow_embed: Vec<String>,
}

/// Reads a site as browsers name it.
fn parse_origin(text: &str) -> Result<String, String> {
    let site = text.split_once("://").map(|parts| parts.1);
    let is_site = |site: &str| !site.is_empty() && !site.contains(['/', ' ', ';', ',']);
    if text != "*" && !site.is_some_and(is_site) {
        return Err("write it like https://example.org, or * for all sites".to_owned());
    }
    // Browsers leave out the usual ports.
    let site = text.to_ascii_lowercase();
    let usual = match site.starts_with("https:") {
        true => ":443",
        false => ":80",
    };
    Ok(site.strip_suffix(usual).unwrap_or(&site).to_owned())
}

/// Upper limit of the default memory: more helps searches little.
const MOST_MEMORY: u64 = 4_000_000_000;

pub fn describe(command: Command, program: &Program<'_>) -> Command {
    // The short help has one screen.
    let command =
        ServeArgs::augment_args(command).mut_arg("timeout", |arg| arg.hide_short_help(true));
    command.after_help(program.examples(
        "Exit codes: 0 ended by Ctrl-C, 2 an error.",
        &[
            "serve --open",
            "serve --table TABLE",
            "serve --host 0.0.0.0",
            "serve --host 0.0.0.0 --class",
        ],
    ))
}

pub fn run(matches: &ArgMatches, program: &Program<'_>) -> anyhow::Result<Answer> {
    let args: ServeArgs = arguments(matches)?;
    let memory = args
        .memory
        .unwrap_or_else(|| (available_share() / 4).min(MOST_MEMORY));
    let registry = Registry::new(&args.table, memory, program)?;
    needs_threads(2 * cores() + 4)
        .context("the system provides too few threads or too little memory (see `ulimit -u` and `ulimit -v`)")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(64)
        .build()
        .context("can't start the server's threads")?;
    let served = runtime.block_on(serve(&args, registry));
    // Searches may run for long, and nobody waits for them.
    runtime.shutdown_background();
    served?;
    Ok(Answer::Yes)
}

/// Checks that the system can run `count` threads at once.
///
/// The runtime takes that for granted.
fn needs_threads(count: usize) -> std::io::Result<()> {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let _closed = gate.lock();
        for _ in 0..count {
            std::thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
}

fn explorer(args: &ServeArgs, registry: Registry, limits: Limits) -> anyhow::Result<Arc<Explorer>> {
    Ok(Arc::new(Explorer {
        registry,
        jobs: Arc::default(),
        patience: args.search_seconds,
        allow_origin: args.allow_origin.clone(),
        embedding: embedding(&args.allow_embed),
        pool: host::pool().context("can't start threads for batches")?,
        batches: Arc::new(Semaphore::new(api::MOST_BATCHES)),
        names: Names::new(args.host, &args.allow_host),
        class: args.class.then(Class::new).transpose()?.map(Arc::new),
        ais: Ais::new(&args.entrants, &args.ais)?,
        limits,
    }))
}

async fn serve(args: &ServeArgs, registry: Registry) -> anyhow::Result<()> {
    let address = SocketAddr::new(args.host, args.port);
    let listener = TcpListener::bind(address).await.map_err(|cause| {
        anyhow!("can't listen at {address}: {cause}\ntip: --port 0 finds a free port")
    })?;
    let address = listener
        .local_addr()
        .context("can't find out the server's address")?;
    let explorer = explorer(args, registry, Limits::default())?;
    let shown = shown_address(address);
    let mut out = plain_results();
    writeln!(out, "Listening at http://{shown}/ (Ctrl-C ends it)")?;
    let outer = outer_addresses(address);
    for outer in &outer {
        writeln!(out, "Others can use http://{outer}/")?;
    }
    let teacher = explorer.class.as_ref();
    let teacher = teacher.map(|class| format!("{TEACHER}?code={}", class.code));
    if let Some(path) = &teacher {
        let reached = outer.first().unwrap_or(&address);
        writeln!(out, "Teacher: http://{reached}{path}")?;
    }
    if let Some(outer) = outer.first().filter(|_| std::io::stdout().is_terminal())
        && let Some(code) = qr_code(&format!("http://{outer}/"))
    {
        writeln!(out, "\n{code}\n")?;
    }
    out.flush()?;
    drop(out);
    if args.open {
        let page = format!("http://{shown}{}", teacher.as_deref().unwrap_or("/"));
        if let Err(cause) = open::that_detached(&page) {
            say_note(&format!("no browser could be opened: {cause}"));
        }
    }
    // A user who names tables gets these, and no work for other games.
    if args.table.is_empty() {
        prefetch_starts(&explorer);
    }
    tokio::select! {
        () = answer(listener, explorer) => {}
        ended = end_wanted() => ended.context("can't catch interrupts")?,
    }
    Ok(())
}

/// Searches the starts of games without tables once small games are solved.
///
/// Most clients begin there. Their questions go first if they cost less.
fn prefetch_starts(explorer: &Arc<Explorer>) {
    let (own, runtime) = (Arc::clone(explorer), Handle::current());
    explorer.registry.later(move || {
        for entry in &own.registry.entries {
            if let Ok(Source {
                oracle,
                table: None,
            }) = entry.source()
            {
                let (own, entry) = (Arc::clone(&own), Arc::clone(entry));
                runtime.spawn(async move {
                    let (start, who) = (oracle.start(), (Visitor::default(), LONGEST));
                    let found = own
                        .jobs
                        .ask(&entry.id, &oracle, start, pages::wanted(), who);
                    found.await
                });
            }
        }
    });
}

/// Waits for Ctrl-C or a request to terminate.
///
/// The latter also works if a script started the server in the background, where Ctrl-C is ignored.
async fn end_wanted() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            ended = tokio::signal::ctrl_c() => ended,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::linear_game::{LinearFamily, LinearGame, endless, linear_game};
    use std::io::Read;
    use std::net::TcpStream;

    const TTT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/ttt.bin");

    /// Starts a server in this process with these limits.
    fn start(limits: Limits) -> (tokio::runtime::Runtime, SocketAddr) {
        start_with(&[TTT.into()], &Program::of_library(), limits)
    }

    fn start_with(
        tables: &[PathBuf],
        program: &Program<'_>,
        limits: Limits,
    ) -> (tokio::runtime::Runtime, SocketAddr) {
        let registry = Registry::new(tables, 64 << 20, program).unwrap();
        let args = ServeArgs {
            table: Vec::new(),
            port: 0,
            host: [127, 0, 0, 1].into(),
            allow_host: Vec::new(),
            entrants: Vec::new(),
            ais: AiArgs {
                protocol: crate::check::Protocol::Line,
                movetime: None,
                timeout: LONG,
                startup: LONG,
            },
            open: false,
            class: false,
            search_seconds: Duration::from_secs(10),
            memory: None,
            allow_origin: Vec::new(),
            allow_embed: Vec::new(),
        };
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let address = runtime.block_on(async {
            let listener = TcpListener::bind((args.host, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            let explorer = explorer(&args, registry, limits).unwrap();
            tokio::spawn(answer(listener, explorer));
            address
        });
        (runtime, address)
    }

    /// Returns a connection on which a text has been sent.
    fn send(address: SocketAddr, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        // Only ends a hang.
        let limit = Some(Duration::from_secs(120));
        stream.set_read_timeout(limit).unwrap();
        // The server may have closed the connection if this process was paused for long.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    /// Returns the text received before the server closes the connection, in whatever way.
    fn all_of(mut stream: TcpStream) -> String {
        let mut all = Vec::new();
        if let Err(error) = stream.read_to_end(&mut all) {
            assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "no end");
        }
        String::from_utf8(all).unwrap()
    }

    const ASK: &str = "GET /api/ttt?position=XX.OO.... HTTP/1.1\r\n\
                       Host: localhost\r\nConnection: close\r\n\r\n";
    const BATCH: &str = "POST /api/ttt/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                         Content-Length: 1000\r\n\r\n.........\n";
    const LONG: Duration = Duration::from_secs(3600);
    const SHORT: Duration = Duration::from_millis(100);
    /// The usual number of connections, and time for everything.
    const PATIENT: Limits = Limits {
        connections: 512,
        head: LONG,
        crowded: LONG,
        body: LONG,
        write: LONG,
    };

    /// Tries repeatedly: even a request sent at once may be late on a busy machine.
    fn is_answered_at_last(address: SocketAddr) -> bool {
        (0..1000).any(|_| all_of(send(address, ASK)).contains("\"score\":3"))
    }

    /// The head never arrives: the connection is closed.
    #[test]
    fn connections_without_a_head_are_closed() {
        let (runtime, address) = start(Limits {
            head: SHORT,
            ..PATIENT
        });
        let waiting = ["GET /api/ttt HTTP/1.1\r\nHost: loc", ""].map(|text| send(address, text));
        for stream in waiting {
            all_of(stream);
        }
        assert!(is_answered_at_last(address));
        runtime.shutdown_background();
    }

    /// More connections than allowed send no head: half of them are closed soon.
    #[test]
    fn connections_without_a_head_make_room_for_others() {
        let (runtime, address) = start(Limits {
            connections: 8,
            crowded: SHORT,
            ..PATIENT
        });
        let half = "GET /api/ttt HTTP/1.1\r\nHost: loc";
        let _waiting: Vec<_> = (0..20).map(|_| send(address, half)).collect();
        assert!(is_answered_at_last(address));
        runtime.shutdown_background();
    }

    /// The body never arrives: an error, and others are answered meanwhile.
    #[test]
    fn batches_without_lines_time_out() {
        let (runtime, address) = start(Limits {
            body: SHORT,
            ..PATIENT
        });
        let slow = send(address, BATCH);
        let asked = all_of(send(address, ASK));
        assert!(asked.contains("\"score\":3"), "{asked}");
        let answer = all_of(slow);
        for text in ["408", "the lines took longer than 0.1 s"] {
            assert!(answer.contains(text), "{answer}");
        }
        let asked = all_of(send(address, ASK));
        assert!(asked.contains("\"score\":3"), "{asked}");
        runtime.shutdown_background();
    }

    /// One letter arrives at a time, endlessly.
    #[test]
    fn batches_sent_letter_by_letter_time_out() {
        let (runtime, address) = start(Limits {
            body: SHORT,
            ..PATIENT
        });
        let mut slow = send(address, &BATCH.replace("1000", "1000000000"));
        let mut more = slow.try_clone().unwrap();
        let dripping = std::thread::spawn(move || {
            while more.write_all(b".").is_ok() {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let mut answers = Vec::new();
        let mut some = [0; 1000];
        while let Ok(length @ 1..) = slow.read(&mut some) {
            answers.extend_from_slice(&some[..length]);
        }
        let answers = String::from_utf8(answers).unwrap();
        let text = "the lines took longer than 0.1 s";
        assert!(answers.contains(text), "{answers}");
        runtime.shutdown_background();
        dripping.join().unwrap();
    }

    /// Games of another crate: too long to be searched, without an end, and with repetition.
    #[test]
    fn games_that_cannot_be_searched_are_errors_and_others_go_on() {
        let roads = [
            LinearFamily(linear_game(800)),
            LinearFamily(LinearGame {
                called: "long",
                ..linear_game(1_000_000)
            }),
            // So far from the start that no check of the rules finds it.
            LinearFamily(LinearGame {
                called: "circular",
                back: Some((40_000, 39_000)),
                ..linear_game(50_000)
            }),
            LinearFamily(endless("won", (6, 3))),
            LinearFamily(endless("drawn", (7, 4))),
        ];
        let tictactoe = crate::any::FAMILIES
            .iter()
            .find(|family| family.name() == "tictactoe");
        let [one, two, three, four, five] = &roads;
        let program = Program {
            families: &[one, two, three, four, five, *tictactoe.unwrap()],
            name: "roads".to_owned(),
            has_library_games: false,
            subcommands: &[],
            web_module: None,
        };
        let (runtime, address) = start_with(&[TTT.into()], &program, PATIENT);
        let get = |path: &str| {
            let asked = ASK.replace("/api/ttt?position=XX.OO....", path);
            // Asks again until the search is finished, however long it takes.
            let answers = std::iter::repeat_with(|| all_of(send(address, &asked)));
            let is_searched =
                |answer: &String| answer.contains("HTTP/1.1 202") || answer.contains("data-again");
            let mut ready = answers.skip_while(is_searched);
            ready.next().unwrap_or_default()
        };
        for (game, status, text) in [
            ("road", "200", "\"score\":-1"),
            (
                "long",
                "422",
                "moves or more, which are too long to be searched\",\"tip\":\"`solve` works backward",
            ),
            ("circular", "422", "(back) -> 39000 first"),
            ("circular", "422", "Endless::Draw"),
            ("won", "200", "\"outcome\":\"win\",\"distance\":11"),
            (
                "won",
                "200",
                "{\"move\":\"on\",\"outcome\":\"win\",\"distance\":11,",
            ),
            ("drawn", "200", "\"outcome\":\"draw\",\"best_moves\""),
            ("drawn", "200", "\"line_repeats\":true"),
        ] {
            let answer = get(&format!("/api/{game}?line=true"));
            assert!(answer.contains(text), "{answer}");
            for page in ["api", "explore"] {
                let answer = get(&format!("/{page}/{game}"));
                assert!(answer.contains(&format!("HTTP/1.1 {status}")), "{answer}");
            }
        }
        let round = "played=on+on+on+on+on+on+on+back";
        for (page, text) in [
            (
                "/explore/won".to_owned(),
                "first player wins in 6 moves; the only legal move is on",
            ),
            (
                "/explore/won".to_owned(),
                "<span class=\"pill win\">W6</span>",
            ),
            (
                format!("/explore/drawn?{round}"),
                "The second player: back, repeats the position after move 4",
            ),
            (
                format!("/explore/drawn?{round}"),
                "and so on: the position repeats",
            ),
            (
                format!("/play/drawn?{round}&as=first"),
                "The game is drawn, because the position repeats",
            ),
            (format!("/explore/drawn?{round}"), "No mistakes"),
            // At 6, going back throws the win away.
            (
                "/explore/won?played=on+on+on+on+on+on+back".to_owned(),
                "a win turned into a draw; better: on",
            ),
        ] {
            let answer = get(&page);
            assert!(answer.contains(text), "{page}: {answer}");
        }
        assert!(all_of(send(address, ASK)).contains("\"score\":3"));
        runtime.shutdown_background();
    }

    /// Limits of time suit real clients.
    #[test]
    fn limits_are_long_enough_for_slow_networks() {
        let limits = Limits::default();
        let times = [limits.head, limits.crowded, limits.body, limits.write];
        assert_eq!(times.map(|time| time.as_secs()), [10, 1, 300, 30]);
    }
}
