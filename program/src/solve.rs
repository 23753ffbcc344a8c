//! `solve`: runs `zermelo solve`.

mod launcher;

fn main() -> std::process::ExitCode {
    launcher::run("solve")
}
