//! `solve`: the subcommand `zermelo solve` under its own name.

fn main() -> std::process::ExitCode {
    zermelo::cli::subcommand("solve", &std::env::args_os().collect::<Vec<_>>())
}
