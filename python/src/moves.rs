//! The moves of a graph, as arrays.

/// The arrays of a graph, as the library's `MoveGraph` has them.
pub struct Moves<'a> {
    pub first: &'a [i64],
    pub children: &'a [i32],
    pub gains: &'a [i32],
    pub turns: &'a [u8],
}

impl Moves<'_> {
    pub fn positions(&self) -> usize {
        self.first.len() - 1
    }

    pub fn of(&self, position: usize) -> std::ops::Range<usize> {
        self.first[position] as usize..self.first[position + 1] as usize
    }

    /// The child, unless the game is over.
    pub fn child(&self, mv: usize) -> Option<usize> {
        usize::try_from(self.children[mv]).ok()
    }

    /// The value of a move, given the child's value seen from its side to move.
    pub fn value(&self, mv: usize, child: f64) -> f64 {
        let child = if self.turns[mv] == 0 { child } else { -child };
        f64::from(self.gains[mv]) + child
    }

    /// The positions, each before its children; `None` if a position repeats.
    pub fn order(&self) -> Option<Vec<u32>> {
        let mut parents = vec![0_u32; self.positions()];
        for child in self.children {
            if let Ok(child) = usize::try_from(*child) {
                parents[child] += 1;
            }
        }
        let mut order: Vec<u32> = vec![0];
        let mut at = 0;
        if parents[0] > 0 {
            return None;
        }
        while let Some(&position) = order.get(at) {
            at += 1;
            for mv in self.of(position as usize) {
                if let Some(child) = self.child(mv) {
                    parents[child] -= 1;
                    if parents[child] == 0 {
                        order.push(child as u32);
                    }
                }
            }
        }
        (order.len() == self.positions()).then_some(order)
    }
}
