//! Domineering and Nim, with Zermelo's whole command line: `solve`, `query`, `verify`, `info`,
//! `check-ai`.

mod domineering;
mod nim;

use domineering::DomineeringFamily;
use nim::Nim;
use std::process::ExitCode;
use zermelo::games::own::Own;

fn main() -> ExitCode {
    zermelo::cli::main(&[&DomineeringFamily, &Own::<Nim>::FAMILY])
}
