//! Other processes that solve the same game at the same time.

use super::SolveError;

/// What connects a process with the others that solve a game together. All make the same calls in
/// the same order.
pub trait Peers: Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn size(&self) -> usize;

    /// Sends each process its message, this one included, and takes theirs.
    ///
    /// # Errors
    /// If any process has failed, is to stop, or has ended.
    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SolveError>;
}

/// The error if a message, or a file of another process, is not what a process of this version writes.
pub(crate) fn broken() -> SolveError {
    SolveError::Journal("a message of another process can't be understood".into())
}

/// No others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Peers for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, SolveError> {
        Ok(outgoing)
    }
}

/// Tells all processes the same, and learns what each has told.
///
/// # Errors
/// As [`Peers::exchange`].
pub fn tell(peers: &dyn Peers, message: &[u8]) -> Result<Vec<Vec<u8>>, SolveError> {
    peers.exchange(vec![message.to_vec(); peers.size()])
}

/// Passes what processes have for each other, a piece at a time. `next` makes the next piece for
/// each process, of some megabytes in all; when all of them are empty, this process has no more.
/// `take` gets the pieces of each process in their order.
///
/// # Errors
/// As [`Peers::exchange`], and those of `take`.
pub fn pass(
    peers: &dyn Peers,
    mut next: impl FnMut() -> Vec<Vec<u8>>,
    mut take: impl FnMut(Vec<Vec<u8>>) -> Result<(), SolveError>,
) -> Result<(), SolveError> {
    const MORE: u8 = 1;
    loop {
        let mut outgoing = next();
        let has_more = outgoing.iter().any(|piece| !piece.is_empty());
        for piece in &mut outgoing {
            piece.push(if has_more { MORE } else { 0 });
        }
        let mut incoming = peers.exchange(outgoing)?;
        let goes_on: Vec<u8> = incoming.iter_mut().filter_map(Vec::pop).collect();
        if !goes_on.contains(&MORE) {
            return Ok(());
        }
        take(incoming)?;
    }
}

/// Deals pieces of work to processes so that each has about the same to do: the process of each.
/// `busy` says how much each has to do already.
#[must_use]
pub fn deal(work: &[u64], mut busy: Vec<u64>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..work.len()).collect();
    // The largest first, each to who has the least.
    order.sort_by_key(|&piece| (u64::MAX - work[piece], piece));
    let mut owners = vec![0; work.len()];
    for piece in order {
        let (owner, sum) = busy
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, sum)| **sum)
            .expect("there is a process");
        *sum += work[piece];
        owners[piece] = owner;
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_dealt_evenly() {
        let owners = deal(&[5, 1, 1, 4, 3, 2], vec![0, 0]);
        let sum = |process| -> u64 {
            let pieces = [5, 1, 1, 4, 3, 2].iter().zip(&owners);
            pieces
                .filter(|(_, owner)| **owner == process)
                .map(|(work, _)| work)
                .sum()
        };
        assert_eq!([sum(0), sum(1)], [8, 8]);
        // Who is busy gets less.
        assert_eq!(deal(&[1, 1, 1], vec![0, 3, 9]), [0, 0, 0]);
        assert_eq!(deal(&[7], vec![2, 1, 2]), [1]);
    }

    #[test]
    fn one_process_passes_nothing_but_to_itself() {
        let mut left = vec![vec![1], vec![2, 3]].into_iter();
        let mut taken = Vec::new();
        let next = || vec![left.next().unwrap_or_default()];
        pass(&Alone, next, |pieces| {
            taken.extend(pieces);
            Ok(())
        })
        .unwrap();
        assert_eq!(taken, [vec![1], vec![2, 3]]);
        assert_eq!(tell(&Alone, b"me").unwrap(), [b"me"]);
    }
}
