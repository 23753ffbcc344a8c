//! How much clients may ask, and how long they may take.

use std::time::Duration;

/// How many clients there may be, and how long each may take. Tests change it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// So many connections at once; others wait until one of them ends.
    pub connections: usize,
    /// For a request's head to arrive; also how long a connection may be idle.
    pub head: Duration,
    /// The same for those that come when more than half of all connections are taken.
    pub crowded: Duration,
    /// For the lines of a batch to arrive.
    pub body: Duration,
    /// To take nothing of an answer that is ready.
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
