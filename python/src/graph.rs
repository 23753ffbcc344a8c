//! Values of policies on a game's graph.
//!
//! In a game in which no position repeats, one pass over the moves finds them. For others, see
//! `policies/`.

use super::moves::Moves;
use super::policies::{self, Failure};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Checks the arrays' lengths, so that no index can be out of bounds.
fn moves_of<'a>(
    first: &'a PyReadonlyArray1<'_, i64>,
    children: &'a PyReadonlyArray1<'_, i32>,
    gains: &'a PyReadonlyArray1<'_, i32>,
    turns: &'a PyReadonlyArray1<'_, u8>,
) -> PyResult<Moves<'a>> {
    let moves = Moves {
        first: first.as_slice()?,
        children: children.as_slice()?,
        gains: gains.as_slice()?,
        turns: turns.as_slice()?,
    };
    let count = moves.children.len();
    let fits = moves.first.len() > 1
        && moves.first[0] == 0
        && moves.first.is_sorted()
        && moves.first.last() == Some(&(count as i64))
        && moves.gains.len() == count
        && moves.turns.len() == count
        && moves
            .children
            .iter()
            .all(|&child| child < moves.positions() as i32);
    fits.then_some(moves)
        .ok_or_else(|| PyValueError::new_err("the arrays are not those of a graph"))
}

/// Returns the positions, each before its children; None if a position repeats.
#[pyfunction]
pub fn order<'py>(
    py: Python<'py>,
    first: PyReadonlyArray1<'py, i64>,
    children: PyReadonlyArray1<'py, i32>,
    gains: PyReadonlyArray1<'py, i32>,
    turns: PyReadonlyArray1<'py, u8>,
) -> PyResult<Option<Bound<'py, PyArray1<u32>>>> {
    let moves = moves_of(&first, &children, &gains, &turns)?;
    Ok(py
        .detach(|| moves.order())
        .map(|order| order.into_pyarray(py)))
}

/// A number for each position or move.
type Values<'py> = Bound<'py, PyArray1<f64>>;

/// The moves that a side makes.
#[derive(Clone, Copy)]
enum Plays<'a> {
    /// Its best move against what the other plays.
    Best,
    /// Moves with these probabilities.
    Policy(&'a [f64]),
}

/// Returns two arrays with the value of each position, seen from its side to move: where `one` is
/// to move against `other`, and where `other` is to move against `one`.
///
/// `one` and `other` are the probabilities of all moves, or None for the best reply. Without an order,
/// positions may repeat, endless play is worth 0, and one of them must be given.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // Python passes the arrays of a graph one by one.
pub fn values<'py>(
    py: Python<'py>,
    order: Option<PyReadonlyArray1<'py, u32>>,
    first: PyReadonlyArray1<'py, i64>,
    children: PyReadonlyArray1<'py, i32>,
    gains: PyReadonlyArray1<'py, i32>,
    turns: PyReadonlyArray1<'py, u8>,
    one: Option<PyReadonlyArray1<'py, f64>>,
    other: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<(Values<'py>, Values<'py>)> {
    let moves = moves_of(&first, &children, &gains, &turns)?;
    let one = one.as_ref().map(|policy| probabilities(policy, &moves));
    let other = other.as_ref().map(|policy| probabilities(policy, &moves));
    let (one, other) = (one.transpose()?, other.transpose()?);
    let Some(order) = order else {
        let found = py.detach(|| match (one, other) {
            (one, Some(other)) => Some(policies::values(&moves, one, other)),
            (Some(one), None) => {
                let found = policies::values(&moves, None, one);
                Some(found.map(|(others, ones)| (ones, others)))
            }
            (None, None) => None,
        });
        let found = found.ok_or_else(|| PyValueError::new_err("a policy is wanted"))?;
        let (ones, others) = found.map_err(failed)?;
        return Ok((ones.into_pyarray(py), others.into_pyarray(py)));
    };
    let order = order_of(&order, &moves)?;
    let [one, other] = [one, other].map(|policy| policy.map_or(Plays::Best, Plays::Policy));
    let (ones, others) = py.detach(|| {
        let mut ones = vec![0.0; moves.positions()];
        let mut others = ones.clone();
        for &position in order.iter().rev() {
            let position = position as usize;
            // After a move that passes the turn, the other is to move.
            let value = |plays, mine: &[f64], theirs: &[f64]| {
                let of_move = |mv| {
                    let after = if moves.turns[mv] == 0 { mine } else { theirs };
                    moves.value(mv, moves.child(mv).map_or(0.0, |child| after[child]))
                };
                match plays {
                    Plays::Best => moves.of(position).map(of_move).fold(f64::MIN, f64::max),
                    Plays::Policy(probability) => {
                        let of = moves.of(position);
                        of.map(|mv| probability[mv] * of_move(mv)).sum()
                    }
                }
            };
            let of_one = value(one, &ones, &others);
            let of_other = value(other, &others, &ones);
            (ones[position], others[position]) = (of_one, of_other);
        }
        (ones, others)
    });
    Ok((ones.into_pyarray(py), others.into_pyarray(py)))
}

/// Returns how often a playout by these probabilities reaches each position; and, without an order,
/// the share of all moves that endless playouts make at each, over endless time.
#[pyfunction]
pub fn occupancy<'py>(
    py: Python<'py>,
    order: Option<PyReadonlyArray1<'py, u32>>,
    first: PyReadonlyArray1<'py, i64>,
    children: PyReadonlyArray1<'py, i32>,
    gains: PyReadonlyArray1<'py, i32>,
    turns: PyReadonlyArray1<'py, u8>,
    policy: PyReadonlyArray1<'py, f64>,
) -> PyResult<(Values<'py>, Option<Values<'py>>)> {
    let moves = moves_of(&first, &children, &gains, &turns)?;
    let policy = probabilities(&policy, &moves)?;
    let Some(order) = order else {
        let visits = py
            .detach(|| policies::visits(&moves, policy))
            .map_err(failed)?;
        let endless = visits.endless.into_pyarray(py);
        return Ok((visits.often.into_pyarray(py), Some(endless)));
    };
    let order = order_of(&order, &moves)?;
    let mut often = vec![0.0; moves.positions()];
    often[0] = 1.0;
    for &position in order {
        let position = position as usize;
        for mv in moves.of(position) {
            if let Some(child) = moves.child(mv) {
                often[child] += policy[mv] * often[position];
            }
        }
    }
    Ok((often.into_pyarray(py), None))
}

fn order_of<'a>(order: &'a PyReadonlyArray1<'_, u32>, moves: &Moves<'_>) -> PyResult<&'a [u32]> {
    let order = order.as_slice()?;
    let positions = moves.positions();
    let fits = order.len() == positions && order.iter().all(|&it| (it as usize) < positions);
    fits.then_some(order)
        .ok_or_else(|| PyValueError::new_err("the order is not that of the graph"))
}

fn probabilities<'a>(
    policy: &'a PyReadonlyArray1<'_, f64>,
    moves: &Moves<'_>,
) -> PyResult<&'a [f64]> {
    let policy = policy.as_slice()?;
    let fits = policy.len() == moves.children.len();
    fits.then_some(policy)
        .ok_or_else(|| PyValueError::new_err("a policy has a probability for each move"))
}

fn failed(failure: Failure) -> PyErr {
    PyValueError::new_err(match failure {
        Failure::Unbounded => "points can be won again and again without end".to_string(),
        Failure::Inaccurate(count) => format!(
            "{count} positions repeat so often that no value can be computed to 12 digits: give moves that \
             end the game a larger probability"
        ),
    })
}
