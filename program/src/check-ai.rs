//! `check-ai`: runs `zermelo check-ai`.

mod launcher;

fn main() -> std::process::ExitCode {
    launcher::run("check-ai")
}
