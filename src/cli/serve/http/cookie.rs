//! A cookie by which the server recognises a client until its browser is closed.
//!
//! It is a random number. A client's next page ends the searches for its last one, which an address
//! doesn't tell: a whole class may share one.

use crate::cli::serve::jobs::Visitor;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use std::hash::{BuildHasher, Hasher, RandomState};

const NAME: &str = "zermelo";

/// Notes in a request who sent it; returns a new client's cookie.
///
/// Programs that use the API need none. Files have no questions.
pub(super) fn recognise(request: &mut Request) -> Option<HeaderValue> {
    let given = request.headers().get_all(header::COOKIE).iter();
    let given = given.filter_map(|value| value.to_str().ok());
    let mut pairs = given.flat_map(|value| value.split(';'));
    let known = pairs.find_map(|pair| pair.trim().strip_prefix(NAME)?.strip_prefix('='));
    let known = known.and_then(|number| u64::from_str_radix(number, 16).ok());
    let path = request.uri().path();
    let needs_none = ["/api", "/assets"].iter().any(|of| path.starts_with(of));
    let new = (known.is_none() && !needs_none).then(|| RandomState::new().build_hasher().finish());
    let visitor = Visitor {
        client: known.or(new),
        page: crc32fast::hash(request.uri().to_string().as_bytes()),
    };
    request.extensions_mut().insert(visitor);
    let cookie = format!("{NAME}={:x}; Path=/; SameSite=Strict; HttpOnly", new?);
    HeaderValue::try_from(cookie).ok()
}
