//! The host names of the server.

use std::net::IpAddr;

/// The names by which clients may address the server.
///
/// This prevents DNS rebinding: a page of another site, whose name was made to resolve to this
/// server, sends that other name. Numeric addresses can't be redirected.
pub struct Names(Vec<String>);

impl Names {
    pub fn new(host: IpAddr, allowed: &[String]) -> Names {
        let own = ["localhost".to_owned(), host.to_string()];
        let allowed = allowed.iter().map(|name| name.to_ascii_lowercase());
        Names(own.into_iter().chain(allowed).collect())
    }

    pub(super) fn includes(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let number = host.trim_start_matches('[').trim_end_matches(']');
        number.parse::<IpAddr>().is_ok() || self.0.contains(&host) || host.ends_with(".localhost")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_are_not_known() {
        let names = Names::new([127, 0, 0, 1].into(), &["Laptop.local".to_owned()]);
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "[::1]",
            "192.168.1.7",
            "laptop.local",
        ] {
            assert!(names.includes(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example",
        ] {
            assert!(!names.includes(host), "{host}");
        }
    }
}
