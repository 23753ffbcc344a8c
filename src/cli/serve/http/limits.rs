//! Limits for clients.

use std::time::Duration;

/// Limits on the number of clients and the time of each. Tests change them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most connections at once; others wait until one ends.
    pub connections: usize,
    /// Longest time for a request's head to arrive, and for a connection to be idle.
    pub head: Duration,
    /// The same limits for connections opened when more than half of all are in use.
    pub crowded: Duration,
    /// Longest time for the lines of a batch to arrive.
    pub body: Duration,
    /// Longest time in which a client takes nothing of an answer.
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
