//! Limits for clients.

use std::time::Duration;

/// Limits on the number of clients and the time of each. Tests change them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of connections at once; others wait until one ends.
    pub connections: usize,
    /// Maximum time for a request's head to arrive, and for a connection to be idle.
    pub head: Duration,
    /// The same limit for connections that are opened when more than half of all are in use.
    pub crowded: Duration,
    /// Maximum time for the lines of a batch to arrive.
    pub body: Duration,
    /// Maximum time in which a client reads nothing of its answer.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            head: Duration::from_secs(10),
            crowded: Duration::from_secs(1),
            body: Duration::from_secs(300),
            write: Duration::from_secs(30),
        }
    }
}
