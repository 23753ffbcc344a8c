//! `zermelo`: all subcommands.

fn main() -> std::process::ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let program = zermelo::cli::Program::of_library();
    // `tools/web` builds it.
    #[cfg(web_module)]
    let program = program.with_web_module(include_bytes!(env!("ZERMELO_WEB_MODULE")));
    program.run(&arguments).into()
}
