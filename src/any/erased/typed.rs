//! The game that has a type.

use super::game::{Erased, Inner, Untyped};
use super::values::{ErasedMove, ErasedPosition};
use crate::game::{
    Arrays, Bounds, Capabilities, Checking, Followed, Game, KeyedRules, Notation, NotationError,
    Progress, Ranking, Roots, SearchError, SearchSetup, Searcher, Searching, Segment, Side, Slot,
    Solving, Sweep,
};
#[cfg(feature = "cli")]
use crate::game::{Drawing, Picture};
use crate::search;
use crate::solve::keyed::RulesOf;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

type P = ErasedPosition;
type M = ErasedMove;
type Search = Result<Box<dyn Searcher<Erased>>, SearchError>;

impl Erased {
    /// The game without its type.
    pub fn new<G: Notation>(game: G) -> Erased {
        Erased(Arc::new(Inner {
            rules_type: game.rules_type(),
            start: P::new(game.start()),
            scores: game.score_range(),
            key_bits: game.key_bits(),
            rules: game.rules(),
            name: game.name(),
            title: game.title(),
            family: game.family(),
            move_noun: game.move_noun(),
            banked_name: game.banked_name(),
            layer_name: game.layer_name(),
            game: Box::new(Typed(game)),
        }))
    }
}

/// A game whose type is known.
struct Typed<G>(G);

impl<G: Notation> Untyped for Typed<G> {
    fn side_to_move(&self, position: &P) -> Side {
        self.0.side_to_move(position.get())
    }

    fn moves(&self, position: &P, moves: &mut Vec<M>) {
        let legal = self.0.legal_moves(position.get());
        moves.clear();
        moves.extend(legal.into_iter().map(M::new));
    }

    fn play(&self, position: &P, mv: M) -> P {
        P::new(self.0.play(position.get(), mv.get()))
    }

    fn final_score(&self, position: &P) -> Option<i32> {
        self.0.final_score(position.get())
    }

    fn key(&self, canonical: &P) -> u128 {
        self.0.key(canonical.get())
    }

    fn position_of_key(&self, key: u128) -> Option<P> {
        self.0.position_of_key(key).map(P::new)
    }

    fn layer(&self, canonical: &P) -> u32 {
        self.0.layer(canonical.get())
    }

    fn lowest_layer_after(&self, canonical: &P) -> u32 {
        self.0.lowest_layer_after(canonical.get())
    }

    fn canonical(&self, position: &P) -> P {
        P::new(self.0.canonical(position.get()))
    }

    fn banked(&self, position: &P) -> i32 {
        self.0.banked(position.get())
    }

    fn is_legal(&self, position: &P, mv: M) -> bool {
        self.0.is_legal(position.get(), mv.get())
    }

    fn follow(&self, position: &P, mv: M, class: &mut P) -> Followed {
        self.0.follow(position.get(), mv.get(), class.get_mut())
    }

    fn format_position(&self, position: &P) -> String {
        self.0.format_position(position.get())
    }

    fn parse_position(&self, text: &str) -> Result<P, NotationError> {
        self.0.parse_position(text).map(P::new)
    }

    fn format_move(&self, mv: M) -> String {
        self.0.format_move(mv.get())
    }

    fn parse_move(&self, text: &str) -> Result<M, NotationError> {
        self.0.parse_move(text).map(M::new)
    }

    fn board(&self, position: &P) -> String {
        self.0.board(position.get())
    }

    fn is_whole(&self, position: &P) -> bool {
        self.0.is_whole(position.get())
    }

    fn capabilities(&self) -> Capabilities<'_, Erased> {
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
}

impl<G: Notation> Solving<Erased> for Typed<G> {
    fn roots(&self) -> Roots {
        self.0.capabilities().solving.roots()
    }

    fn expected_classes(&self) -> Option<u64> {
        self.0.capabilities().solving.expected_classes()
    }

    fn keyed(&self) -> Option<Box<dyn KeyedRules + '_>> {
        Some(Box::new(RulesOf::new(&self.0).ok()?))
    }

    fn ranking(&self) -> Option<Arc<dyn Ranking<P>>> {
        let own = self.0.capabilities().solving.ranking()?;
        Some(Arc::new(ErasedRanking(own)))
    }

    fn sweep(&self) -> Option<Box<dyn Sweep>> {
        self.0.capabilities().solving.sweep()
    }
}

impl<G: Notation> Searching<Erased> for Typed<G> {
    fn searcher(&self, setup: &SearchSetup) -> Option<Search> {
        Some(search::searcher(&self.0, setup).map(erased))
    }

    fn witness(&self, setup: &SearchSetup) -> Option<Search> {
        let own = self.0.capabilities().searching.witness(setup)?;
        Some(own.map(erased))
    }

    fn witness_endgame(&self, questions: u64, memory: u64) -> Option<Erased> {
        let searching = self.0.capabilities().searching;
        searching
            .witness_endgame(questions, memory)
            .map(Erased::new)
    }
}

impl<G: Notation> Checking<Erased> for Typed<G> {
    fn positions_a_class(&self, layer: u32) -> Option<u64> {
        self.0.capabilities().checking.positions_a_class(layer)
    }

    fn rule_topics(&self) -> &'static [&'static str] {
        self.0.capabilities().checking.rule_topics()
    }

    fn play_unaware(&self, position: &P, mv: M, topic: usize) -> Option<P> {
        let checking = self.0.capabilities().checking;
        let after = checking.play_unaware(position.get(), mv.get(), topic);
        after.map(P::new)
    }

    fn misreadings(&self) -> &'static [&'static str] {
        self.0.capabilities().checking.misreadings()
    }

    fn is_right_if_misread(&self, position: &P, answer: &str, misreading: usize) -> bool {
        let checking = self.0.capabilities().checking;
        checking.is_right_if_misread(position.get(), answer, misreading)
    }
}

impl<G: Notation> Arrays<Erased> for Typed<G> {
    fn columns(&self) -> Vec<String> {
        self.0.capabilities().arrays.columns()
    }

    fn write_row(&self, position: &P, row: &mut [u8]) {
        self.0.capabilities().arrays.write_row(position.get(), row);
    }

    fn read_row(&self, row: &[u8]) -> Result<P, String> {
        self.0.capabilities().arrays.read_row(row).map(P::new)
    }

    fn all_moves(&self) -> Vec<M> {
        let own = self.0.capabilities().arrays.all_moves();
        own.into_iter().map(M::new).collect()
    }

    fn move_column(&self, mv: M) -> Option<usize> {
        self.0.capabilities().arrays.move_column(mv.get())
    }
}

#[cfg(feature = "cli")]
impl<G: Notation> Drawing<Erased> for Typed<G> {
    fn picture(&self, position: &P) -> Option<Picture> {
        self.0.capabilities().drawing.picture(position.get())
    }

    fn places_of_move(&self, position: &P, mv: M) -> Option<Vec<String>> {
        let drawing = self.0.capabilities().drawing;
        drawing.places_of_move(position.get(), mv.get())
    }

    fn side_name(&self, side: Side) -> Option<&'static str> {
        self.0.capabilities().drawing.side_name(side)
    }
}

fn erased<G: Notation>(own: Box<dyn Searcher<G>>) -> Box<dyn Searcher<Erased>> {
    Box::new(ErasedSearcher(own))
}

struct ErasedRanking<Q>(Arc<dyn Ranking<Q>>);

impl<Q> Ranking<P> for ErasedRanking<Q>
where
    Q: Clone + Eq + Hash + Debug + Send + Sync + 'static,
{
    fn segments(&self) -> &[Segment] {
        self.0.segments()
    }

    fn slot(&self, canonical: &P) -> Option<Slot> {
        self.0.slot(canonical.get())
    }

    fn position(&self, slot: Slot) -> P {
        P::new(self.0.position(slot))
    }
}

/// A search of the game's own type.
struct ErasedSearcher<G: Game>(Box<dyn Searcher<G>>);

impl<G: Game> ErasedSearcher<G> {
    fn own(positions: &[P]) -> Vec<G::Position> {
        let own = positions
            .iter()
            .map(|position| position.get::<G::Position>());
        own.cloned().collect()
    }
}

impl<G: Game> Searcher<Erased> for ErasedSearcher<G> {
    fn prepare(&self, positions: &[P], progress: &dyn Progress) -> Result<(), SearchError> {
        self.0.prepare(&Self::own(positions), progress)
    }

    fn make_ready(&self, positions: &[P], progress: &dyn Progress) -> Result<(), SearchError> {
        self.0.make_ready(&Self::own(positions), progress)
    }

    fn bounds(&self, position: &P) -> Bounds {
        self.0.bounds(position.get())
    }

    fn bound(
        &self,
        position: &P,
        wanted: i32,
        progress: &dyn Progress,
    ) -> Result<Option<i32>, SearchError> {
        self.0.bound(position.get(), wanted, progress)
    }

    fn score(
        &self,
        position: &P,
        guess: i32,
        progress: &dyn Progress,
        each: &mut dyn FnMut(Bounds),
    ) -> Result<Bounds, SearchError> {
        self.0.score(position.get(), guess, progress, each)
    }

    fn likely_best(&self, position: &P) -> Option<M> {
        self.0.likely_best(position.get()).map(M::new)
    }

    fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    fn depth(&self) -> Option<u32> {
        self.0.depth()
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}
