//! What a search uses to look at fewer positions.

/// What a search uses to look at fewer positions. Whatever is switched off, the scores stay the
/// same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pruning {
    /// Remember positions at all.
    pub transpositions: bool,
    /// Ask the table about all children before any of them is searched.
    pub transposition_cutoffs: bool,
    /// Leave out moves after which the seeds in the stores settle the question.
    pub futility: bool,
    /// With `futility`: count the seeds that who moves next can take at once, too.
    pub sure_gains: bool,
    /// Try the table's move first.
    pub table_move: bool,
    /// Try extra turns early.
    pub extra_turns_first: bool,
    /// Try moves that gain much early.
    pub captures_first: bool,
    /// Try moves early that leave the opponent few moves and the mover extra turns.
    pub few_replies_first: bool,
}

impl Default for Pruning {
    fn default() -> Self {
        Pruning {
            transpositions: true,
            transposition_cutoffs: true,
            futility: true,
            sure_gains: true,
            table_move: true,
            extra_turns_first: true,
            captures_first: true,
            few_replies_first: true,
        }
    }
}
