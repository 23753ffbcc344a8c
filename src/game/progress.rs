//! How long-running work says how far it has come, and learns that it should stop.

/// Receives progress and says whether to go on; the library itself never prints.
pub trait Progress: Sync {
    /// A new phase begins: its name and how many units of work it has (0: unknown).
    fn phase(&self, name: &str, unit: &str, total: u64);

    /// This many more units of the phase are done. Called from any thread.
    fn advance(&self, units: u64);

    /// Something that the user should know, in one sentence without a full stop.
    fn note(&self, _text: &str) {}

    /// Whether the work should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Ignores progress and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn phase(&self, _name: &str, _unit: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
}
