//! The addresses at which browsers reach the server.

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use std::net::{IpAddr, SocketAddr};
use sysinfo::{NetworkData, Networks};

/// Returns the address to type into a browser on this machine.
pub fn shown_address(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("localhost:{}", address.port())
    } else {
        address.to_string()
    }
}

/// Returns the addresses for other machines if the server listens to all, those of private networks
/// first.
pub fn outer_addresses(address: SocketAddr) -> Vec<SocketAddr> {
    if !address.ip().is_unspecified() {
        return Vec::new();
    }
    let is_outer = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => address.is_ipv6() && !ip.is_loopback() && !ip.is_unicast_link_local(),
    };
    let networks = Networks::new_with_refreshed_list();
    let all = networks.values().flat_map(NetworkData::ip_networks);
    let mut outer: Vec<IpAddr> = all.map(|network| network.addr).filter(is_outer).collect();
    outer.sort_by_key(|ip| (!matches!(ip, IpAddr::V4(ip) if ip.is_private()), *ip));
    outer.dedup();
    let with_port = |ip| SocketAddr::new(ip, address.port());
    outer.into_iter().map(with_port).collect()
}

/// Returns an address as a QR code for terminals; `None` if it is too long for one.
pub fn qr_code(address: &str) -> Option<String> {
    let code = QrCode::new(address).ok()?;
    // Most terminals are dark, so that what is printed is light.
    let code = code
        .render()
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .build();
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_get_addresses_only_if_the_server_listens_to_them() {
        assert_eq!(outer_addresses(([127, 0, 0, 1], 80).into()), []);
        for outer in outer_addresses(([0, 0, 0, 0], 80).into()) {
            assert!(outer.is_ipv4() && !outer.ip().is_loopback() && outer.port() == 80);
        }
        let code = qr_code("http://192.168.178.123:8080/").unwrap();
        assert!(code.lines().count() < 24 && code.lines().all(|line| line.chars().count() < 48));
    }
}
