//! Passes the Git commit to release builds in the repository, for `--version`.
//!
//! Other builds there don't get it, because every commit would then recompile them. A build of a
//! package or an archive, outside of the repository, is of the version that it says, and gets an
//! empty commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ZERMELO_COMMIT");
    // Only the command line shows it.
    if std::env::var_os("CARGO_FEATURE_CLI").is_none()
        || std::env::var_os("ZERMELO_COMMIT").is_some()
    {
        return;
    }
    if !Path::new(".git").exists() {
        println!("cargo::rustc-env=ZERMELO_COMMIT=");
        return;
    }
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let Some(commit) = git(&["describe", "--always", "--exclude=*", "--dirty=-modified"]) else {
        return;
    };
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", branch.as_deref().unwrap_or("HEAD"), "packed-refs"] {
        // A missing file would count as changed each time.
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for what_it_is_made_of in ["src", "program", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={what_it_is_made_of}");
    }
    println!("cargo::rustc-env=ZERMELO_COMMIT={commit}");
}

/// Output of a Git command, if there is any.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
