//! The HTTP server: connections, and the rules for all requests and responses.
//!
//! `server` accepts connections and limits them; `guard` recognises clients, checks requests and
//! sets headers; `cookies` and `params` read cookies and query parameters.

mod cookies;
mod guard;
mod names;
mod params;
mod server;

pub use cookies::{cookie, set_cookie};
pub use guard::embedding;
pub use names::{Names, outer_addresses, qr_code, shown_address};
pub use params::{Params, decode_part, encode};
pub use server::answer;
