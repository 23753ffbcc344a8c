//! The results of each AI.

use super::game::PlayedGame;
use super::opening::Opening;
use super::rating::ratings;
use crate::game::Side;
use crate::text::{count, counted};
use serde::Serialize;

/// Result of a tournament.
#[derive(Clone, Debug, Serialize)]
pub struct Tournament {
    /// The game's name.
    pub game: String,
    /// The game and its parameters in plain words.
    #[serde(skip)]
    pub title: String,
    /// Whether scores are outcomes with distances in plies.
    pub counts_plies: bool,
    /// The AIs' names, in the order of the command line.
    pub ais: Vec<String>,
    /// Seed of the openings.
    pub seed: u64,
    /// The number of games of the whole tournament.
    pub planned: usize,
    /// Openings, each of which every pair of AIs plays on both sides.
    pub openings: Vec<Opening>,
    /// The AIs with their results, best first.
    pub standings: Vec<Standing>,
    /// The games played, in the order of the schedule. A tournament that was cancelled has fewer
    /// than planned.
    pub games: Vec<PlayedGame>,
}

/// Results of an AI.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Standing {
    /// Name or command of the AI.
    pub ai: String,
    /// Number of games won, including those that the opponent forfeited.
    pub won: u64,
    /// Number of drawn games.
    pub drawn: u64,
    /// Games lost, with those that it forfeited.
    pub lost: u64,
    /// Number of games lost by a fault.
    pub forfeits: u64,
    /// 1 for each win and a half for each draw.
    pub points: f64,
    /// The points against each AI, in the order of [`Tournament::ais`].
    pub points_against: Vec<f64>,
    /// The rating; the average of all AIs is 0.
    pub elo: f64,
    /// Half the width of the rating's 95% interval.
    pub elo_margin: f64,
    /// The mean final score, as the AI sees it, of games that were not forfeited.
    pub mean_score: Option<f64>,
    /// The mean regret per move.
    pub regret: Option<f64>,
    /// Moves that gave a win or a draw away.
    pub mistakes: u64,
    /// Moves with exact scores.
    pub graded: u64,
}

/// Returns the standings, best rating first.
pub(super) fn standings(names: &[String], games: &[PlayedGame]) -> Vec<Standing> {
    let of = |ai: &String| Standing {
        ai: ai.clone(),
        points_against: vec![0.0; names.len()],
        ..Standing::default()
    };
    let mut standings: Vec<Standing> = names.iter().map(of).collect();
    for (own, standing) in standings.iter_mut().enumerate() {
        let (mut scores, mut finished, mut regret) = (0, 0, 0);
        for (played, side) in games
            .iter()
            .flat_map(|it| [(it, Side::First), (it, Side::Second)])
        {
            let [part, other] = [side, side.other()].map(|side| &played.sides[side.index()]);
            let other = names.iter().position(|name| *name == other.ai);
            let Some(other) = other.filter(|_| part.ai == names[own]) else {
                continue;
            };
            let result = side.seen(played.result);
            standing.won += u64::from(result > 0);
            standing.drawn += u64::from(result == 0);
            standing.lost += u64::from(result < 0);
            standing.points_against[other] += f64::from(result + 1) / 2.0;
            let forfeit = played.forfeit.as_ref();
            standing.forfeits += u64::from(forfeit.is_some_and(|of| of.side == side));
            if let Some(score) = played.score {
                scores += side.seen(score);
                finished += 1;
            }
            standing.mistakes += part.mistakes;
            standing.graded += part.graded;
            regret += part.regret;
        }
        let mean = |sum: f64, of: u64| (of > 0).then(|| sum / of as f64);
        standing.points = standing.points_against.iter().sum();
        standing.mean_score = mean(f64::from(scores), finished);
        standing.regret = mean(regret as f64, standing.graded);
    }
    let points: Vec<_> = standings
        .iter()
        .map(|of| of.points_against.clone())
        .collect();
    for (standing, rating) in standings.iter_mut().zip(ratings(&points)) {
        (standing.elo, standing.elo_margin) = (rating.elo, rating.margin);
    }
    standings.sort_by(|one, other| other.elo.total_cmp(&one.elo));
    standings
}

impl Tournament {
    /// Returns the names of the columns of [`Tournament::rows`], after the AI's name.
    pub fn columns(&self) -> Vec<String> {
        let results = [
            "points", "won", "drawn", "lost", "Elo", "95%", "score", "regret", "mistakes",
            "forfeits",
        ];
        let places = (1..=self.ais.len()).map(|place| place.to_string());
        let results = results.into_iter().map(str::to_owned);
        results.chain(places).collect()
    }

    /// Returns the standings with the crosstable: a row for each AI, best first, with its place,
    /// its results, and its points against each AI in the same order.
    pub fn rows(&self) -> Vec<(String, Vec<String>)> {
        let place = |ai: &String| self.ais.iter().position(|name| name == ai);
        let row = |(number, of): (usize, &Standing)| {
            let against = |other: &Standing| match place(&other.ai) {
                Some(place) if of.ai != other.ai => of.points_against[place].to_string(),
                _ => "\u{b7}".to_owned(),
            };
            let mut cells = vec![
                of.points.to_string(),
                of.won.to_string(),
                of.drawn.to_string(),
                of.lost.to_string(),
                format!("{:+.0}", of.elo),
                format!("\u{b1}{:.0}", of.elo_margin),
                of.mean_score
                    .map_or_else(String::new, |mean| format!("{mean:+.1}")),
                of.regret
                    .map_or_else(String::new, |mean| format!("{mean:.2}")),
                of.regret.map_or_else(String::new, |_| count(of.mistakes)),
                of.forfeits.to_string(),
            ];
            cells.extend(self.standings.iter().map(against));
            (format!("{}. {}", number + 1, of.ai), cells)
        };
        self.standings.iter().enumerate().map(row).collect()
    }

    /// Returns the numbers of AIs, games and openings, in a phrase.
    pub fn summary(&self) -> String {
        let even = self.openings.iter().filter(|of| of.score == Some(0));
        format!(
            "{} AIs, {} of {} games, {} ({} exactly even)",
            self.ais.len(),
            count(self.games.len() as u64),
            count(self.planned as u64),
            counted(self.openings.len(), "opening"),
            even.count(),
        )
    }
}
