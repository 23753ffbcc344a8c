//! Domineering, Nim, and king and rook against king with Zermelo's command line.
//!
//! The commands are `solve`, `query`, `verify`, `info` and `check-ai`.

mod domineering;
mod nim;
mod rook;

use domineering::DomineeringFamily;
use nim::Nim;
use rook::Rook;
use std::process::ExitCode;
use zermelo::games::own::Own;

fn main() -> ExitCode {
    zermelo::cli::main(&[
        &DomineeringFamily,
        &Own::<Nim>::FAMILY,
        &Own::<Rook>::FAMILY,
    ])
}
