//! `check-ai`: the subcommand `zermelo check-ai` under its own name.

fn main() -> std::process::ExitCode {
    zermelo::cli::subcommand("check-ai", &std::env::args_os().collect::<Vec<_>>())
}
