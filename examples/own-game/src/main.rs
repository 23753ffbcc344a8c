//! Domineering and Nim with Zermelo's command line.
//!
//! The commands are `solve`, `query`, `verify`, `info` and `check-ai`.

mod domineering;
mod nim;

use domineering::DomineeringFamily;
use nim::Nim;
use std::process::ExitCode;
use zermelo::games::own::Own;

fn main() -> ExitCode {
    zermelo::cli::main(&[&DomineeringFamily, &Own::<Nim>::FAMILY])
}
