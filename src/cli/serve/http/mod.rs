//! The server: connections, and what holds for every request and every response.
//!
//! `server`, connections and their limits; `guard`, who may ask, and what headers answers have;
//! `params`, what stands behind the question mark.

mod guard;
mod limits;
mod names;
mod params;
mod server;

pub use limits::Limits;
pub use names::{Names, shown_address};
pub use params::{Params, decode_part, encode, encode_part};
pub use server::answer;
