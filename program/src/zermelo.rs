//! `zermelo`: all subcommands.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    zermelo::cli::Program::of_library().run(&arguments).into()
}
