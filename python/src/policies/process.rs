//! A playout as a process: states, of which some choose an edge and others take one at random.

use super::super::moves::Moves;

/// The end of the playout, in place of a state.
pub const END: u32 = u32::MAX;

/// A way from a state to another.
#[derive(Clone, Copy)]
pub struct Edge {
    /// The next state, or [`END`].
    pub to: u32,
    /// The probability, or 1 in a state that chooses.
    pub probability: f64,
    /// The points that the chooser gets.
    pub gain: f64,
}

/// States with their edges.
pub struct Process {
    /// The edges of state `s` are those from `first[s]` to `first[s + 1]`.
    pub first: Vec<usize>,
    pub edges: Vec<Edge>,
    /// Whether a state chooses the edge with the most points.
    pub chooses: Vec<bool>,
}

/// Why a process has no values.
#[derive(Debug)]
pub enum Failure {
    /// Points are won on a way that the chooser may repeat without end.
    Unbounded,
    /// A system of this many equations has no solution of the wanted accuracy.
    Inaccurate(usize),
}

impl Process {
    pub fn with_capacity(states: usize, edges: usize) -> Process {
        let mut first = Vec::with_capacity(states + 1);
        first.push(0);
        Process {
            first,
            edges: Vec::with_capacity(edges),
            chooses: Vec::with_capacity(states),
        }
    }

    pub fn len(&self) -> usize {
        self.chooses.len()
    }

    pub fn of(&self, state: usize) -> &[Edge] {
        &self.edges[self.first[state]..self.first[state + 1]]
    }

    /// Ends a state, whose edges were added.
    pub fn close(&mut self, chooses: bool) {
        self.first.push(self.edges.len());
        self.chooses.push(chooses);
    }

    /// Returns the process of two sides: state `2 * position + side`, where side 0 plays `one`, or
    /// chooses, and side 1 plays `other`. Side 0 gets the points.
    pub fn of_sides(moves: &Moves<'_>, one: Option<&[f64]>, other: &[f64]) -> Process {
        let (positions, count) = (moves.positions(), moves.children.len());
        let mut process = Process::with_capacity(2 * positions, 2 * count);
        for position in 0..positions {
            for (side, policy) in [one, Some(other)].into_iter().enumerate() {
                for mv in moves.of(position) {
                    let gain = f64::from(moves.gains[mv]);
                    let next = side ^ usize::from(moves.turns[mv] != 0);
                    let edge = Edge {
                        to: moves
                            .child(mv)
                            .map_or(END, |child| (2 * child + next) as u32),
                        probability: policy.map_or(1.0, |policy| policy[mv]),
                        gain: if side == 0 { gain } else { -gain },
                    };
                    process
                        .edges
                        .extend((edge.probability > 0.0).then_some(edge));
                }
                process.close(policy.is_none());
            }
        }
        process
    }

    /// Returns the process of one policy that plays both sides, with a state for each position.
    pub fn of_policy(moves: &Moves<'_>, policy: &[f64]) -> Process {
        let mut process = Process::with_capacity(moves.positions(), moves.children.len());
        for position in 0..moves.positions() {
            for mv in moves.of(position).filter(|&mv| policy[mv] > 0.0) {
                process.edges.push(Edge {
                    to: moves.child(mv).map_or(END, |child| child as u32),
                    probability: policy[mv],
                    gain: 0.0,
                });
            }
            process.close(false);
        }
        process
    }

    /// Returns the strongly connected components of the edges that are `used`, by state and edge.
    ///
    /// Each component comes before those from which it can be reached. Within a component, most
    /// states come after their next ones.
    pub fn components(&self, used: impl Fn(usize, usize) -> bool) -> Components {
        let mut search = Search {
            number: vec![0; self.len()],
            low: vec![0; self.len()],
            finished: vec![0; self.len()],
            is_done: vec![false; self.len()],
            ..Search::default()
        };
        for state in 0..self.len() {
            if search.number[state] == 0 {
                search.run(self, state, &used);
            }
        }
        search.found
    }

    /// Returns the number of each state's end component, or [`END`] for other states.
    ///
    /// Once in an end component, the chooser can remain there for ever.
    fn end_components(&self) -> Vec<u32> {
        let mut part = vec![0; self.len()];
        let into = self.backwards();
        loop {
            let inside = |from: usize, to: u32| {
                to != END && part[from] != END && part[from] == part[to as usize]
            };
            let found = self.components(|from, edge| inside(from, self.edges[edge].to));
            let mut next = vec![END; self.len()];
            for (number, states) in found.iter().enumerate() {
                for &state in states {
                    if part[state as usize] != END {
                        next[state as usize] = number as u32;
                    }
                }
            }
            part = next;
            // States that may leave their part are removed, and so are those that lead to them.
            let leaves = |part: &[u32], state: usize| {
                let mut stays = self
                    .of(state)
                    .iter()
                    .map(|edge| edge.to != END && part[edge.to as usize] == part[state]);
                match self.chooses[state] {
                    true => !stays.any(|it| it),
                    false => !stays.all(|it| it),
                }
            };
            let mut removed: Vec<u32> = (0..self.len() as u32)
                .filter(|&state| part[state as usize] != END && leaves(&part, state as usize))
                .collect();
            if removed.is_empty() {
                return part;
            }
            while let Some(state) = removed.pop() {
                if std::mem::replace(&mut part[state as usize], END) == END {
                    continue;
                }
                let before =
                    &into.edges[into.first[state as usize]..into.first[state as usize + 1]];
                let leave = before.iter().map(|edge| edge.to).filter(|&before| {
                    part[before as usize] != END && leaves(&part, before as usize)
                });
                removed.extend(leave);
            }
        }
    }

    /// Returns the same states with all edges reversed.
    fn backwards(&self) -> Process {
        let mut first = vec![0; self.len() + 1];
        for edge in self.edges.iter().filter(|edge| edge.to != END) {
            first[edge.to as usize + 1] += 1;
        }
        for state in 0..self.len() {
            first[state + 1] += first[state];
        }
        let none = Edge {
            to: END,
            probability: 0.0,
            gain: 0.0,
        };
        let mut edges = vec![none; first[self.len()]];
        let mut next = first.clone();
        for state in 0..self.len() {
            for edge in self.of(state).iter().filter(|edge| edge.to != END) {
                let at = &mut next[edge.to as usize];
                edges[*at].to = state as u32;
                *at += 1;
            }
        }
        Process {
            first,
            edges,
            chooses: Vec::new(),
        }
    }

    /// Returns the process with each end component as one state, and the new number of each state.
    ///
    /// That state chooses among the edges that leave the component, and the end without points: the
    /// chooser may remain for ever. In the new process, every playout ends.
    pub fn merged(&self) -> Result<(Process, Vec<u32>), Failure> {
        let part = self.end_components();
        let parts = part.iter().filter(|&&part| part != END).max();
        let mut members = vec![Vec::new(); parts.map_or(0, |&most| most as usize + 1)];
        let mut number = vec![0; self.len()];
        let mut firsts = Vec::new();
        for state in 0..self.len() {
            let same = members.get_mut(part[state] as usize).map(|members| {
                members.push(state);
                members[0]
            });
            number[state] = match same {
                Some(other) if other != state => number[other],
                _ => {
                    firsts.push(state);
                    firsts.len() as u32 - 1
                }
            };
        }
        let mut merged = Process::with_capacity(firsts.len(), self.edges.len());
        for &state in &firsts {
            let alone = [state];
            let states = members
                .get(part[state] as usize)
                .map_or(&alone[..], |it| it);
            let is_part = part[state] != END;
            for edge in states.iter().flat_map(|&state| self.of(state)) {
                if is_part && edge.to != END && part[edge.to as usize] == part[state] {
                    if edge.gain != 0.0 {
                        return Err(Failure::Unbounded);
                    }
                    continue;
                }
                let to = number.get(edge.to as usize).map_or(END, |&to| to);
                merged.edges.push(Edge { to, ..*edge });
            }
            if is_part {
                merged.edges.push(Edge {
                    to: END,
                    probability: 1.0,
                    gain: 0.0,
                });
            }
            merged.close(is_part || self.chooses[state]);
        }
        Ok((merged, number))
    }
}

/// Groups of states.
#[derive(Default)]
pub struct Components {
    states: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        let start = |at: usize| if at == 0 { 0 } else { self.ends[at - 1] };
        (0..self.ends.len()).map(move |at| &self.states[start(at)..self.ends[at]])
    }
}

/// Tarjan's search for strongly connected components, without recursion.
#[derive(Default)]
struct Search {
    /// When a state was met, from 1.
    number: Vec<u32>,
    /// The earliest state that can be reached within the component.
    low: Vec<u32>,
    /// When all edges of a state had been followed.
    finished: Vec<u32>,
    /// Whether a state's component is found.
    is_done: Vec<bool>,
    met: u32,
    left: u32,
    open: Vec<u32>,
    found: Components,
}

impl Search {
    fn meet(&mut self, state: usize) {
        self.met += 1;
        self.number[state] = self.met;
        self.low[state] = self.met;
        self.open.push(state as u32);
    }

    fn run(&mut self, process: &Process, root: usize, used: &impl Fn(usize, usize) -> bool) {
        let mut way = vec![(root, process.first[root])];
        self.meet(root);
        while let Some((state, at)) = way.last_mut() {
            let (state, edge) = (*state, *at);
            if edge < process.first[state + 1] {
                *at += 1;
                let to = process.edges[edge].to as usize;
                if process.edges[edge].to == END || !used(state, edge) || self.is_done[to] {
                    continue;
                }
                if self.number[to] == 0 {
                    self.meet(to);
                    way.push((to, process.first[to]));
                } else {
                    self.low[state] = self.low[state].min(self.number[to]);
                }
                continue;
            }
            way.pop();
            self.left += 1;
            self.finished[state] = self.left;
            if let Some((before, _)) = way.last() {
                self.low[*before] = self.low[*before].min(self.low[state]);
            }
            if self.low[state] == self.number[state] {
                self.close(state as u32);
            }
        }
    }

    /// Closes the component that was entered at a state.
    fn close(&mut self, state: u32) {
        let start = self.open.iter().rposition(|&open| open == state);
        let mut states = self.open.split_off(start.unwrap_or_default());
        for &state in &states {
            self.is_done[state as usize] = true;
        }
        states.sort_unstable_by_key(|&state| self.finished[state as usize]);
        self.found.states.append(&mut states);
        self.found.ends.push(self.found.states.len());
    }
}
