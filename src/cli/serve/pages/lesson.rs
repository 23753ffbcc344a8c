//! The moments of a search, the questions at them, and the part of the tree that is known.

use super::words;
use crate::any::{AnyOracle, View};
use crate::cli::teaching::tree::{bound, value};
use crate::game::one_move_before;
use crate::oracle::Run;
use crate::search::{End, Visit as Step, Window};
use std::collections::HashMap;

/// A moment of a search: a visit begins or ends. A visit without further visits does both at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Number of the visit.
    pub visit: usize,
    pub begins: bool,
    pub ends: bool,
}

/// A search, moment by moment.
pub struct Lesson {
    pub oracle: AnyOracle<'static>,
    pub visits: Vec<Step>,
    pub moments: Vec<Moment>,
    /// The run of plain minimax in the same order of moves.
    minimax: Option<Run>,
}

impl Lesson {
    pub fn new(oracle: AnyOracle<'static>, visits: Vec<Step>, minimax: Option<Run>) -> Lesson {
        Lesson {
            oracle,
            moments: moments(&visits),
            visits,
            minimax: minimax.filter(Run::is_finished),
        }
    }

    /// Returns the move that led to a visit, in words.
    pub fn named(&self, visit: usize) -> String {
        let mv = self.visits[visit].mv.as_deref();
        mv.map_or("the root".to_owned(), |mv| words::of_move(&self.oracle, mv))
    }

    /// Returns the parent to which a visit has returned, and the move that is next there.
    ///
    /// `None` if no visit ends at this moment, or the parent has no move left.
    pub fn next_branch(&self, at: usize) -> Option<(usize, &str)> {
        let ended = &self.visits[self.moments.get(at).filter(|now| now.ends)?.visit];
        let parent = ended.parent?;
        let at_parent = &self.visits[parent];
        let mut all = at_parent.searched.iter().chain(&at_parent.skipped);
        all.find(|mv| ended.mv.as_ref() == Some(mv));
        Some((parent, all.next()?))
    }

    /// Returns the window at a visit after the first `visits` visits, as far as values narrow it.
    pub fn window(&self, visit: usize, visits: usize) -> Window {
        let own = &self.visits[visit];
        let counts_plies = self.oracle.counts_plies();
        let children = self.visits[..visits].iter();
        let children = children.filter(|child| child.parent == Some(visit));
        let values = children.map(|child| {
            let seen = own.to_move.seen(child.to_move.seen(child.value));
            one_move_before(seen, counts_plies)
        });
        let beta = own.exit.beta;
        values.fold(Window { beta, ..own.entry }, Window::above)
    }

    /// Returns the value of a visit as its parent sees it: "\u{2265} +1".
    pub fn returned(&self, parent: usize, visit: usize) -> String {
        let (own, child) = (&self.visits[parent], &self.visits[visit]);
        let seen = own.to_move.seen(child.to_move.seen(child.value));
        let seen = one_move_before(seen, self.oracle.counts_plies());
        let is_other = own.to_move != child.to_move;
        let bounds = ["\u{2264} ", "\u{2265} "];
        let bound = bounds
            .iter()
            .position(|bound| value(child).starts_with(bound));
        let bound = bound.map_or("", |bound| bounds[if is_other { 1 - bound } else { bound }]);
        format!("{bound}{}", words::signed(seen))
    }

    /// Returns the answer to the question of the moment before: whether the next branch was cut,
    /// and why.
    pub fn answer(&self, at: usize) -> Option<(bool, String)> {
        let before = at.checked_sub(1)?;
        let (parent, _) = self.next_branch(before)?;
        let now = self.moments[at];
        let is_cut = now.ends && now.visit == parent;
        let ended = self.moments[before].visit;
        let Window { alpha, beta } = self.window(parent, ended + 1);
        let then = match (is_cut, self.visits[parent].parent) {
            (false, _) => "go on. Nothing yet reaches β.".to_owned(),
            (true, None) => "stop. That answers the question of this search.".to_owned(),
            (true, Some(_)) => format!(
                "stop. {} already refutes {}.",
                crate::text::capitalised(&self.named(ended)),
                self.named(parent)
            ),
        };
        let ends = [bound(alpha), bound(beta)];
        Some((is_cut, format!("α = {}, β = {}: {then}", ends[0], ends[1])))
    }

    /// Returns the numbers of visits and cuts so far.
    pub fn counts(&self, at: usize) -> (usize, usize) {
        let so_far = &self.moments[..=at];
        let is_cut = |now: &&Moment| now.ends && self.visits[now.visit].end == End::Cut;
        let begun = so_far.iter().filter(|now| now.begins);
        (begun.count(), so_far.iter().filter(is_cut).count())
    }

    /// Returns the number of positions that minimax has visited when it has searched the same part
    /// of the tree, if its tree is small enough to be recorded.
    pub fn minimax_at(&self, at: usize) -> Option<usize> {
        let plain = self.minimax.as_ref()?.tree.as_ref()?;
        let numbered = plain.iter().enumerate();
        let same: HashMap<_, _> = numbered
            .map(|(number, visit)| ((visit.parent, visit.mv.as_deref()), number))
            .collect();
        let mut numbers = Vec::new();
        for visit in &self.visits {
            let parent = visit.parent.map(|parent| numbers[parent]);
            numbers.push(*same.get(&(parent, visit.mv.as_deref()))?);
        }
        let visited = self.moments[..=at].iter().map(|now| {
            let number = numbers[now.visit];
            let below = plain[number + 1..].iter();
            let below = below.take_while(|visit| now.ends && visit.depth > plain[number].depth);
            number + 1 + below.count()
        });
        visited.max()
    }

    /// Returns the number of positions that minimax visits in all.
    pub fn minimax_in_all(&self) -> Option<u64> {
        Some(self.minimax.as_ref()?.counts.nodes)
    }

    /// Returns why a visit ended, in a sentence.
    pub fn reason(&self, visit: usize, view: &View) -> String {
        let now = &self.visits[visit];
        match now.end {
            End::Leaf if view.result.is_some() => "The game is over there.".to_owned(),
            End::Leaf => "The depth is reached, so the value is an estimate.".to_owned(),
            End::Table => {
                "The table knows enough about this position, so it isn't searched.".to_owned()
            }
            End::Cut => format!(
                "The value reaches β, so {} can't change the result.",
                now.skipped.join(", ")
            ),
            End::Searched => format!("All its moves are searched: {}.", now.searched.join(", ")),
        }
    }

    /// Returns the visits so far that are on the way to the present one or next to that way, with
    /// their numbers, and whether each has not ended.
    pub fn known(&self, at: usize) -> Vec<(usize, Step, bool)> {
        let so_far = &self.moments[..=at];
        let ended: Vec<usize> = so_far
            .iter()
            .filter(|now| now.ends)
            .map(|now| now.visit)
            .collect();
        let now = Some(so_far[at].visit);
        let way: Vec<usize> =
            std::iter::successors(now, |&visit| self.visits[visit].parent).collect();
        let is_near = |parent: Option<usize>| parent.is_none_or(|parent| way.contains(&parent));
        let begun = so_far.iter().filter(|now| now.begins).map(|now| now.visit);
        let near: Vec<usize> = begun
            .filter(|&number| is_near(self.visits[number].parent))
            .collect();
        let known = near.iter().map(|&number| {
            let mut visit = self.visits[number].clone();
            let is_open = !ended.contains(&number);
            visit.parent = visit
                .parent
                .and_then(|parent| near.binary_search(&parent).ok());
            if is_open {
                visit.skipped.clear();
            }
            (number, visit, is_open)
        });
        known.collect()
    }
}

/// Returns the moments of a search.
fn moments(visits: &[Step]) -> Vec<Moment> {
    let (mut moments, mut open) = (Vec::new(), Vec::new());
    let moment = |visit, begins, ends| Moment {
        visit,
        begins,
        ends,
    };
    for (number, visit) in visits.iter().enumerate() {
        while open.len() > visit.depth as usize {
            moments.extend(open.pop().map(|visit| moment(visit, false, true)));
        }
        let next = visits.get(number + 1);
        let has_more = next.is_some_and(|next| next.depth > visit.depth);
        moments.push(moment(number, true, !has_more));
        open.extend(has_more.then_some(number));
    }
    let rest = open.into_iter().rev();
    moments.extend(rest.map(|visit| moment(visit, false, true)));
    moments
}
