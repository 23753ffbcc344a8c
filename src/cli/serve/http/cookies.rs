//! Cookies: no other site receives them, and scripts can't read them.

use axum::http::{HeaderMap, header};

/// Returns the value of a cookie in a request, if it has one.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let given = headers.get_all(header::COOKIE).iter();
    let given = given.filter_map(|value| value.to_str().ok());
    let mut pairs = given.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Returns the header that sets a cookie until the browser is closed.
pub fn set_cookie(name: &str, value: &str) -> String {
    format!("{name}={value}; Path=/; SameSite=Lax; HttpOnly")
}
