//! The rules for all requests and responses.
//!
//! `guard` recognises clients, checks requests and sets headers; `cookies` and `params` read cookies
//! and query parameters.

mod cookies;
mod guard;
mod names;
mod params;

pub use cookies::{cookie, set_cookie};
#[cfg(target_family = "wasm")]
pub use guard::COOKIE;
pub use guard::{embedding, guard};
pub use names::Names;
pub use params::{Params, decode_part, encode};
