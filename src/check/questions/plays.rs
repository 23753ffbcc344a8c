//! Positions that come up in plays.
//!
//! Playouts are made in rounds and recorded whole. What comes up in them with a choice of moves is put
//! into buckets by layer of the game, in the order of the plays, no class twice, until there is
//! twice as much as is wanted. Then the buckets are gone through again and again, and the first
//! position is taken out of each.

use super::buckets::even;
use super::source::{Listed, Source, stream};
use super::team::Team;
use crate::check::clock::Clock;
use crate::check::contenders::Fault;
use crate::check::error::CheckError;
use crate::check::options::Playouts;
use crate::game::{Game, Notation, Progress};
use crate::random::Random;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, VecDeque};

/// What is drawn.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub count: u64,
    pub seed: u64,
    /// Nothing: equal shares of all.
    pub plays: Option<Playouts>,
}

/// The positions, in the order in which they are asked.
pub(super) struct Drawn<G: Notation> {
    pub positions: Vec<G::Position>,
    /// Of each position where it comes from.
    origins: Vec<Origin>,
    /// The moves of each play.
    plays: Vec<Vec<G::Move>>,
    /// What the AI has answered, and answered wrongly.
    pub answers: FxHashMap<G::Position, G::Move>,
    pub faults: Vec<(G::Position, Fault)>,
    /// So many faults came that drawing was given up.
    pub is_cut: bool,
}

/// Where a position comes from.
#[derive(Clone, Copy)]
struct Origin {
    plays: Playouts,
    /// The play, and how many of its moves lead to the position.
    play: usize,
    moves: usize,
    /// All moves that its side to move has made in the play are the AI's own.
    is_own: bool,
}

/// So many times the wanted positions are in the buckets before any is taken out.
const CHOICE: u64 = 2;

/// Playouts in a row without a new position after which no more is expected.
const STALE: u64 = 1000;

/// Playouts that are made at the same time, at most.
const ROUND: u64 = 64;

impl<G: Notation> Drawn<G> {
    /// Draws positions; after `faults` faults of the AI no more.
    pub fn draw(
        game: &G,
        team: &mut Team<'_, G>,
        wanted: Wanted,
        faults: usize,
        clock: &Clock<'_>,
    ) -> Result<Drawn<G>, CheckError> {
        let mut drawing = Drawing {
            game,
            team,
            wanted,
            most_faults: faults,
            clock,
            drawn: Drawn {
                positions: Vec::new(),
                origins: Vec::new(),
                plays: Vec::new(),
                answers: FxHashMap::default(),
                faults: Vec::new(),
                is_cut: false,
            },
            taken: FxHashSet::default(),
        };
        let kinds: &[Playouts] = match &wanted.plays {
            Some(only) => std::slice::from_ref(only),
            None => &Playouts::ALL,
        };
        let candidates = CHOICE.saturating_mul(wanted.count);
        clock.phase("drawing positions from games", "candidates", candidates);
        let mut left = wanted.count;
        let mut all = Vec::new();
        for (number, &plays) in kinds.iter().enumerate() {
            let share = left.div_ceil((kinds.len() - number) as u64);
            let taken = drawing.take(plays, share)?;
            left -= taken.len() as u64;
            all.extend(taken);
        }
        let mut drawn = drawing.drawn;
        if left > 0 && !drawn.is_cut {
            return Err(CheckError::TooFew {
                wanted: wanted.count,
                found: wanted.count - left,
            });
        }
        // Mixed, so that the first of them are a sample, too.
        let mut random = Random::new(wanted.seed);
        for last in (1..all.len()).rev() {
            all.swap(last, random.index(last + 1));
        }
        (drawn.positions, drawn.origins) = all.into_iter().unzip();
        Ok(drawn)
    }

    /// The moves that lead to the position of this index.
    pub fn way_to(&self, at: usize) -> Vec<G::Move> {
        let origin = self.origins[at];
        self.plays[origin.play][..origin.moves].to_vec()
    }

    /// The plays that it comes from, and whether all moves of its side there are the AI's own.
    pub fn origin(&self, at: usize) -> (Option<Playouts>, bool) {
        let origin = self.origins[at];
        (Some(origin.plays), origin.is_own)
    }

    /// Keeps what the AI answered in the positions, in their order.
    pub fn keep_answers(&mut self, answers: Vec<Option<G::Move>>) {
        for (position, mv) in self.positions.iter().zip(answers) {
            self.answers.extend(mv.map(|mv| (position.clone(), mv)));
        }
    }
}

/// A play under way.
struct Play<G: Notation> {
    random: Random,
    /// Where the AI plays: how many random moves are still to come before its own.
    free: u64,
    position: G::Position,
    moves: Vec<G::Move>,
    met: Vec<(G::Position, usize)>,
    is_over: bool,
    is_own: bool,
}

/// A position that came up, in its bucket.
type Candidate<G> = (<G as Game>::Position, Origin);

struct Drawing<'a, 't, G: Notation> {
    game: &'a G,
    team: &'a mut Team<'t, G>,
    wanted: Wanted,
    most_faults: usize,
    clock: &'a Clock<'a>,
    drawn: Drawn<G>,
    /// The keys of the classes that are drawn.
    taken: FxHashSet<u128>,
}

impl<G: Notation> Drawing<'_, '_, G> {
    /// Draws so many positions from games of one kind; fewer if there are no more.
    fn take(&mut self, plays: Playouts, share: u64) -> Result<Vec<Candidate<G>>, CheckError> {
        let mut layers: BTreeMap<u32, VecDeque<Candidate<G>>> = BTreeMap::new();
        let mut known = FxHashSet::default();
        let size = (share / 16).clamp(1, ROUND);
        let (mut number, mut stale) = (0, 0);
        while (known.len() as u64) < CHOICE * share && stale < STALE && !self.drawn.is_cut {
            let mut round: Vec<Play<G>> =
                (0..size).map(|of| self.begin(plays, number + of)).collect();
            self.play(plays, &mut round)?;
            number += size;
            for play in round {
                let before = known.len();
                self.add(plays, play, &mut layers, &mut known);
                let new = (known.len() - before) as u64;
                self.clock.advance(new);
                stale = if new == 0 { stale + 1 } else { 0 };
            }
        }
        let taken = even(layers, share as usize);
        let keys = taken
            .iter()
            .map(|(position, _)| key_of(self.game, position));
        self.taken.extend(keys);
        Ok(taken)
    }

    /// A play of one kind at its start.
    fn begin(&self, plays: Playouts, number: u64) -> Play<G> {
        // Published figures come from these very numbers.
        let mut random = stream(self.wanted.seed, 4 * number + plays as u64 + 3);
        // With the number of plays grows how much they may differ; the first ones are pure.
        let most_free = match plays {
            Playouts::OwnPlay => u64::from(u64::BITS - number.leading_zeros()),
            Playouts::Random => 0,
        };
        let free = random.below(most_free + 1);
        Play {
            random,
            free,
            position: self.game.start(),
            moves: Vec::new(),
            met: Vec::new(),
            is_over: false,
            is_own: plays == Playouts::OwnPlay && free == 0,
        }
    }

    /// Playouts all of a round to the end, side by side.
    fn play(&mut self, plays: Playouts, round: &mut [Play<G>]) -> Result<(), CheckError> {
        loop {
            for play in round.iter_mut() {
                self.go_on(plays, play)?;
            }
            let mut waiting: Vec<&mut Play<G>> =
                round.iter_mut().filter(|play| !play.is_over).collect();
            if waiting.is_empty() {
                return Ok(());
            }
            let left = self.most_faults.saturating_sub(self.drawn.faults.len());
            if left == 0 {
                return Ok(());
            }
            let positions = waiting.iter().map(|play| play.position.clone());
            let positions: Vec<_> = positions.collect();
            let ways: Vec<_> = waiting.iter().map(|play| play.moves.clone()).collect();
            let asked = Source::Listed(Listed {
                positions: &positions,
                way: &|at| Some(ways[at].clone()),
                origin: &|_| (None, false),
            });
            for play in &mut waiting {
                play.is_over = true;
            }
            let (game, drawn) = (self.game, &mut self.drawn);
            let mut plays = waiting.into_iter();
            self.team.ask(
                &asked,
                None,
                left,
                self.clock,
                &mut |_, position, judged| {
                    match (plays.next(), judged.answer) {
                        (Some(play), Ok(mv)) => {
                            play.is_over = false;
                            drawn.answers.insert(position.clone(), mv);
                            play.make(game, mv);
                        }
                        (_, Err(fault)) => drawn.faults.push((position.clone(), fault)),
                        (None, Ok(_)) => {}
                    }
                    Ok(())
                },
            )?;
            if self.clock.cancelled() {
                return Err(CheckError::Interrupted);
            }
            self.drawn.is_cut |= self.drawn.faults.len() >= self.most_faults || self.team.is_lost;
        }
    }

    /// Playouts on until it is the AI's turn, or the game is over.
    fn go_on(&self, plays: Playouts, play: &mut Play<G>) -> Result<(), CheckError> {
        let game = self.game;
        while !play.is_over {
            if self.clock.cancelled() {
                return Err(CheckError::Interrupted);
            }
            if game.final_score(&play.position).is_some() {
                play.is_over = true;
                break;
            }
            let moves = game.legal_moves(&play.position);
            let is_ais = plays == Playouts::OwnPlay && play.free == 0;
            if (is_ais || plays == Playouts::Random) && moves.len() > 1 {
                play.met.push((play.position.clone(), play.moves.len()));
            }
            if is_ais {
                break;
            }
            play.free = play.free.saturating_sub(1);
            let mv = moves[play.random.index(moves.len())];
            play.make(game, mv);
        }
        Ok(())
    }

    /// Puts what came up in a play into the buckets.
    fn add(
        &mut self,
        plays: Playouts,
        play: Play<G>,
        layers: &mut BTreeMap<u32, VecDeque<Candidate<G>>>,
        known: &mut FxHashSet<u128>,
    ) {
        let game = self.game;
        let number = self.drawn.plays.len();
        for (position, moves) in play.met {
            let canonical = game.canonical(&position);
            let key = game.key(&canonical);
            if !self.taken.contains(&key) && known.insert(key) {
                let origin = Origin {
                    plays,
                    play: number,
                    moves,
                    is_own: play.is_own || moves == 0,
                };
                let layer = layers.entry(game.layer(&canonical)).or_default();
                layer.push_back((position, origin));
            }
        }
        self.drawn.plays.push(play.moves);
    }
}

impl<G: Notation> Play<G> {
    fn make(&mut self, game: &G, mv: G::Move) {
        self.position = game.play(&self.position, mv);
        self.moves.push(mv);
    }
}

fn key_of<G: Notation>(game: &G, position: &G::Position) -> u128 {
    game.key(&game.canonical(position))
}
