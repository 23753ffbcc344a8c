//! Builds an explicit game graph from positions in breadth-first order.

use super::graph::{
    BuildError, CHECK_EVERY, Graph, MOST_DECIMALS, UNFINISHED, digest, greatest, refused,
};
use super::look::{Look, Squares};
use super::rules::SUFFIXES;
use super::solve::scored;
use crate::game::{Endless, MOST_SCORE, Points, Progress, ScoreRange, Side};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Builds an explicit game graph.
///
/// Positions are numbered from 0, the start, in the order in which they are added, which must be
/// that of their distance from the start. Their moves are added in the same order, and may lead to
/// positions that are added later. The default is a game that scores points and always ends.
#[derive(Debug, Default)]
pub struct Builder {
    graph: Graph,
    numbers: FxHashMap<String, u32>,
}

impl Builder {
    /// Returns a graph without positions, of a game that says what endless play is worth.
    ///
    /// With `distance`, or if endless play is a draw, its scores count plies.
    #[must_use]
    pub fn of(endless: Endless, distance: bool) -> Builder {
        let mut builder = Builder::default();
        builder.graph.endless = endless;
        if distance || endless == Endless::Draw {
            builder.graph.scores = ScoreRange::PLIES;
        }
        builder
    }

    /// Returns the number of positions added.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.graph.positions()
    }

    /// Returns the estimated memory for solving, besides the graph, in bytes.
    #[must_use]
    pub fn solving_memory(&self) -> u64 {
        let (position, mv) = match self.graph.endless {
            // Per position: score, next move, and place on the path.
            Endless::Impossible => (16, 0),
            // The solver by keys. Per position: key, score, number of waiting moves, and its entry
            // of the solution, twice. Per move: both ends, and the same compressed.
            Endless::Draw => (72, 10),
        };
        position * self.graph.positions() as u64 + mv * self.graph.edges() as u64
    }

    /// Adds a position with its text, side to move and, if finished, score.
    ///
    /// The side must be given for all positions or for none. The score is seen from the side that
    /// would be to move, and its size is limited.
    ///
    /// # Errors
    /// If the text or the score is not allowed.
    pub fn position(
        &mut self,
        text: &str,
        side: Option<Side>,
        score: Option<i32>,
    ) -> Result<(), BuildError> {
        check_text(text, side.is_some())?;
        let graph = &mut self.graph;
        check_score(graph, text, score)?;
        graph.texts.push_str(text);
        graph.ends.push(graph.texts.len() as u64);
        if let Some(side) = side {
            let sides = graph.sides.get_or_insert_default();
            sides.push(side.index() as u8);
        }
        let unit = graph.unit();
        graph
            .finals
            .push(score.map_or(UNFINISHED, |score| score * unit));
        Ok(())
    }

    /// Returns the number of decimals of points: a score of 5 stands for 0.5 with 1.
    #[must_use]
    pub fn decimals(&self) -> u32 {
        self.graph.decimals
    }

    /// Adds decimals to the points of all positions, for those that are added next.
    ///
    /// # Errors
    /// If there are too many, or a score is then too large.
    pub fn add_decimals(&mut self, more: u32) -> Result<(), BuildError> {
        let Builder { graph, .. } = self;
        graph.decimals = graph.decimals.saturating_add(more);
        if graph.decimals > MOST_DECIMALS {
            return refused(format!("scores have more than {MOST_DECIMALS} decimals"));
        }
        let most = MOST_SCORE / 10_i32.pow(more);
        if greatest(&graph.finals) > most {
            return refused(format!(
                "scores with {} decimals are too large",
                graph.decimals
            ));
        }
        let finals = graph
            .finals
            .iter_mut()
            .filter(|score| **score != UNFINISHED);
        finals.for_each(|score| *score *= 10_i32.pow(more));
        Ok(())
    }

    /// Checks the name of a move.
    ///
    /// # Errors
    /// If the name is not allowed.
    pub fn check_name(name: &str) -> Result<(), BuildError> {
        match is_one_line(name) {
            true => Ok(()),
            false => Err(not_writable("a move can't be called", name)),
        }
    }

    /// Returns the number of a move's name; new names get the next number.
    pub fn name(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.graph.names.len() as u32;
        self.graph.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Sets the rules in words, and the names of squares in pictures, row by row, or no names.
    ///
    /// # Errors
    /// If a name is not allowed.
    pub fn look(&mut self, about: &str, names: Squares) -> Result<(), BuildError> {
        self.graph.look = Look::of(about, names).or_else(refused)?;
        Ok(())
    }

    /// Adds the picture of the last position. All positions need one, or none.
    ///
    /// A row has an entry for each square: one letter, a number, "black" or "white" for a disc,
    /// "grey" for a blocked square, "" for an empty one, or `None` where there is no square.
    ///
    /// # Errors
    /// If the picture is not allowed.
    pub fn picture(&mut self, squares: &Squares) -> Result<(), BuildError> {
        let last = self.graph.positions().saturating_sub(1) as u32;
        let added = self.graph.look.push(squares);
        let text = || self.graph.text(last);
        added.or_else(|problem| refused(format!("the picture of {} {problem}", text())))
    }

    /// Adds the moves of the next position.
    ///
    /// Each is the number of its name and the number of the position to which it leads.
    pub fn moves(&mut self, moves: impl IntoIterator<Item = (u32, u32)>) {
        let graph = &mut self.graph;
        graph.firsts.push(graph.edges() as u64);
        for (name, child) in moves {
            graph.moves.push(name);
            graph.children.push(child);
        }
    }

    /// Returns a graph without positions that has the same names of moves.
    pub(crate) fn with_names(&self) -> Builder {
        let mut builder = Builder::of(self.graph.endless, self.graph.scores.counts_plies());
        builder.graph.names.clone_from(&self.graph.names);
        builder.graph.decimals = self.graph.decimals;
        builder.numbers.clone_from(&self.numbers);
        builder
    }

    /// Returns the graph as it is, without any check or scores.
    pub(crate) fn unchecked(self) -> Graph {
        let mut graph = self.graph;
        graph.firsts.push(graph.edges() as u64);
        graph
    }

    /// Returns the text of a position.
    #[must_use]
    pub fn text(&self, node: u32) -> &str {
        self.graph.text(node)
    }

    /// Finishes the graph and returns it with all scores.
    ///
    /// There are no scores if endless play is a draw: such a graph is solved like any other game.
    /// Runs on the threads of the caller's pool.
    ///
    /// # Errors
    /// If the game can't be solved, or the caller cancels.
    ///
    /// # Panics
    /// If moves were not added for each position, or lead to one that was not added.
    pub fn finish(
        self,
        name: &str,
        progress: &dyn Progress,
    ) -> Result<(Graph, Option<Vec<i32>>), BuildError> {
        let Builder { mut graph, .. } = self;
        let count = graph.positions();
        progress.phase("solving", "positions", count as u64);
        if u32::try_from(count).is_err() {
            return refused(
                "there are more than four billion positions or kinds of moves, which are too many",
            );
        }
        assert!(
            count > 0 && graph.firsts.len() == count,
            "moves for each position"
        );
        let sides = graph.sides.as_ref();
        assert!(
            sides.is_none_or(|sides| sides.len() == count),
            "a side for each position"
        );
        let pictures = graph.look.pictures.len();
        assert!(
            pictures == 0 || pictures == count,
            "a picture for each position"
        );
        assert!(graph.children.iter().all(|&child| (child as usize) < count));
        graph.firsts.push(graph.edges() as u64);
        graph.name = name.to_owned();
        check(&graph, progress)?;
        graph.levels = levels(&graph).or_else(|node| {
            refused(format!(
                "{} is listed in the wrong place, or nothing leads to it: positions are \
                     listed in the order of their distance from the start",
                graph.text(node)
            ))
        })?;
        graph.greatest = greatest(&graph.finals);
        let (range, scores) = scored(&graph, false, progress)?;
        graph.scores = range;
        graph.digest = digest(&graph, progress).ok_or(BuildError::Interrupted)?;
        Ok((graph, scores))
    }
}

/// Checks the names and each position.
pub(super) fn check(graph: &Graph, progress: &dyn Progress) -> Result<(), BuildError> {
    let is_right =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let name = &graph.name;
    if name.is_empty() || name.len() > 60 || !name.chars().all(is_right) {
        return refused(format!(
            "{name:?} is no name for a game: write lower-case letters, digits and \
             hyphens, such as nim-3-4-5"
        ));
    }
    let mut names = FxHashSet::default();
    for name in &graph.names {
        Builder::check_name(name)?;
        if !names.insert(name) {
            return refused(format!("two kinds of moves are both called {name:?}"));
        }
    }
    let mut texts = FxHashSet::with_capacity_and_hasher(graph.positions(), FxBuildHasher);
    let mut names: Vec<u32> = Vec::new();
    for node in 0..graph.positions() as u32 {
        if node % CHECK_EVERY == 0 && progress.cancelled() {
            return Err(BuildError::Interrupted);
        }
        let text = graph.text(node);
        check_text(text, graph.sides.is_some())?;
        let score = graph.final_score(node).map(|score| score / graph.unit());
        check_score(graph, text, score)?;
        if !texts.insert(text) {
            return refused(format!(
                "two positions have the same text {text:?}: each needs a text of its own"
            ));
        }
        let moves = graph.moves_of(node);
        match (graph.final_score(node), moves.is_empty()) {
            (None, true) => return Err(BuildError::stuck(text)),
            (Some(_), false) => return refused(format!("{text} is finished, but has moves")),
            _ => {}
        }
        names.clear();
        names.extend(&graph.moves[moves]);
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = &graph.names[pair[0] as usize];
            return refused(format!("two moves are called {name} in {text}"));
        }
    }
    Ok(())
}

/// Checks the text of a position.
fn check_text(text: &str, has_side: bool) -> Result<(), BuildError> {
    if !is_one_line(text) {
        return Err(not_writable("a position can't be written", text));
    }
    let suffix = SUFFIXES.iter().find(|suffix| text.ends_with(**suffix));
    if let Some(suffix) = suffix.filter(|_| !has_side) {
        return refused(format!(
            "a position can't be written {text:?}: in a game without sides, {suffix:?} at the end names \
             the player to move"
        ));
    }
    Ok(())
}

/// Checks a score that the author gives.
fn check_score(graph: &Graph, text: &str, score: Option<i32>) -> Result<(), BuildError> {
    let most = MOST_SCORE / graph.unit();
    match score {
        Some(score) if score.unsigned_abs() > most.unsigned_abs() => {
            let points = |units| {
                let decimals = graph.decimals;
                Points { units, decimals }.value()
            };
            refused(format!(
                "{text} has the score {}, but scores are from -{1} to {1}",
                points(score),
                points(most)
            ))
        }
        _ => Ok(()),
    }
}

fn not_writable(what: &str, text: &str) -> BuildError {
    BuildError::Rules(format!(
        "{what} {text:?}: it needs letters, one line of them, without spaces at its ends"
    ))
}

/// Returns whether a text fits in one line and neither begins nor ends with white space.
fn is_one_line(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
}

/// Returns the number of positions within each distance from the start.
///
/// # Errors
/// The number of the first position that is not in order of distance or can't be reached.
pub(super) fn levels(graph: &Graph) -> Result<Vec<u32>, u32> {
    let count = graph.positions();
    let mut levels = vec![1u32];
    let mut is_reached = vec![false; count];
    is_reached[0] = true;
    let mut start = 0;
    loop {
        let end = levels[levels.len() - 1] as usize;
        let edges = graph.firsts[start] as usize..graph.firsts[end] as usize;
        let mut last = end;
        for &child in &graph.children[edges] {
            is_reached[child as usize] = true;
            last = last.max(child as usize + 1);
        }
        let missing = (end..last).find(|&node| !is_reached[node]);
        if let Some(node) = missing.or((last == end && end < count).then_some(end)) {
            return Err(node as u32);
        }
        if last == end {
            return Ok(levels);
        }
        levels.push(last as u32);
        start = end;
    }
}
