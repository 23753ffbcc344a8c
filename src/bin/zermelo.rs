//! `zermelo`: all subcommands.

fn main() -> std::process::ExitCode {
    zermelo::cli::zermelo(&std::env::args_os().collect::<Vec<_>>()).into()
}
