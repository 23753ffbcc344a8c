//! `zermelo`: all subcommands, or one of them if called by its name.

fn main() -> std::process::ExitCode {
    zermelo::cli::zermelo(&std::env::args_os().collect::<Vec<_>>()).into()
}
