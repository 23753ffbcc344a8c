//! Values of policies in games whose positions may repeat, where endless play is worth 0.
//!
//! Two fixed policies make a Markov chain, and a best reply is the solution of a Markov decision process.
//! Play can only go on for ever in an end component (de Alfaro 1997): states in which one may remain.
//! Each is made a single state with the choice to remain, worth 0 (`process.rs`). Then all playouts end,
//! and policy iteration finds the values, one strongly connected component after the other. Each step solves
//! systems of linear equations (`system.rs`).

mod process;
mod system;

pub use process::Failure;

use super::moves::Moves;
use process::{END, Edge, Process};
use system::{Find, System};

/// Improvements of a choice by less are rounding.
const NOISE: f64 = 1e-13;
/// Number of passes of value iteration that find the first choices.
const PASSES: usize = 50;

/// Returns the values of all positions, seen from the side to move: where `one`, or the best reply, is
/// to move, and where `other` is.
pub fn values(
    moves: &Moves<'_>,
    one: Option<&[f64]>,
    other: &[f64],
) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    let (process, number) = Process::of_sides(moves, one, other).merged()?;
    let values = values_of(&process)?;
    let of_side = |side: usize, sign: f64| {
        let states = (0..moves.positions()).map(|position| number[2 * position + side] as usize);
        // The sum avoids the value -0.
        states.map(|state| sign * values[state] + 0.0).collect()
    };
    Ok((of_side(0, 1.0), of_side(1, -1.0)))
}

/// Returns the values of all states of a process in which every playout ends.
fn values_of(process: &Process) -> Result<Vec<f64>, Failure> {
    let mut values = vec![0.0; process.len()];
    let mut place = vec![END; process.len()];
    for states in process.components(|_, _| true).iter() {
        if let &[state] = states {
            values[state as usize] = alone(process, state as usize, &values);
            continue;
        }
        let part = part(process, states, &mut place, &values);
        for (&state, value) in states.iter().zip(iterated(&part)?) {
            values[state as usize] = value;
        }
    }
    Ok(values)
}

/// Returns the value of a state that no other leads back to.
fn alone(process: &Process, state: usize, values: &[f64]) -> f64 {
    if process.chooses[state] {
        return best(process, state, values).1;
    }
    let (mut points, mut leaves) = (0.0, 0.0);
    for edge in process.of(state) {
        // The state's own value is 0 so far.
        points += edge.probability * of(edge, values);
        leaves += if edge.to == state as u32 {
            0.0
        } else {
            edge.probability
        };
    }
    points / leaves
}

/// Returns some states as a process of its own, which ends where it leaves them, with known values.
///
/// `place` is for the function alone, and has only [`END`].
fn part(process: &Process, states: &[u32], place: &mut [u32], values: &[f64]) -> Process {
    for (at, &state) in states.iter().enumerate() {
        place[state as usize] = at as u32;
    }
    let mut part = Process::with_capacity(states.len(), 0);
    for &state in states {
        part.edges
            .extend(process.of(state as usize).iter().map(|edge| {
                let known = values.get(edge.to as usize).copied().unwrap_or_default();
                match place.get(edge.to as usize) {
                    Some(&to) if to != END => Edge { to, ..*edge },
                    _ => Edge {
                        to: END,
                        gain: edge.gain + known,
                        ..*edge
                    },
                }
            }));
        part.close(process.chooses[state as usize]);
    }
    for &state in states {
        place[state as usize] = END;
    }
    part
}

/// Returns the values of a process by policy iteration.
fn iterated(process: &Process) -> Result<Vec<f64>, Failure> {
    let mut values = vec![0.0; process.len()];
    let mut chosen = process.first[..process.len()].to_vec();
    if !process.chooses.contains(&true) {
        return chain_values(process, &chosen);
    }
    // In this order, values spread backwards in a few passes.
    for _ in 0..PASSES {
        for state in 0..process.len() {
            values[state] = match process.chooses[state] {
                true => best(process, state, &values).1,
                false => process
                    .of(state)
                    .iter()
                    .map(|edge| edge.probability * of(edge, &values))
                    .sum(),
            };
        }
    }
    for (state, chosen) in chosen.iter_mut().enumerate() {
        *chosen = best(process, state, &values).0;
    }
    let mut values = chain_values(process, &chosen)?;
    loop {
        let mut is_better = false;
        for state in (0..process.len()).filter(|&state| process.chooses[state]) {
            let (edge, value) = best(process, state, &values);
            if value > of(&process.edges[chosen[state]], &values) + NOISE {
                chosen[state] = edge;
                is_better = true;
            }
        }
        if !is_better {
            return Ok(values);
        }
        let next = chain_values(process, &chosen)?;
        let has_risen = next
            .iter()
            .zip(&values)
            .any(|(next, value)| *next > value + NOISE);
        values = next;
        if !has_risen {
            return Ok(values);
        }
    }
}

/// Returns the value of an edge.
fn of(edge: &Edge, values: &[f64]) -> f64 {
    edge.gain + values.get(edge.to as usize).copied().unwrap_or_default()
}

/// Returns the edge of a state with the most points, and its value.
fn best(process: &Process, state: usize, values: &[f64]) -> (usize, f64) {
    let edges = process.first[state]..process.first[state + 1];
    let all = edges.map(|edge| (edge, of(&process.edges[edge], values)));
    all.reduce(|best, next| if next.1 > best.1 { next } else { best })
        .unwrap_or((process.first[state], 0.0))
}

/// Returns the values of a process in which the choices are made.
fn chain_values(process: &Process, chosen: &[usize]) -> Result<Vec<f64>, Failure> {
    let is_used = |state: usize, edge: usize| !process.chooses[state] || chosen[state] == edge;
    let mut values = vec![0.0; process.len()];
    let mut place = vec![END; process.len()];
    for states in process.components(is_used).iter() {
        for (at, &state) in states.iter().enumerate() {
            place[state as usize] = at as u32;
        }
        let mut points = vec![0.0; states.len()];
        let system = system(process, states, &place, |at, state, edge| {
            let edge = is_used(state, edge).then_some(&process.edges[edge])?;
            points[at] += edge.probability * of(edge, &values);
            Some(edge)
        });
        let found = system.solve(Find::Points(&points));
        let found = found.ok_or(Failure::Inaccurate(states.len()))?;
        for (&state, value) in states.iter().zip(found) {
            values[state as usize] = value;
            place[state as usize] = END;
        }
    }
    Ok(values)
}

/// Returns the chain within some states, whose numbers in it `place` has.
///
/// `edge` returns an edge, or `None` if it isn't used; states that are not solved yet have the
/// value 0.
fn system<'a>(
    process: &'a Process,
    states: &[u32],
    place: &[u32],
    mut edge: impl FnMut(usize, usize, usize) -> Option<&'a Edge>,
) -> System {
    let mut system = System::new();
    for (at, &state) in states.iter().enumerate() {
        let state = state as usize;
        let mut leaves = 0.0;
        for number in process.first[state]..process.first[state + 1] {
            let Some(edge) = edge(at, state, number) else {
                continue;
            };
            match place.get(edge.to as usize) {
                Some(&to) if to as usize == at => (),
                Some(&to) if to != END => {
                    system.to.push(to);
                    system.weight.push(edge.probability);
                }
                _ => leaves += edge.probability,
            }
        }
        system.leaves.push(leaves);
        system.first.push(system.to.len());
    }
    system
}

/// How often a playout by a policy reaches each position.
pub struct Visits {
    /// The expected number of visits, of positions that a playout leaves for good.
    pub often: Vec<f64>,
    /// The share of all moves, over endless time, at positions to which endless playouts return.
    pub endless: Vec<f64>,
}

/// Returns how often playouts reach each position when both sides play a policy.
pub fn visits(moves: &Moves<'_>, policy: &[f64]) -> Result<Visits, Failure> {
    let process = Process::of_policy(moves, policy);
    let count = process.len();
    let mut place = vec![END; count];
    let mut enter = vec![0.0; count];
    enter[0] = 1.0;
    let (mut often, mut endless) = (vec![0.0; count], vec![0.0; count]);
    for states in process.components(|_, _| true).iter().rev() {
        let entered: Vec<f64> = states.iter().map(|&state| enter[state as usize]).collect();
        if entered.iter().all(|&it| it == 0.0) {
            continue;
        }
        for (at, &state) in states.iter().enumerate() {
            place[state as usize] = at as u32;
        }
        let of = |state: u32| process.of(state as usize).iter();
        let is_left = |edge: &&Edge| place.get(edge.to as usize).is_none_or(|&to| to == END);
        if states
            .iter()
            .any(|&state| of(state).any(|edge| is_left(&edge)))
        {
            let system = system(&process, states, &place, |_, _, edge| {
                Some(&process.edges[edge])
            });
            for (&state, found) in states.iter().zip(solved(&system, &entered)?) {
                for edge in of(state).filter(is_left).filter(|edge| edge.to != END) {
                    enter[edge.to as usize] += found * edge.probability;
                }
                often[state as usize] = found;
            }
        } else {
            let share: f64 = entered.iter().sum();
            for (&state, part) in states.iter().zip(shares(&process, states, &mut place)?) {
                endless[state as usize] = share * part;
            }
        }
        for &state in states {
            place[state as usize] = END;
        }
    }
    Ok(Visits { often, endless })
}

fn solved(system: &System, entered: &[f64]) -> Result<Vec<f64>, Failure> {
    let found = system.solve(Find::Visits(entered));
    found.ok_or(Failure::Inaccurate(entered.len()))
}

/// Returns the shares of visits to states that are never left.
fn shares(process: &Process, states: &[u32], place: &mut [u32]) -> Result<Vec<f64>, Failure> {
    let (first, rest) = (states[0], &states[1..]);
    if rest.is_empty() {
        return Ok(vec![1.0]);
    }
    // The visits to the others between two visits to the first.
    for (at, &state) in rest.iter().enumerate() {
        place[state as usize] = at as u32;
    }
    place[first as usize] = END;
    let mut entered = vec![0.0; rest.len()];
    for edge in process
        .of(first as usize)
        .iter()
        .filter(|edge| edge.to != first)
    {
        entered[place[edge.to as usize] as usize] += edge.probability;
    }
    let system = system(process, rest, place, |_, _, edge| {
        Some(&process.edges[edge])
    });
    let mut visits = vec![1.0];
    visits.extend(solved(&system, &entered)?);
    let all: f64 = visits.iter().sum();
    Ok(visits.iter().map(|visits| visits / all).collect())
}
