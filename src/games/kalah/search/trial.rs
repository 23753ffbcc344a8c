//! A quick look before a large endgame is made: most positions of games with few pits, and those
//! near the end of any, need so few nodes that the endgame would take far longer than the search.

use super::endgame::Form;
use super::{MemoryPlan, memory};

/// An endgame of fewer positions is made in less time than it takes to find out whether it pays.
const WORTH_A_LOOK: u64 = 8 << 20;
/// A look has an endgame of its own, with one position for so many of the one that is to be saved,
/// and visits no more than one node for so many of them to answer a question. Together that takes about a fortieth of the
/// time that making the endgame does.
const POSITIONS_A_POSITION: u64 = 64;
const POSITIONS_A_NODE: u64 = 4000;
const TABLE_BYTES: u64 = 4 << 20;

/// The plan of a search that has a look, of positions with at most so many seeds on the board, before
/// an endgame of `saved` seeds is made, and how many nodes it may visit; none if that is made at once.
pub fn plan_before(pits: usize, seeds: usize, saved: usize) -> Option<(MemoryPlan, u64)> {
    let positions = memory::positions(pits, saved).unwrap_or(u64::MAX);
    if positions < WORTH_A_LOOK {
        return None;
    }
    let count = memory::positions(pits, seeds).unwrap_or(u64::MAX);
    let plan = MemoryPlan {
        endgame_seeds: memory::largest_endgame(pits, seeds, positions / POSITIONS_A_POSITION),
        form: Form::Bytes,
        table_bytes: TABLE_BYTES.max(memory::least_table(count)),
    };
    Some((plan, positions / POSITIONS_A_NODE))
}
