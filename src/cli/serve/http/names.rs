//! The host names of the server.

use std::net::{IpAddr, SocketAddr, UdpSocket};

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

    pub(super) fn know(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let number = host.trim_start_matches('[').trim_end_matches(']');
        number.parse::<IpAddr>().is_ok() || self.0.contains(&host) || host.ends_with(".localhost")
    }
}

/// The address to type into a browser on this machine.
pub fn shown_address(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("localhost:{}", address.port())
    } else {
        address.to_string()
    }
}

/// The address for other machines, if the server listens to them and has one.
pub fn outer_address(address: SocketAddr) -> Option<SocketAddr> {
    // No packet is sent: the system only chooses the address of a route to this one.
    let socket = UdpSocket::bind((address.ip(), 0)).ok()?;
    let outside = match address {
        SocketAddr::V4(_) => "192.0.2.1:9",
        SocketAddr::V6(_) => "[2001:db8::1]:9",
    };
    socket.connect(outside).ok()?;
    let own = SocketAddr::new(socket.local_addr().ok()?.ip(), address.port());
    (address.ip().is_unspecified() && !own.ip().is_loopback()).then_some(own)
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
            assert!(names.know(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example",
        ] {
            assert!(!names.know(host), "{host}");
        }
    }
}
