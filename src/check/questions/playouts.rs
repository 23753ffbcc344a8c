//! Samples of positions from games.
//!
//! Games are played in rounds and recorded completely. About as many rounds as are expected to be
//! needed are played side by side: a free player takes the game that has waited longest, and where
//! none waits, it is asked about positions of random games in advance. The games' positions with a
//! choice of moves go into buckets by layer, in the order of the games and at most one per class.
//! When the buckets have twice as many positions as requested, the sample takes the first position
//! of each bucket in turn, again and again. A game in which a position repeats is drawn and ends
//! there.

use super::source::stream;
use super::team::Team;
use crate::check::contenders::{Fault, Player, Replies, Reply, Round};
use crate::check::error::CheckError;
use crate::check::judge::Origin;
use crate::check::options::Playouts;
use crate::game::{CancelScope, Game, Notation, Progress, check_cancelled};
use crate::pool::{lock, share};
use crate::random::Random;
use crate::text::{count, counted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, PoisonError};

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

/// The number of games in a round, at most.
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
            ahead: VecDeque::new(),
        };
        let kinds: &[Playouts] = match &request.kind {
            Some(only) => std::slice::from_ref(only),
            None => &Playouts::ALL,
        };
        if request.kind.is_none() && !sampler.team.is_program {
            sampler.look_ahead()?;
        }
        let candidates = CANDIDATES.saturating_mul(request.count);
        clock.phase("sampling positions from games", "candidates", candidates);
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
    number: u64,
    random: Random,
    /// The number of random moves before the AI's first one.
    random_moves_left: u64,
    position: G::Position,
    moves: Vec<G::Move>,
    /// The recorded positions, each with the number of moves before it.
    choices: Vec<(G::Position, usize)>,
    /// The questions to the AI.
    questions: Vec<Question<G>>,
    /// All positions up to now.
    seen: FxHashSet<G::Position>,
    is_over: bool,
    is_own: bool,
}

/// Question of a game, with its reply.
struct Question<G: Notation> {
    position: G::Position,
    reply: Reply<G::Move>,
    /// The numbers of moves and recorded positions before the reply.
    moves: usize,
    choices: usize,
}

/// Position with the moves that lead to it.
type Ahead<G> = (<G as Game>::Position, Vec<<G as Game>::Move>);

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
    /// Positions to ask about while games wait for answers.
    ahead: VecDeque<Ahead<G>>,
}

impl<G: Notation> Sampler<'_, '_, G> {
    /// Finds the positions of random games that will be asked unless own games come to their classes.
    ///
    /// A program is not asked ahead, because its answers may depend on the order of the questions.
    fn look_ahead(&mut self) -> Result<(), CheckError> {
        let chosen = self.take(Playouts::Random, self.request.count / 2)?;
        self.chosen.clear();
        let games = std::mem::take(&mut self.sample.games);
        let ahead = chosen
            .into_iter()
            .map(|(position, (_, game, moves))| (position, games[game][..moves].to_vec()));
        self.ahead = ahead.collect();
        Ok(())
    }

    /// Samples up to `share` positions from games of one kind.
    fn take(&mut self, kind: Playouts, share: u64) -> Result<Vec<Candidate<G>>, CheckError> {
        let mut layers: BTreeMap<u32, VecDeque<Candidate<G>>> = BTreeMap::new();
        let mut known = FxHashSet::default();
        let size = (share / 16).clamp(1, ROUND);
        let needed = CANDIDATES * share;
        let (mut rounds, mut number, mut stale) = (VecDeque::new(), 0, 0);
        // The number of games, and of positions found, before the last ones that were played.
        let mut before = (0, 0);
        while (known.len() as u64) < needed && stale < STALE && !self.sample.is_cut {
            if rounds.is_empty() {
                let found = known.len() as u64;
                let (games, new) = (number - before.0, found - before.1);
                before = (number, found);
                // An AI repeats itself, so it needs more games than random play, and ever more.
                let wanted = match (kind, number) {
                    (Playouts::Random, _) => 1,
                    (Playouts::OwnPlay, 0) => 3 * self.games_of_random_play(needed)? / (2 * size),
                    _ => 5 * (needed - found) * games / (4 * new.max(1) * size) + 1,
                };
                let games = number..number + wanted.clamp(1, STALE / size) * size;
                let games = games.map(|number| self.begin(kind, number)).collect();
                rounds.extend(self.play(kind, size, games)?);
            }
            let mut round: Vec<_> = rounds.drain(..size as usize).collect();
            self.record_replies(&mut round);
            number += size;
            for playout in round {
                let before = known.len();
                self.add(kind, playout, &mut layers, &mut known);
                let new = (known.len() - before) as u64;
                self.clock.advance(new);
                stale = if new == 0 { stale + 1 } else { 0 };
            }
        }
        if !self.ahead.is_empty() {
            self.play(kind, size, Vec::new())?;
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
            number,
            random,
            random_moves_left,
            seen: FxHashSet::from_iter([start.clone()]),
            position: start,
            moves: Vec::new(),
            choices: Vec::new(),
            questions: Vec::new(),
            is_over: false,
            is_own: kind == Playouts::OwnPlay && random_moves_left == 0,
        }
    }

    /// Returns the number of games in which random play comes to `wanted` positions of own games.
    fn games_of_random_play(&self, wanted: u64) -> Result<u64, CheckError> {
        let (mut known, mut number) = (FxHashSet::default(), 0);
        while (known.len() as u64) < wanted && number < STALE {
            let mut playout = self.begin(Playouts::OwnPlay, number);
            play_to_question(self.game, self.clock, Playouts::OwnPlay, &mut playout)?;
            while !playout.is_over {
                let moves = self.game.legal_moves(&playout.position);
                let mv = moves[playout.random.index(moves.len())];
                playout.make(self.game, mv);
                play_to_question(self.game, self.clock, Playouts::OwnPlay, &mut playout)?;
            }
            let choices = playout.choices.iter();
            known.extend(choices.map(|of| self.game.key(&self.game.canonical(&of.0))));
            number += 1;
        }
        Ok(number)
    }

    /// Plays games to their ends, side by side, and returns them in order.
    ///
    /// Games beyond too many faults may end before.
    fn play(
        &mut self,
        kind: Playouts,
        size: u64,
        mut games: Vec<Playout<G>>,
    ) -> Result<Vec<Playout<G>>, CheckError> {
        for playout in &mut games {
            play_to_question(self.game, self.clock, kind, playout)?;
        }
        let waiting = games.iter().filter(|playout| !playout.is_over).count();
        let players = self.team.players();
        let count = players.len().min(waiting + self.ahead.len());
        let tables = Tables {
            game: self.game,
            clock: self.clock,
            kind,
            size,
            players: count,
            is_last: games.is_empty(),
            most_faults: self.most_faults.saturating_sub(self.sample.faults.len()),
            open: Mutex::new(Open {
                waiting: games.into(),
                asked: 0,
                asking: FxHashSet::default(),
                done: Vec::new(),
                ahead: std::mem::take(&mut self.ahead),
                replies: Vec::new(),
                faults: BTreeSet::new(),
                cannot_restart: false,
            }),
            is_changed: Condvar::new(),
        };
        let ends = share(&mut players[..count], count, |player, _| {
            (tables.serve(&mut **player), true)
        });
        ends.into_iter().collect::<Result<(), _>>()?;
        let open = tables.open.into_inner();
        let mut open = open.unwrap_or_else(PoisonError::into_inner);
        check_cancelled(self.clock, CheckError::Interrupted)?;
        self.team.cannot_restart |= open.cannot_restart;
        self.ahead = open.ahead;
        self.team.ahead.extend(open.replies);
        open.done.extend(open.waiting);
        open.done.sort_by_key(|playout| playout.number);
        Ok(open.done)
    }

    /// Saves the replies in the games of a round, in the order of the moves.
    ///
    /// The last fault that is allowed cuts off all that would come after it.
    fn record_replies(&mut self, round: &mut [Playout<G>]) {
        let longest = round.iter().map(|playout| playout.questions.len()).max();
        for step in 0..longest.unwrap_or(0) {
            for playout in &mut *round {
                let Some(question) = playout.questions.get(step) else {
                    continue;
                };
                if self.sample.is_cut {
                    playout.moves.truncate(question.moves);
                    playout.choices.truncate(question.choices);
                    playout.questions.truncate(step);
                    continue;
                }
                let position = question.position.clone();
                match question.reply.clone() {
                    Ok(mv) => drop(self.sample.answers.insert(position, mv)),
                    Err(fault) => self.sample.faults.push((position, fault)),
                }
                self.sample.is_cut = self.sample.faults.len() >= self.most_faults;
            }
        }
        self.sample.is_cut |= self.team.cannot_restart;
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

/// Plays random moves until it is the AI's turn or the game is over.
///
/// Records positions with a choice of moves: the AI's in its own games, all in random ones.
fn play_to_question<G: Notation>(
    game: &G,
    clock: &CancelScope<'_>,
    kind: Playouts,
    playout: &mut Playout<G>,
) -> Result<(), CheckError> {
    while !playout.is_over {
        check_cancelled(clock, CheckError::Interrupted)?;
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

/// Games that are played side by side.
struct Tables<'a, G: Notation> {
    game: &'a G,
    clock: &'a CancelScope<'a>,
    kind: Playouts,
    /// The number of games in a round.
    size: u64,
    players: usize,
    /// Whether no more games follow, so that all questions ahead have to be asked.
    is_last: bool,
    most_faults: usize,
    open: Mutex<Open<G>>,
    is_changed: Condvar,
}

/// The games by their state.
struct Open<G: Notation> {
    /// The games that wait for a player, in the order in which they came.
    waiting: VecDeque<Playout<G>>,
    /// The number of games in which the AI is being asked, and the positions.
    ///
    /// Several players don't ask about the same position at the same time.
    asked: usize,
    asking: FxHashSet<G::Position>,
    done: Vec<Playout<G>>,
    /// Positions to ask about where no game waits, and the replies.
    ahead: VecDeque<Ahead<G>>,
    replies: Vec<(G::Position, Reply<G::Move>)>,
    /// The places of the faults in the games.
    faults: BTreeSet<QuestionPlace>,
    cannot_restart: bool,
}

/// Place of a question in the order in which one player asks: the number of the round, the number
/// of questions before it in its game, and the number of the game.
type QuestionPlace = (u64, usize, u64);

impl<G: Notation> Tables<'_, G> {
    fn place_in(&self, playout: &Playout<G>) -> QuestionPlace {
        let number = playout.number;
        (number / self.size, playout.questions.len(), number)
    }

    /// Returns the games that have waited longest, a player's share, or else positions to ask ahead.
    ///
    /// Returns neither if all games are over.
    fn take(&self) -> (Vec<Playout<G>>, Vec<Ahead<G>>) {
        let mut open = lock(&self.open);
        loop {
            let mut taken = Vec::new();
            let share = (open.waiting.len() / self.players).max(1);
            let mut later = VecDeque::new();
            while taken.len() < share
                && let Some(playout) = open.waiting.pop_front()
            {
                let before = open.faults.range(..self.place_in(&playout)).count();
                if open.cannot_restart || before >= self.most_faults || playout.is_over {
                    open.done.push(playout);
                } else if self.players > 1 && !open.asking.insert(playout.position.clone()) {
                    later.push_back(playout);
                } else {
                    taken.push(playout);
                }
            }
            later.append(&mut open.waiting);
            open.waiting = later;
            open.asked += taken.len();
            if open.faults.len() >= self.most_faults || open.cannot_restart {
                open.ahead.clear();
            }
            // A single player asks ahead only when all games of all rounds are over.
            let ahead = match self.players {
                _ if !taken.is_empty() || open.asked == 0 && !self.is_last => 0,
                1 => open.ahead.len(),
                _ => open.ahead.len().min(1),
            };
            if !taken.is_empty() || ahead > 0 || open.asked == 0 {
                return (taken, open.ahead.drain(..ahead).collect());
            }
            let changed = self.is_changed.wait(open);
            open = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Asks a player for its moves in games that wait, until all are over.
    fn serve(&self, player: &mut dyn Player<G>) -> Result<(), CheckError> {
        loop {
            let (mut taken, ahead) = self.take();
            let count = taken.len();
            if !ahead.is_empty() {
                let (positions, ways): (Vec<_>, Vec<_>) = ahead.into_iter().unzip();
                let (replies, _) = self.replies(player, &positions, &|at| Some(ways[at].clone()));
                lock(&self.open)
                    .replies
                    .extend(positions.into_iter().zip(replies));
                check_cancelled(self.clock, CheckError::Interrupted)?;
                continue;
            }
            if count == 0 {
                return Ok(());
            }
            let positions: Vec<_> = taken.iter().map(|of| of.position.clone()).collect();
            let played = self.ask(player, &positions, &mut taken);
            let mut open = lock(&self.open);
            open.asked -= count;
            open.asking.retain(|position| !positions.contains(position));
            open.cannot_restart |= *played.as_ref().unwrap_or(&true);
            for playout in &taken {
                if let Some(Question { reply: Err(_), .. }) = playout.questions.last() {
                    let (round, questions, number) = self.place_in(playout);
                    open.faults.insert((round, questions - 1, number));
                }
            }
            open.waiting.extend(taken);
            self.is_changed.notify_all();
            played?;
        }
    }

    /// Asks about positions; also returns whether the AI could not be restarted.
    fn replies(
        &self,
        player: &mut dyn Player<G>,
        positions: &[G::Position],
        ways: &dyn Fn(usize) -> Option<Vec<G::Move>>,
    ) -> (Replies<G>, bool) {
        let round = Round {
            positions,
            ways,
            faults: self.most_faults,
            progress: self.clock,
        };
        round.put_to(player)
    }

    /// Asks for a move in each game and plays to the next questions.
    ///
    /// Returns whether the AI could not be restarted.
    fn ask(
        &self,
        player: &mut dyn Player<G>,
        positions: &[G::Position],
        taken: &mut [Playout<G>],
    ) -> Result<bool, CheckError> {
        let ways = |at: usize| Some(taken[at].moves.clone());
        let (replies, cannot_restart) = self.replies(player, positions, &ways);
        for ((playout, position), reply) in taken.iter_mut().zip(positions).zip(replies) {
            playout.questions.push(Question {
                position: position.clone(),
                reply: reply.clone(),
                moves: playout.moves.len(),
                choices: playout.choices.len(),
            });
            match reply {
                Ok(mv) => playout.make(self.game, mv),
                Err(_) => playout.is_over = true,
            }
            play_to_question(self.game, self.clock, self.kind, playout)?;
        }
        check_cancelled(self.clock, CheckError::Interrupted)?;
        Ok(cannot_restart)
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
