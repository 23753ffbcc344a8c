//! The game without its type, by calls to the one that has it.

use super::values::{ErasedMove, ErasedPosition};
use crate::game::{
    Arrays, Capabilities, Checking, Followed, Game, KeyedRules, Notation, NotationError, Ranking,
    Roots, ScoreRange, SearchError, SearchSetup, Searcher, Searching, Side, Solving, Sweep,
};
#[cfg(feature = "cli")]
use crate::game::{Drawing, Picture};
use std::any::TypeId;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;
type Search = Result<Box<dyn Searcher<Erased>>, SearchError>;

/// [`Game`](crate::game::Game), [`Notation`] and what a game can offer, as far as it isn't the same
/// for all of its positions.
pub(super) trait Untyped: Send + Sync {
    fn side_to_move(&self, position: &P) -> Side;
    fn moves(&self, position: &P, moves: &mut Vec<M>);
    fn play(&self, position: &P, mv: M) -> P;
    fn final_score(&self, position: &P) -> Option<i32>;
    fn key(&self, canonical: &P) -> u128;
    fn position_of_key(&self, key: u128) -> Option<P>;
    fn layer(&self, canonical: &P) -> u32;
    fn lowest_layer_after(&self, canonical: &P) -> u32;
    fn canonical(&self, position: &P) -> P;
    fn banked(&self, position: &P) -> i32;
    fn is_legal(&self, position: &P, mv: M) -> bool;
    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed;

    fn format_position(&self, position: &P) -> String;
    fn parse_position(&self, text: &str) -> Result<P, NotationError>;
    fn format_move(&self, mv: M) -> String;
    fn parse_move(&self, text: &str) -> Result<M, NotationError>;
    fn board(&self, position: &P) -> String;
    fn is_whole(&self, position: &P) -> bool;

    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>>;
    fn ranking(&self) -> Option<Arc<dyn Ranking<P>>>;
    fn sweep(&self) -> Option<Box<dyn Sweep>>;
    fn searcher(&self, setup: &SearchSetup) -> Search;
    fn witness(&self, setup: &SearchSetup) -> Option<Search>;
    fn witness_endgame(&self, questions: u64, memory: u64) -> Option<Erased>;

    fn predecessors(&self, canonical: &P, into: &mut Vec<(P, M)>) -> bool;
    fn positions_a_class(&self, layer: u32) -> Option<u64>;
    fn topics_of_move(&self, position: &P, mv: M) -> u32;
    fn play_unaware(&self, position: &P, mv: M, topic: usize) -> Option<P>;
    fn is_right_if_misread(&self, position: &P, answer: &str, misreading: usize) -> bool;

    fn write_row(&self, position: &P, row: &mut [u8]);
    fn read_row(&self, row: &[u8]) -> Result<P, String>;
    fn all_moves(&self) -> Vec<M>;
    fn move_column(&self, mv: M) -> Option<usize>;

    #[cfg(feature = "cli")]
    fn picture(&self, position: &P) -> Option<Picture>;
    #[cfg(feature = "cli")]
    fn places_of_move(&self, position: &P, mv: M) -> Option<Vec<String>>;
    #[cfg(feature = "cli")]
    fn side_name(&self, side: Side) -> Option<&'static str>;
}

/// A game of any type.
#[derive(Clone)]
pub struct Erased(pub(super) Arc<Inner>);

/// The game, and what it says of itself.
pub(super) struct Inner {
    pub(super) game: Box<dyn Untyped>,
    pub(super) rules_type: TypeId,
    pub(super) start: ErasedPosition,
    pub(super) scores: ScoreRange,
    pub(super) key_bits: u32,
    pub(super) roots: Roots,
    pub(super) expected_classes: Option<u64>,
    pub(super) rules: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) family: String,
    pub(super) move_noun: &'static str,
    pub(super) banked_name: Option<&'static str>,
    pub(super) layer_name: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rule_topics: &'static [&'static str],
    pub(super) misreadings: &'static [&'static str],
}

impl Debug for Erased {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Erased").field(&self.0.rules).finish()
    }
}

impl Game for Erased {
    type Position = ErasedPosition;
    type Move = ErasedMove;

    fn start(&self) -> P {
        self.0.start.clone()
    }

    fn side_to_move(&self, position: &P) -> Side {
        self.0.game.side_to_move(position)
    }

    fn moves(&self, position: &P, moves: &mut Vec<M>) {
        self.0.game.moves(position, moves);
    }

    fn play(&self, position: &P, mv: M) -> P {
        self.0.game.play(position, mv)
    }

    fn final_score(&self, position: &P) -> Option<i32> {
        self.0.game.final_score(position)
    }

    fn score_range(&self) -> ScoreRange {
        self.0.scores
    }

    fn key(&self, canonical: &P) -> u128 {
        self.0.game.key(canonical)
    }

    fn key_bits(&self) -> u32 {
        self.0.key_bits
    }

    fn position_of_key(&self, key: u128) -> Option<P> {
        self.0.game.position_of_key(key)
    }

    fn layer(&self, canonical: &P) -> u32 {
        self.0.game.layer(canonical)
    }

    fn lowest_layer_after(&self, canonical: &P) -> u32 {
        self.0.game.lowest_layer_after(canonical)
    }

    fn canonical(&self, position: &P) -> P {
        self.0.game.canonical(position)
    }

    fn banked(&self, position: &P) -> i32 {
        self.0.game.banked(position)
    }

    fn is_legal(&self, position: &P, mv: M) -> bool {
        self.0.game.is_legal(position, mv)
    }

    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed {
        self.0.game.follow(position, mv, class)
    }
}

impl Notation for Erased {
    fn rules(&self) -> String {
        self.0.rules.clone()
    }

    fn rules_type(&self) -> TypeId {
        self.0.rules_type
    }

    fn name(&self) -> String {
        self.0.name.clone()
    }

    fn title(&self) -> String {
        self.0.title.clone()
    }

    fn capabilities(&self) -> Capabilities<'_, Self> {
        Capabilities {
            solving: self,
            searching: self,
            checking: self,
            arrays: self,
            #[cfg(feature = "cli")]
            drawing: self,
            ..Capabilities::default()
        }
    }

    fn format_position(&self, position: &P) -> String {
        self.0.game.format_position(position)
    }

    fn parse_position(&self, text: &str) -> Result<P, NotationError> {
        self.0.game.parse_position(text)
    }

    fn format_move(&self, mv: M) -> String {
        self.0.game.format_move(mv)
    }

    fn parse_move(&self, text: &str) -> Result<ErasedMove, NotationError> {
        self.0.game.parse_move(text)
    }

    fn move_noun(&self) -> &'static str {
        self.0.move_noun
    }

    fn banked_name(&self) -> Option<&'static str> {
        self.0.banked_name
    }

    fn layer_name(&self) -> &'static str {
        self.0.layer_name
    }

    fn board(&self, position: &P) -> String {
        self.0.game.board(position)
    }

    fn is_whole(&self, position: &P) -> bool {
        self.0.game.is_whole(position)
    }

    fn family(&self) -> String {
        self.0.family.clone()
    }
}

impl Solving<Erased> for Erased {
    fn roots(&self) -> Roots {
        self.0.roots
    }

    fn expected_classes(&self) -> Option<u64> {
        self.0.expected_classes
    }

    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        self.0.game.keyed()
    }

    fn ranking(&self) -> Option<Arc<dyn Ranking<P>>> {
        self.0.game.ranking()
    }

    fn sweep(&self) -> Option<Box<dyn Sweep>> {
        self.0.game.sweep()
    }
}

impl Searching<Erased> for Erased {
    fn searcher(&self, setup: &SearchSetup) -> Option<Search> {
        Some(self.0.game.searcher(setup))
    }

    fn witness(&self, setup: &SearchSetup) -> Option<Search> {
        self.0.game.witness(setup)
    }

    fn witness_endgame(&self, questions: u64, memory: u64) -> Option<Erased> {
        self.0.game.witness_endgame(questions, memory)
    }
}

impl Checking<Erased> for Erased {
    fn predecessors(&self, canonical: &P, into: &mut Vec<(P, M)>) -> bool {
        self.0.game.predecessors(canonical, into)
    }

    fn positions_a_class(&self, layer: u32) -> Option<u64> {
        self.0.game.positions_a_class(layer)
    }

    fn rule_topics(&self) -> &'static [&'static str] {
        self.0.rule_topics
    }

    fn topics_of_move(&self, position: &P, mv: M) -> u32 {
        self.0.game.topics_of_move(position, mv)
    }

    fn play_unaware(&self, position: &P, mv: M, topic: usize) -> Option<P> {
        self.0.game.play_unaware(position, mv, topic)
    }

    fn misreadings(&self) -> &'static [&'static str] {
        self.0.misreadings
    }

    fn is_right_if_misread(&self, position: &P, answer: &str, misreading: usize) -> bool {
        self.0
            .game
            .is_right_if_misread(position, answer, misreading)
    }
}

impl Arrays<Erased> for Erased {
    fn columns(&self) -> Vec<String> {
        self.0.columns.clone()
    }

    fn write_row(&self, position: &P, row: &mut [u8]) {
        self.0.game.write_row(position, row);
    }

    fn read_row(&self, row: &[u8]) -> Result<P, String> {
        self.0.game.read_row(row)
    }

    fn all_moves(&self) -> Vec<M> {
        self.0.game.all_moves()
    }

    fn move_column(&self, mv: M) -> Option<usize> {
        self.0.game.move_column(mv)
    }
}

#[cfg(feature = "cli")]
impl Drawing<Erased> for Erased {
    fn picture(&self, position: &P) -> Option<Picture> {
        self.0.game.picture(position)
    }

    fn places_of_move(&self, position: &P, mv: M) -> Option<Vec<String>> {
        self.0.game.places_of_move(position, mv)
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        self.0.game.side_name(side)
    }
}
