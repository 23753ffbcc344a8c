//! Systems of linear equations of Markov chains.
//!
//! A small or very sparse system is solved by elimination without any subtraction of probabilities
//! (Grassmann, Taksar and Heyman 1985), so that even playouts that hardly ever end have exact values.
//! Another is solved by GMRES with a sweep of Gauss-Seidel as preconditioner, until corrections vanish.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of terms, per term of the equations, for which elimination is as fast as GMRES.
const FEW: usize = 200;
/// Number of terms before elimination is given up.
const MANY: usize = 4_000_000_000;
/// Number of corrections before a solution is given up.
const CORRECTIONS: usize = 60;
/// Number of steps of GMRES for a correction.
const STEPS: usize = 40;

/// The chain within some states, from which a playout leaves sooner or later.
///
/// State `i` goes to state `to[e]` with the probability `weight[e]`, for `e` from `first[i]` to
/// `first[i + 1]`, and leaves with the probability `leaves[i]`. Ways back to the same state are
/// left out, so the sum may be less than 1.
#[derive(Default)]
pub struct System {
    pub first: Vec<usize>,
    pub to: Vec<u32>,
    pub weight: Vec<f64>,
    pub leaves: Vec<f64>,
}

/// The unknowns of a system.
#[derive(Clone, Copy)]
pub enum Find<'a> {
    /// The expected points, given those at leaving times the probability of leaving.
    Points(&'a [f64]),
    /// The expected visits to each state, given those with which playouts enter.
    Visits(&'a [f64]),
}

impl System {
    pub fn new() -> System {
        System {
            first: vec![0],
            ..System::default()
        }
    }

    fn len(&self) -> usize {
        self.leaves.len()
    }

    fn of(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let edges = self.first[row]..self.first[row + 1];
        edges.map(|edge| (self.to[edge] as usize, self.weight[edge]))
    }

    /// Returns the solution, or `None` if it can't be found to 12 digits.
    pub fn solve(&self, find: Find<'_>) -> Option<Vec<f64>> {
        let few = FEW * (self.len() + self.to.len());
        if let Some(found) = self.eliminated(find, few) {
            return Some(found);
        }
        let found = match find {
            Find::Points(given) => self.corrected(given),
            Find::Visits(given) => {
                // The same equations with rows and columns exchanged, in reversed order.
                let given: Vec<f64> = given.iter().rev().copied().collect();
                let mut found = self.transposed().corrected(&given);
                found.iter_mut().for_each(|found| found.reverse());
                found
            }
        };
        found.or_else(|| self.eliminated(find, MANY))
    }

    /// Returns the solution by elimination of one state after the other, those with few ways first.
    ///
    /// `None` if that takes more than `most` terms.
    fn eliminated(&self, find: Find<'_>, most: usize) -> Option<Vec<f64>> {
        let (Find::Points(given) | Find::Visits(given)) = find;
        let is_points = matches!(find, Find::Points(_));
        let mut rest = Rest::of(self);
        let (mut right, mut leaves) = (given.to_vec(), self.leaves.clone());
        let mut steps = Vec::with_capacity(self.len());
        let mut terms = 0;
        while let Some(last) = rest.next() {
            let row = std::mem::take(&mut rest.rows[last]);
            let sum = leaves[last] + row.iter().map(|(_, weight)| weight).sum::<f64>();
            let mut entries = Row::new();
            for before in std::mem::take(&mut rest.before[last]) {
                let at = before as usize;
                if rest.is_done[at] {
                    continue;
                }
                terms += row.len() + rest.rows[at].len();
                let weight = rest.replace(last as u32, before, &row, sum);
                leaves[at] += weight / sum * leaves[last];
                match is_points {
                    true => right[at] += weight / sum * right[last],
                    false => entries.push((before, weight)),
                }
            }
            for &(to, weight) in row.iter().filter(|_| !is_points) {
                right[to as usize] += weight / sum * right[last];
            }
            rest.count(&row);
            steps.push((last, sum, if is_points { row } else { entries }));
            if terms > most {
                return None;
            }
        }
        for (last, sum, row) in steps.into_iter().rev() {
            let known = row.iter().map(|&(to, weight)| weight * right[to as usize]);
            right[last] = (right[last] + known.sum::<f64>()) / sum;
        }
        right.iter().all(|it| it.is_finite()).then_some(right)
    }

    /// Returns the system whose points are the visits of this one, in reversed order.
    fn transposed(&self) -> System {
        let count = self.len();
        let mut rows = vec![Vec::new(); count];
        // The sum of a row is the same before and after.
        let mut leaves = self.leaves.clone();
        for row in 0..count {
            for (to, weight) in self.of(row) {
                rows[count - 1 - to].push((count - 1 - row, weight));
                leaves[row] += weight;
                leaves[to] -= weight;
            }
        }
        leaves.reverse();
        let mut system = System::new();
        for row in rows {
            system.to.extend(row.iter().map(|&(to, _)| to as u32));
            system.weight.extend(row.iter().map(|&(_, weight)| weight));
            system.first.push(system.to.len());
        }
        System { leaves, ..system }
    }

    /// Returns the solution by corrections, each of which is found approximately.
    fn corrected(&self, given: &[f64]) -> Option<Vec<f64>> {
        let sums: Vec<f64> = (0..self.len())
            .map(|row| self.leaves[row] + self.of(row).map(|(_, weight)| weight).sum::<f64>())
            .collect();
        // Exact if all playouts leave with the same points.
        let mean = given.iter().sum::<f64>() / self.leaves.iter().sum::<f64>();
        let mut found = vec![if mean.is_finite() { mean } else { 0.0 }; self.len()];
        let mut before = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let missing: Vec<f64> = (0..self.len())
                .map(|row| given[row] - self.times(row, &found))
                .collect();
            let correction = self.gmres(&sums, missing);
            add(&mut found, 1.0, &correction);
            let size = largest(&correction) / largest(&found).max(f64::MIN_POSITIVE);
            if !size.is_finite() {
                return None;
            }
            if size <= 1e-15 || (size <= 1e-13 && size >= before / 2.0) {
                return Some(found);
            }
            before = size;
        }
        None
    }

    /// Returns a row times some values, from their differences, which is exact where they are close.
    fn times(&self, row: usize, values: &[f64]) -> f64 {
        let differences = self
            .of(row)
            .map(|(to, weight)| weight * (values[row] - values[to]));
        self.leaves[row] * values[row] + differences.sum::<f64>()
    }

    /// Solves the equations of each row with the values of those before it.
    fn swept(&self, sums: &[f64], mut right: Vec<f64>) -> Vec<f64> {
        for row in 0..self.len() {
            let before = self.of(row).filter(|&(to, _)| to < row);
            let known: f64 = before.map(|(to, weight)| weight * right[to]).sum();
            right[row] = (right[row] + known) / sums[row];
        }
        right
    }

    /// Returns an approximate solution by some steps of GMRES (Saad and Schultz 1986).
    fn gmres(&self, sums: &[f64], given: Vec<f64>) -> Vec<f64> {
        let start = self.swept(sums, given);
        let scale = largest(&start);
        let mut solution = vec![0.0; self.len()];
        if scale == 0.0 {
            return solution;
        }
        let start = scaled(start, 1.0 / scale);
        let length = norm(&start);
        let mut basis = vec![scaled(start, 1.0 / length)];
        let (mut columns, mut turns, mut right) = (Vec::new(), Vec::new(), vec![length]);
        for step in 0..STEPS {
            let image = (0..self.len()).map(|row| self.times(row, &basis[step]));
            let mut image = self.swept(sums, image.collect());
            let mut column = vec![0.0; step + 1];
            // Twice, against rounding.
            for _ in 0..2 {
                for (part, direction) in column.iter_mut().zip(&basis) {
                    let more = dot(&image, direction);
                    *part += more;
                    add(&mut image, -more, direction);
                }
            }
            let rest = norm(&image);
            // A rotation makes the matrix of all columns triangular.
            for (at, &(cos, sin)) in turns.iter().enumerate() {
                let (one, other): (f64, f64) = (column[at], column[at + 1]);
                column[at] = cos * one + sin * other;
                column[at + 1] = cos * other - sin * one;
            }
            let radius = column[step].hypot(rest);
            if radius == 0.0 {
                break;
            }
            let (cos, sin) = (column[step] / radius, rest / radius);
            turns.push((cos, sin));
            column[step] = radius;
            columns.push(column);
            let last = right[step];
            right[step] = cos * last;
            right.push(-sin * last);
            if rest == 0.0 || (sin * last).abs() <= 1e-10 * length {
                break;
            }
            basis.push(scaled(image, 1.0 / rest));
        }
        for step in (0..columns.len()).rev() {
            let factor = right[step] / columns[step][step];
            add(&mut right[..step], -factor, &columns[step][..step]);
            add(&mut solution, factor, &basis[step]);
        }
        scaled(solution, scale)
    }
}

/// Other states, in order, with the probabilities of going there.
type Row = Vec<(u32, f64)>;

/// The states that are not eliminated yet.
struct Rest {
    rows: Vec<Row>,
    /// The states whose rows have each state; some may be eliminated.
    before: Vec<Vec<u32>>,
    is_done: Vec<bool>,
    /// The numbers of ways through states, which may have grown since.
    queue: BinaryHeap<Reverse<(usize, u32)>>,
}

impl Rest {
    fn of(system: &System) -> Rest {
        let count = system.len();
        let mut rest = Rest {
            rows: vec![Row::new(); count],
            before: vec![Vec::new(); count],
            is_done: vec![false; count],
            queue: BinaryHeap::new(),
        };
        for (at, row) in rest.rows.iter_mut().enumerate() {
            row.extend(system.of(at).map(|(to, weight)| (to as u32, weight)));
            row.sort_unstable_by_key(|&(to, _)| to);
            row.dedup_by(|next, row| {
                let is_same = next.0 == row.0;
                row.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
            for &(to, _) in &*row {
                rest.before[to as usize].push(at as u32);
            }
        }
        for state in 0..count {
            rest.queue.push(Reverse((rest.ways(state), state as u32)));
        }
        rest
    }

    fn ways(&self, state: usize) -> usize {
        self.rows[state].len() * self.before[state].len()
    }

    /// Notes how many ways lead through the states of a row.
    fn count(&mut self, row: &Row) {
        for &(state, _) in row {
            self.queue.push(Reverse((self.ways(state as usize), state)));
        }
    }

    /// Returns a state with few ways through it, and removes it.
    fn next(&mut self) -> Option<usize> {
        while let Some(Reverse((ways, state))) = self.queue.pop() {
            let at = state as usize;
            if self.is_done[at] {
                continue;
            }
            if self.ways(at) > ways {
                self.queue.push(Reverse((self.ways(at), state)));
                continue;
            }
            self.is_done[at] = true;
            return Some(at);
        }
        None
    }

    /// Replaces a state in the row of one before it by the state's own row, and returns its weight
    /// there.
    fn replace(&mut self, last: u32, before: u32, row: &Row, sum: f64) -> f64 {
        let old = std::mem::take(&mut self.rows[before as usize]);
        let weight = old
            .iter()
            .find(|&&(to, _)| to == last)
            .map_or(0.0, |it| it.1);
        let mut new = Row::with_capacity(old.len() + row.len());
        let mut old = old.into_iter().filter(|&(to, _)| to != last).peekable();
        for &(to, next) in row.iter().filter(|&&(to, _)| to != before) {
            while let Some(known) = old.next_if(|known| known.0 < to) {
                new.push(known);
            }
            let known = old.next_if(|known| known.0 == to);
            if known.is_none() {
                self.before[to as usize].push(before);
            }
            new.push((to, known.map_or(0.0, |it| it.1) + weight / sum * next));
        }
        new.extend(old);
        self.rows[before as usize] = new;
        weight
    }
}

/// Adds a multiple of a vector to another.
fn add(to: &mut [f64], factor: f64, other: &[f64]) {
    to.iter_mut()
        .zip(other)
        .for_each(|(it, other)| *it += factor * other);
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

fn largest(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |most, it| it.abs().max(most))
}

fn scaled(mut vector: Vec<f64>, factor: f64) -> Vec<f64> {
    vector.iter_mut().for_each(|it| *it *= factor);
    vector
}
