//! Runs the fuzzers' bodies on stable Rust, without guidance by coverage.
//!
//! Inputs are random or mutations of the corpus. The seed and the number of an input reproduce it.
//!
//! Each body runs in its own process, which saves every input before it tries it. So the input is
//! still there if it kills the process.

use clap::Parser;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use zermelo_fuzz::{BODIES, Body, HEAP, Heap, input};

#[global_allocator]
static ALLOCATOR: Heap = HEAP;

/// Fuzz what reads strangers' files and words
#[derive(Parser)]
struct Arguments {
    /// Bodies to run, one after another; all of them without any
    bodies: Vec<String>,

    /// How long to run each
    #[arg(long, default_value_t = 60)]
    seconds: u64,

    /// Where random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Go on after a failure, from the next seed
    #[arg(long)]
    keep_going: bool,

    /// Where inputs go that fail
    #[arg(long, default_value = "target/fuzz-failures")]
    out: PathBuf,

    /// Try these inputs of one body instead of making any
    #[arg(long, num_args = 1.., value_name = "FILE")]
    input: Vec<PathBuf>,

    /// List the bodies
    #[arg(long)]
    list: bool,

    /// Be the process that tries inputs; the file is for the input that it is at
    #[arg(long, hide = true, value_name = "FILE")]
    worker: Option<PathBuf>,
}

/// The time after which an input counts as an endless loop.
const HANG: Duration = Duration::from_secs(60);

/// The address space of a worker, in bytes.
const SPACE: u64 = 8 << 30;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<bool> {
    if arguments.list {
        for body in BODIES {
            println!("{:<9} {}", body.name, body.about);
        }
        return Ok(true);
    }
    let mut bodies = Vec::new();
    for name in &arguments.bodies {
        let body = Body::find(name);
        bodies.push(body.ok_or_else(|| io::Error::other(format!("there is no body {name}")))?);
    }
    if bodies.is_empty() {
        bodies.extend(BODIES);
    }
    if let Some(state) = &arguments.worker {
        work(bodies[0], arguments, state)?;
        return Ok(true);
    }
    if !arguments.input.is_empty() {
        let [body] = bodies[..] else {
            return Err(io::Error::other("name the body that the inputs are for"));
        };
        for path in &arguments.input {
            let came = in_one_thread(|| body.run(&fs::read(path).unwrap_or_default()));
            println!("{}: {came}", path.display());
        }
        return Ok(true);
    }
    let mut good = true;
    for body in bodies {
        good &= supervise(body, arguments)?;
    }
    Ok(good)
}

/// Runs parallel work on one thread, faster for little work and repeatable.
fn in_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .stack_size(16 << 20);
    pool.build().expect("a thread can be had").install(work)
}

/// Runs a body in its own process; returns whether no input failed.
fn supervise(body: &Body, arguments: &Arguments) -> io::Result<bool> {
    fs::create_dir_all(&arguments.out)?;
    let state = arguments.out.join(format!("{}.now", body.name));
    let began = Instant::now();
    let mut good = true;
    for seed in arguments.seed.. {
        let left = arguments.seconds.saturating_sub(began.elapsed().as_secs());
        if left == 0 {
            break;
        }
        let worker = Command::new(std::env::current_exe()?)
            .arg(body.name)
            .args(["--seconds", &left.to_string(), "--seed", &seed.to_string()])
            .arg("--worker")
            .arg(&state)
            .status()?;
        if worker.success() {
            break;
        }
        good = false;
        let (before, input) = input_in(&state)?;
        let name = format!("{}-{:08x}", body.name, crc32fast::hash(&input));
        let path = arguments.out.join(name);
        fs::write(&path, input)?;
        println!(
            "{}: FAILED ({worker}) after {before} inputs; the last is in {}\n\
             try it again: cargo run --profile fuzz -p zermelo-fuzz -- {} --input {}",
            body.name,
            path.display(),
            body.name,
            path.display()
        );
        if !arguments.keep_going {
            break;
        }
    }
    let _ = fs::remove_file(state);
    Ok(good)
}

/// Reads the number of inputs that a worker has tried, and its current input.
fn input_in(state: &Path) -> io::Result<(u64, Vec<u8>)> {
    let mut bytes = Vec::new();
    File::open(state)?.read_to_end(&mut bytes)?;
    let Some((number, rest)) = bytes.split_first_chunk::<8>() else {
        return Ok((0, Vec::new()));
    };
    let Some((length, rest)) = rest.split_first_chunk::<4>() else {
        return Ok((0, Vec::new()));
    };
    let length = u32::from_le_bytes(*length) as usize;
    let input = rest[..length.min(rest.len())].to_vec();
    Ok((u64::from_le_bytes(*number), input))
}

/// Tries inputs until the time is up.
fn work(body: &'static Body, arguments: &Arguments, state: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, setrlimit};
        let _ = setrlimit(Resource::RLIMIT_AS, SPACE, SPACE);
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    }
    let corpus = input::corpus(body);
    let mut random = Rng::with_seed(arguments.seed);
    let mut state = File::create(state)?;
    std::thread::spawn(watch);
    let mut came = BTreeMap::<&str, u64>::new();
    let began = Instant::now();
    let (inputs, seconds) = in_one_thread(|| {
        let mut inputs = 0;
        let mut fixed = corpus.iter().cloned();
        while began.elapsed().as_secs() < arguments.seconds {
            let input = match fixed.next() {
                Some(input) => input,
                None => input::make(&mut random, &corpus),
            };
            let mut line = u64::to_le_bytes(inputs).to_vec();
            line.extend((input.len() as u32).to_le_bytes());
            line.extend(&input);
            state.seek(SeekFrom::Start(0))?;
            state.write_all(&line)?;
            *came.entry(body.run(&input)).or_default() += 1;
            inputs += 1;
            TRIED.store(inputs, Ordering::Relaxed);
        }
        Ok::<_, io::Error>((inputs, began.elapsed().as_secs()))
    })?;
    let came: Vec<String> = came
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    println!(
        "{}: {inputs} inputs in {seconds} s (seed {}): {}",
        body.name,
        arguments.seed,
        came.join(", ")
    );
    Ok(())
}

/// The number of inputs tried.
static TRIED: AtomicU64 = AtomicU64::new(0);

/// Kills the process when an input takes too long.
fn watch() {
    let mut last = (0, Instant::now());
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let tried = TRIED.load(Ordering::Relaxed);
        if tried != last.0 {
            last = (tried, Instant::now());
        } else if last.1.elapsed() > HANG {
            eprintln!("input {tried} takes more than {} s", HANG.as_secs());
            std::process::abort();
        }
    }
}
