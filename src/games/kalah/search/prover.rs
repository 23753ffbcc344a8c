//! The search itself.

use super::board::{Board, Sower, seeds_of};
use super::numbers::Numbers;
use super::probe::Probe;
use super::transposition::{Known, Transpositions};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use crate::search::Stopped;

#[derive(Clone, Copy, Debug)]
pub struct Pruning {
    pub table: bool,
    pub transposition_cutoffs: bool,
    pub futility: bool,
    pub table_move: bool,
    pub extra_turns_first: bool,
    pub captures_first: bool,
    pub x: u32,
}

pub struct Shared<'a> {
    pub sower: Sower,
    pub numbers: Numbers,
    pub table: Transpositions,
    pub probe: Probe<'a>,
    pub pits: usize,
    pub pruning: Pruning,
    pub stop: AtomicBool,
    pub nodes: AtomicU64,
    pub searching: Vec<AtomicU64>,
    pub defer: bool,
}

pub struct Prover<'a, 'b> {
    pub shared: &'a Shared<'b>,
    pub nodes: u64,
    pub probes: u64,
}

#[derive(Clone, Copy)]
struct Candidate {
    board: Board,
    key: u64,
    seeds: u32,
    gained: u32,
    again: bool,
    distance: u32,
    order: i32,
}

impl Prover<'_, '_> {
    /// Whether the mover gets at least `wanted`: if the result is, it's a lower bound, otherwise an upper one.
    pub fn search(&mut self, board: Board, key: u64, seeds: u32, wanted: i32) -> Result<i32, Stopped> {
        let shared = self.shared;
        self.nodes += 1;
        if self.nodes & 0xfff == 0 {
            shared.nodes.fetch_add(0x1000, Relaxed);
            if shared.stop.load(Relaxed) {
                return Err(Stopped);
            }
        }
        let before = self.nodes;
        let mut table_move = 0;
        if let Some(known) = shared.table.get(key) {
            if known.lower as i32 >= wanted {
                return Ok(known.lower as i32);
            }
            if (known.upper as i32) < wanted {
                return Ok(known.upper as i32);
            }
            table_move = known.best;
        }
        let total = seeds as i32;
        let mut best = -1;
        let mut best_move = 0;
        let mut candidates = [Candidate { board, key: 0, seeds: 0, gained: 0, again: false, distance: 0, order: 0 }; 6];
        let mut count = 0;
        'search: {
        for distance in 0..shared.pits {
            if board.mover >> (8 * distance) & 0xff == 0 {
                continue;
            }
            let played = shared.sower.play(board, distance);
            let left = seeds - played.gained;
            let exact = if played.board.is_finished() {
                Some(seeds_of(played.board.mover))
            } else if left <= shared.probe.seeds() {
                self.probes += 1;
                Some(shared.probe.mover_gets(played.board))
            } else {
                None
            };
            if let Some(code) = exact {
                let value = if played.again { played.gained + code } else { seeds - code } as i32;
                if value > best {
                    best = value;
                    best_move = distance as u32 + 1;
                    if best >= wanted {
                        break 'search;
                    }
                }
                continue;
            }
            if played.gained as i32 >= wanted {
                best = played.gained as i32;
                best_move = distance as u32 + 1;
                break 'search;
            }
            if shared.pruning.x & 16 != 0 {
                let run = run(played.board.mover) as i32;
                if played.again {
                    let v = played.gained as i32 + run;
                    if v >= wanted { best = v; best_move = distance as u32 + 1; break 'search; }
                } else {
                    let v = total - run;
                    if v < wanted { best = best.max(v); continue; }
                }
            }
            let key = shared.table.key(shared.numbers.of(played.board));
            let x = shared.pruning.x;
            let mut order = -(distance as i32);
            match x & 7 {
                0 => {
                    if played.again { order += 1000; }
                    if played.captured { order += 100 + 10 * played.gained as i32; }
                }
                1 => { // extras first, then gain, less dropped
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order += 1000; } else {
                    let own = seeds_of(played.board.opponent) as i32;
                    let before_own = seeds_of(board.mover) as i32;
                    order -= 4 * (before_own - own - played.gained as i32).max(0);
                    }
                }
                2 => { // extras by left to right
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order = 1000 + distance as i32; }
                }
                3 => { // big captures before extras
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order = 16 * 4 - distance as i32; }
                }
                4 => {
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order += 1000; }
                }
                5 => { // gain minus opponent's best immediate capture
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order += 1000; } else {
                        let mut worst = 0;
                        for d in 0..shared.pits {
                            if played.board.mover >> (8 * d) & 0xff != 0 {
                                let p = shared.sower.play(played.board, d);
                                worst = worst.max(p.gained as i32);
                            }
                        }
                        order -= 8 * worst;
                    }
                }
                6 => { // and its extra turns
                    order = 16 * played.gained as i32 - distance as i32;
                    if played.again { order += 1000; } else {
                        let mut worst = 0;
                        for d in 0..shared.pits {
                            if played.board.mover >> (8 * d) & 0xff != 0 {
                                let p = shared.sower.play(played.board, d);
                                worst = worst.max(p.gained as i32 * 2 + i32::from(p.again) * 2);
                            }
                        }
                        order -= 4 * worst;
                    }
                }
                _ => {
                    if played.again { order += 50; }
                    if played.captured { order += 100 + 10 * played.gained as i32; }
                }
            }
            if x & 8 == 0 && distance as u32 + 1 == table_move { order += 10000; }
            candidates[count] = Candidate { board: played.board, key, seeds: left, gained: played.gained, again: played.again, distance: distance as u32, order };
            count += 1;
        }
        let mut kept = 0;
        for index in 0..count {
            let candidate = candidates[index];
            if let Some(known) = shared.table.get(candidate.key) {
                let (lower, upper) = if candidate.again {
                    (candidate.gained + known.lower, candidate.gained + known.upper)
                } else {
                    (seeds - known.upper, seeds - known.lower)
                };
                if lower as i32 >= wanted {
                    best = lower as i32;
                    best_move = candidate.distance + 1;
                    break 'search;
                }
                if (upper as i32) < wanted {
                    if upper as i32 > best { best = upper as i32; best_move = candidate.distance + 1; }
                    continue;
                }
            }
            candidates[kept] = candidate;
            kept += 1;
        }
        let candidates = &mut candidates[..kept];
        candidates.sort_unstable_by_key(|candidate| -candidate.order);
        for pass in 0..2 {
            let mut index = 0;
            for i in 0..candidates.len() {
                let candidate = candidates[i];
                if candidate.seeds == 0 { continue; }
                if shared.defer && pass == 0 && i > 0 && candidate.seeds > shared.probe.seeds() + 4 {
                    let slot = &shared.searching[(candidate.key & 0xfff) as usize];
                    if slot.load(Relaxed) == candidate.key + 1 {
                        index += 1;
                        continue;
                    }
                }
                candidates[i].seeds = 0;
                let slot = if shared.defer && candidate.seeds > shared.probe.seeds() + 4 {
                    let slot = &shared.searching[(candidate.key & 0xfff) as usize];
                    slot.store(candidate.key + 1, Relaxed);
                    Some(slot)
                } else { None };
                let value = if candidate.again {
                    let gained = candidate.gained as i32;
                    gained + self.search(candidate.board, candidate.key, candidate.seeds, wanted - gained)?
                } else {
                    total - self.search(candidate.board, candidate.key, candidate.seeds, total - wanted + 1)?
                };
                if let Some(slot) = slot {
                    let _ = slot.compare_exchange(candidate.key + 1, 0, Relaxed, Relaxed);
                }
                if value > best {
                    best = value;
                    best_move = candidate.distance + 1;
                    if value >= wanted { break 'search; }
                }
            }
            if index == 0 { break; }
        }
        }
        let known = if best >= wanted {
            Known { lower: best as u32, upper: seeds, best: best_move }
        } else {
            Known { lower: 0, upper: best as u32, best: best_move }
        };
        shared.table.learn(key, known, self.nodes - before + 1);
        Ok(best)
    }
}

/// Seeds that the mover can surely get by extra turns of less than a lap.
fn run(mut own: u64) -> u32 {
    let mut got = 0;
    'next: loop {
        for d in 0..6 {
            let seeds = own >> (8 * d) & 0xff;
            if seeds == d + 1 {
                own = (own & !(0xff << (8 * d))) + (0x0101_0101_0101u64 & ((1 << (8 * d)) - 1));
                got += 1;
                continue 'next;
            }
        }
        break;
    }
    if (0..6).any(|d| own >> (8 * d) & 0xff > d) { got += 1; }
    got
}
