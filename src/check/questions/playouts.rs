//! Samples of positions from games.
//!
//! Games are played in rounds and recorded completely. Their positions with a choice of moves go
//! into buckets by layer, in the order of the games and at most one per class. When the buckets
//! have twice as many positions as requested, the sample takes the first position of each bucket in
//! turn, again and again. A game in which a position repeats is drawn and ends there.

use super::source::{Listed, Source, stream};
use super::team::Team;
use crate::check::contenders::Fault;
use crate::check::error::CheckError;
use crate::check::judge::Origin;
use crate::check::options::Playouts;
use crate::game::{CancelScope, Game, Notation, Progress, check_cancelled};
use crate::random::Random;
use crate::text::{count, counted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};

/// Request for a sample.
#[derive(Clone, Copy)]
pub(super) struct SampleRequest {
    pub count: u64,
    pub seed: u64,
    /// The kind of games; `None` means equal shares of all kinds.
    pub kind: Option<Playouts>,
}

/// Sample of positions, in the order in which they are asked.
pub(super) struct PlayoutSample<G: Notation> {
    pub positions: Vec<G::Position>,
    /// The origin of each position.
    places: Vec<GamePlace>,
    /// The moves of each game.
    games: Vec<Vec<G::Move>>,
    /// The AI's legal answers, and its faults.
    pub answers: FxHashMap<G::Position, G::Move>,
    pub faults: Vec<(G::Position, Fault)>,
    /// Whether too many faults ended the sampling.
    pub is_cut: bool,
}

/// Origin of a position, with the index of its game and the number of moves that lead to it.
type GamePlace = (Origin, usize, usize);

/// The number of candidates for the sample, in multiples of its size.
const CANDIDATES: u64 = 2;

/// The number of games in a row without a new position after which sampling ends.
const STALE: u64 = 1000;

/// The number of games played at the same time, at most.
const ROUND: u64 = 64;

impl<G: Notation> PlayoutSample<G> {
    pub fn empty() -> PlayoutSample<G> {
        PlayoutSample {
            positions: Vec::new(),
            places: Vec::new(),
            games: Vec::new(),
            answers: FxHashMap::default(),
            faults: Vec::new(),
            is_cut: false,
        }
    }

    /// Samples positions; it stops after `faults` faults of the AI.
    ///
    /// There are fewer than requested, with a note, if no more come up.
    ///
    /// # Errors
    /// [`CheckError::NoChoice`] if there are none.
    pub fn new(
        game: &G,
        team: &mut Team<'_, G>,
        request: SampleRequest,
        faults: usize,
        clock: &CancelScope<'_>,
    ) -> Result<PlayoutSample<G>, CheckError> {
        let mut sampler = Sampler {
            game,
            team,
            request,
            most_faults: faults,
            clock,
            sample: PlayoutSample::empty(),
            chosen: FxHashSet::default(),
        };
        let kinds: &[Playouts] = match &request.kind {
            Some(only) => std::slice::from_ref(only),
            None => &Playouts::ALL,
        };
        let candidates = CANDIDATES.saturating_mul(request.count);
        clock.phase("drawing positions from games", "candidates", candidates);
        let mut remaining = request.count;
        let mut all = Vec::new();
        // Share the positions equally among the kinds of games.
        for (number, &kind) in kinds.iter().enumerate() {
            let share = remaining.div_ceil((kinds.len() - number) as u64);
            let chosen = sampler.take(kind, share)?;
            remaining -= chosen.len() as u64;
            all.extend(chosen);
        }
        let mut sample = sampler.sample;
        if all.is_empty() && !sample.is_cut {
            return Err(CheckError::NoChoice);
        }
        if remaining > 0 && !sample.is_cut {
            let found = counted(all.len(), "different position");
            clock.note(&format!(
                "{found} with a choice of moves came up in the games, and {} were wanted",
                count(request.count)
            ));
        }
        // Shuffle the positions, so that the first ones are a sample, too.
        let mut random = Random::new(request.seed);
        for last in (1..all.len()).rev() {
            all.swap(last, random.index(last + 1));
        }
        (sample.positions, sample.places) = all.into_iter().unzip();
        Ok(sample)
    }

    /// Returns the moves that lead to the position of this index.
    pub fn way_to(&self, at: usize) -> Vec<G::Move> {
        let (_, game, moves) = self.places[at];
        self.games[game][..moves].to_vec()
    }

    /// Returns the origin of the position of this index.
    pub fn origin(&self, at: usize) -> Origin {
        self.places[at].0
    }

    /// Saves the AI's answers in the positions, in their order.
    pub fn save_answers(&mut self, answers: Vec<Option<G::Move>>) {
        for (position, mv) in self.positions.iter().zip(answers) {
            self.answers.extend(mv.map(|mv| (position.clone(), mv)));
        }
    }
}

/// Game in progress.
struct Playout<G: Notation> {
    random: Random,
    /// The number of random moves before the AI's first one.
    random_moves_left: u64,
    position: G::Position,
    moves: Vec<G::Move>,
    /// The recorded positions, each with the number of moves before it.
    choices: Vec<(G::Position, usize)>,
    /// All positions up to now.
    seen: FxHashSet<G::Position>,
    is_over: bool,
    is_own: bool,
}

/// Position with its place, in a bucket.
type Candidate<G> = (<G as Game>::Position, GamePlace);

/// Sampling in progress.
struct Sampler<'a, 't, G: Notation> {
    game: &'a G,
    team: &'a mut Team<'t, G>,
    request: SampleRequest,
    most_faults: usize,
    clock: &'a CancelScope<'a>,
    sample: PlayoutSample<G>,
    /// The keys of the classes sampled so far.
    chosen: FxHashSet<u128>,
}

impl<G: Notation> Sampler<'_, '_, G> {
    /// Samples up to `share` positions from games of one kind.
    fn take(&mut self, kind: Playouts, share: u64) -> Result<Vec<Candidate<G>>, CheckError> {
        let mut layers: BTreeMap<u32, VecDeque<Candidate<G>>> = BTreeMap::new();
        let mut known = FxHashSet::default();
        let size = (share / 16).clamp(1, ROUND);
        let (mut number, mut stale) = (0, 0);
        while (known.len() as u64) < CANDIDATES * share && stale < STALE && !self.sample.is_cut {
            // Play a round of games and record their new positions.
            let mut round: Vec<Playout<G>> =
                (0..size).map(|of| self.begin(kind, number + of)).collect();
            self.play(kind, &mut round)?;
            number += size;
            for playout in round {
                let before = known.len();
                self.add(kind, playout, &mut layers, &mut known);
                let new = (known.len() - before) as u64;
                self.clock.advance(new);
                stale = if new == 0 { stale + 1 } else { 0 };
            }
        }
        // Take the sample evenly from the layers, and exclude its classes from later samples.
        let chosen = take_evenly(layers, share as usize);
        let game = self.game;
        let classes = chosen.iter().map(|(position, _)| game.canonical(position));
        self.chosen.extend(classes.map(|class| game.key(&class)));
        Ok(chosen)
    }

    /// Begins game `number` of a kind.
    fn begin(&self, kind: Playouts, number: u64) -> Playout<G> {
        // Published figures depend on these stream numbers.
        let mut random = stream(self.request.seed, 4 * number + kind as u64 + 3);
        // The later a game, the more random moves it may begin with; the first games have none.
        let most_random = match kind {
            Playouts::OwnPlay => u64::from(u64::BITS - number.leading_zeros()),
            Playouts::Random => 0,
        };
        let random_moves_left = random.below(most_random + 1);
        let start = self.game.start();
        Playout {
            random,
            random_moves_left,
            seen: FxHashSet::from_iter([start.clone()]),
            position: start,
            moves: Vec::new(),
            choices: Vec::new(),
            is_over: false,
            is_own: kind == Playouts::OwnPlay && random_moves_left == 0,
        }
    }

    /// Plays all games of a round to their ends, together.
    fn play(&mut self, kind: Playouts, round: &mut [Playout<G>]) -> Result<(), CheckError> {
        loop {
            for playout in round.iter_mut() {
                self.play_to_question(kind, playout)?;
            }
            // Ask the AI for its move in every game that waits for one.
            let waiting = round.iter_mut().filter(|playout| !playout.is_over);
            let mut waiting: Vec<&mut Playout<G>> = waiting.collect();
            let remaining = self.most_faults.saturating_sub(self.sample.faults.len());
            if waiting.is_empty() || remaining == 0 {
                return Ok(());
            }
            let asked = waiting
                .iter()
                .map(|of| (of.position.clone(), of.moves.clone()));
            let (positions, ways): (Vec<_>, Vec<_>) = asked.unzip();
            let asked = Source::Listed(Listed {
                positions: &positions,
                way: &|at| Some(ways[at].clone()),
                origin: &|_| Origin::default(),
            });
            // A game ends here unless the AI answers with a legal move.
            for playout in &mut waiting {
                playout.is_over = true;
            }
            let (game, sample) = (self.game, &mut self.sample);
            let mut playouts = waiting.into_iter();
            self.team.ask(
                &asked,
                None,
                remaining,
                self.clock,
                &mut |_, position, judged| match (playouts.next(), judged.answer) {
                    (Some(playout), Ok(mv)) => {
                        sample.answers.insert(position.clone(), mv);
                        playout.make(game, mv);
                    }
                    (_, Err(fault)) => sample.faults.push((position.clone(), fault)),
                    (None, Ok(_)) => {}
                },
            )?;
            check_cancelled(self.clock, CheckError::Interrupted)?;
            self.sample.is_cut |=
                self.sample.faults.len() >= self.most_faults || self.team.cannot_restart;
        }
    }

    /// Plays random moves until it is the AI's turn or the game is over.
    ///
    /// Records positions with a choice of moves: the AI's in its own games, all in random ones.
    fn play_to_question(&self, kind: Playouts, playout: &mut Playout<G>) -> Result<(), CheckError> {
        let game = self.game;
        while !playout.is_over {
            check_cancelled(self.clock, CheckError::Interrupted)?;
            if game.final_score(&playout.position).is_some() {
                playout.is_over = true;
                break;
            }
            let moves = game.legal_moves(&playout.position);
            let is_ais = kind == Playouts::OwnPlay && playout.random_moves_left == 0;
            if (is_ais || kind == Playouts::Random) && moves.len() > 1 {
                playout
                    .choices
                    .push((playout.position.clone(), playout.moves.len()));
            }
            if is_ais {
                break;
            }
            playout.random_moves_left = playout.random_moves_left.saturating_sub(1);
            let mv = moves[playout.random.index(moves.len())];
            playout.make(game, mv);
        }
        Ok(())
    }

    /// Puts the recorded positions of a game into the buckets, new classes only.
    fn add(
        &mut self,
        kind: Playouts,
        playout: Playout<G>,
        layers: &mut BTreeMap<u32, VecDeque<Candidate<G>>>,
        known: &mut FxHashSet<u128>,
    ) {
        let game = self.game;
        let number = self.sample.games.len();
        for (position, moves) in playout.choices {
            let canonical = game.canonical(&position);
            let key = game.key(&canonical);
            if !self.chosen.contains(&key) && known.insert(key) {
                let origin = Origin {
                    games: Some(kind),
                    is_own: playout.is_own || moves == 0,
                };
                let layer = layers.entry(game.layer(&canonical)).or_default();
                layer.push_back((position, (origin, number, moves)));
            }
        }
        self.sample.games.push(playout.moves);
    }
}

impl<G: Notation> Playout<G> {
    fn make(&mut self, game: &G, mv: G::Move) {
        self.position = game.play(&self.position, mv);
        self.moves.push(mv);
        self.is_over = !self.seen.insert(self.position.clone());
    }
}

/// Takes up to `count` items evenly: the first of each bucket, then the second, …
///
/// If the last round can't cover all buckets, it takes from some that lie evenly between the lowest
/// and the highest.
fn take_evenly<T>(mut layers: BTreeMap<u32, VecDeque<T>>, count: usize) -> Vec<T> {
    let mut chosen = Vec::new();
    while chosen.len() < count && !layers.is_empty() {
        let (remaining, there) = (count - chosen.len(), layers.len());
        for (number, bucket) in layers.values_mut().enumerate() {
            // Spread `spaces + 1` places evenly from the first bucket to the last.
            let is_chosen = |spaces: usize| {
                let place = |of: usize| (of * (there - 1) + spaces / 2) / spaces;
                (0..=spaces).any(|of| place(of) == number)
            };
            let takes = match remaining {
                remaining if remaining >= there => true,
                1 => number == there - 1,
                remaining => is_chosen(remaining - 1),
            };
            if takes {
                chosen.extend(bucket.pop_front());
            }
        }
        layers.retain(|_, bucket| !bucket.is_empty());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_emptied_evenly() {
        let layers = || -> BTreeMap<u32, VecDeque<(u32, u32)>> {
            let size = |layer| if layer == 4 { 1 } else { 3 };
            (0..10)
                .map(|layer| {
                    (
                        layer,
                        (0..size(layer)).map(|number| (layer, number)).collect(),
                    )
                })
                .collect()
        };
        let all = 3 * 9 + 1;
        for count in 0..=all + 2 {
            let chosen = take_evenly(layers(), count);
            assert_eq!(chosen.len(), count.min(all));
            // No layer is more than one item ahead of another, unless the other is empty.
            let of = |layer| chosen.iter().filter(|(of, _)| *of == layer).count();
            let most = (0..10).map(of).max().unwrap();
            assert!((0..10).all(|layer| layer == 4 || of(layer) + 1 >= most));
        }
        let two: Vec<u32> = take_evenly(layers(), 2).iter().map(|of| of.0).collect();
        assert_eq!(two, [0, 9]);
        let four: Vec<u32> = take_evenly(layers(), 4).iter().map(|of| of.0).collect();
        assert_eq!(four, [0, 3, 6, 9]);
    }
}
