//! Domineering, with Zermelo's whole command line: `solve`, `query`, `verify`, `info`, `check-ai`.

mod domineering;

use domineering::DomineeringFamily;
use std::process::ExitCode;

fn main() -> ExitCode {
    zermelo::cli::main(&[&DomineeringFamily])
}
