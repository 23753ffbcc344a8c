//! The home page, with all games that can be explored.

use super::frame::{entry_address, framed, problem_notice};
use super::parts;
use super::words::Players;
use crate::any::{AnyGame, FAMILIES, View, game_named};
use crate::cli::args::game::example_game;
use crate::cli::serve::address::address;
use crate::cli::serve::class::Participant;
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::host::blocking;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::registry::{Entry, Registry, usual_id};
use crate::game::{Parameter, ParameterKind, Side};
use crate::oracle::{AskError, Wanted};
use crate::text::capitalised;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::sync::Arc;

pub async fn page(
    Extension(who): Extension<Participant>,
    State(explorer): State<Arc<Explorer>>,
) -> Result<Html<String>, Problem> {
    blocking(move || Ok(home(&explorer, &who, &Params::default(), None))).await
}

/// Families of games that many people know, in the order of their cards.
const FAMILIAR: &str = "tictactoe connect4 kalah reversi4 reversi24 dots-and-boxes morris3";

/// A board on the home page.
struct Board {
    family: String,
    id: String,
    /// Its title, in which the game's name comes first.
    title: String,
    address: String,
    start: Option<View>,
    /// The result under best play, or why it can't be known; empty if it isn't known yet.
    verdict: String,
}

impl Board {
    /// Returns the name of the game, and that of the board, which may be empty.
    fn names(&self) -> (&str, &str) {
        let is_own = !FAMILIES.iter().any(|family| family.name() == self.family);
        let ends = [" with ", " on ", ", "].into_iter();
        let ends = ends.filter_map(|end| Some((self.title.find(end)?, end.len())));
        let Some((end, len)) = ends.min().filter(|_| !is_own) else {
            return (&self.title, "");
        };
        (&self.title[..end], &self.title[end + len..])
    }
}

/// Returns the page, with what was typed into a form and its problem if there is one.
fn home(
    explorer: &Explorer,
    who: &Participant,
    typed: &Params,
    problem: Option<&Problem>,
) -> Html<String> {
    let registry = &explorer.registry;
    let mut boards: Vec<Board> = Vec::new();
    for entry in &registry.entries {
        boards.push(board(explorer, who, entry).unwrap_or_else(|problem| Board {
            family: entry.game.family(),
            id: entry.id.clone(),
            title: entry.game.name(),
            address: address("explore", &entry.id, &[]),
            start: None,
            verdict: problem + ".",
        }));
    }
    for &family in registry.offered() {
        let is_shown = boards.iter().any(|board| board.family == family.name());
        boards.extend(example_game(family).filter(|_| !is_shown).map(unopened));
    }
    let rank = |board: &Board| FAMILIAR.split(' ').position(|name| name == board.family);
    // The usual board has the name of its game.
    let is_other = |board: &Board| board.id != board.family;
    boards.sort_by_key(|board| (rank(board).unwrap_or(usize::MAX), is_other(board)));
    let mut cards: Vec<Vec<Board>> = Vec::new();
    for board in boards {
        let same = |card: &&mut Vec<Board>| card[0].names().0 == board.names().0;
        match cards.iter_mut().find(same) {
            Some(card) => card.push(board),
            None => cards.push(vec![board]),
        }
    }
    let contents = html! {
        (who.bar())
        (who.welcome())
        section class="hero" {
            h1 { "The exact score of every move" }
            p { "Choose a game and click through it: each move shows its result under best play." }
        }
        @if let Some(problem) = problem { (problem_notice(problem)) }
        ul class="games families" { @for boards in &cards { li class="card" { (card(boards)) } } }
        (forms(registry, typed))
    };
    framed("Games", None, None, &contents)
}

/// Returns a board that is open.
fn board(explorer: &Explorer, who: &Participant, entry: &Arc<Entry>) -> Result<Board, String> {
    let source = entry.without_search()?;
    let oracle = &source.oracle;
    let (mut answer, mut verdict) = (None, "");
    match &source.table {
        None => answer = explorer.jobs.known(&entry.id, oracle.start()),
        Some(table) => match table.ask(None, Wanted::default(), None) {
            Ok(start) => answer = Some(start),
            Err(AskError::NoStart { .. }) => verdict = "an endgame, with no start of its own",
            Err(error) => return Err(error.to_string()),
        },
    }
    if !who.sees_scores() {
        (answer, verdict) = (None, "scores are locked");
    }
    let known = answer.and_then(|answer| {
        let score = answer.first_player_bounds().score()?;
        let score = answer.in_words_of(Side::First, score);
        Some(Players::of(oracle).who_wins(score))
    });
    Ok(Board {
        family: entry.game.family(),
        id: entry.id.clone(),
        title: oracle.title(),
        address: entry_address(entry, &source, "explore"),
        start: oracle.view(Some(&oracle.start()), &[]).ok(),
        verdict: known.unwrap_or_else(|| verdict.to_owned()),
    })
}

/// Returns a board that its address opens.
fn unopened(game: Box<dyn AnyGame>) -> Board {
    let (oracle, id) = (game.without_scores(), usual_id(&*game));
    Board {
        family: game.family(),
        id: id.to_owned(),
        title: oracle.title(),
        address: address("explore", id, &[]),
        start: oracle.view(None, &[]).ok(),
        verdict: String::new(),
    }
}

/// Returns the card of a game, with its boards.
fn card(boards: &[Board]) -> Markup {
    let (first, (name, board)) = (&boards[0], boards[0].names());
    // Several tables of a board have the names of their files.
    let label = |board: &Board| {
        let same = boards.iter().filter(|other| other.title == board.title);
        match board.names() {
            (_, name) if !name.is_empty() && same.count() == 1 => name.to_owned(),
            _ => board.id.clone(),
        }
    };
    html! {
        a class="thumb" href=(first.address) tabindex="-1" aria-hidden="true" {
            @if let Some(start) = &first.start { (parts::still(start)) }
        }
        div {
            h2 { a href=(first.address) { (name) } }
            @match (board, &*first.verdict) {
                ("", "") => {},
                (board, "") => { p { (capitalised(board)) } },
                ("", verdict) => { p { (capitalised(verdict)) } },
                (board, verdict) => { p { (capitalised(board)) ": " (verdict) } },
            }
            @if boards.len() > 1 {
                ul class="others" { @for board in &boards[1..] { li { a href=(board.address) { (label(board)) } } } }
            }
        }
    }
}

/// Returns forms for other boards of the library's games.
fn forms(registry: &Registry, typed: &Params) -> Markup {
    let families = registry.offered().iter();
    let families = families.filter(|family| !family.parameters().is_empty());
    let with_boards: Vec<_> = families.collect();
    let mut names = with_boards.iter().map(|family| family.name());
    let is_open = names.any(|name| typed.get("game") == Some(name));
    html! {
        details open[is_open] {
            summary { "Other boards" }
            @for family in &with_boards {
                @let typed = (typed.get("game") == Some(family.name())).then_some(typed);
                details open[typed.is_some()] {
                    summary { (family.about()) }
                    form action="/boards" {
                        input type="hidden" name="game" value=(family.name());
                        @for parameter in offered(family.parameters()) { (field(family.name(), parameter, typed)) }
                        p { button { "Explore" } }
                    }
                }
            }
        }
    }
}

/// Returns the parameters that a form offers: of each group, of which only one may be given, the
/// first.
fn offered(all: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    let numbered = all.iter().enumerate();
    let offered = numbered.filter(|(number, parameter)| {
        let mut before = all[..*number].iter();
        parameter.group.is_none() || !before.any(|other| other.group == parameter.group)
    });
    offered.map(|(_, parameter)| parameter)
}

/// Returns a parameter of a board, with the value that was typed.
fn field(family: &str, parameter: &Parameter, typed: Option<&Params>) -> Markup {
    let Parameter {
        name, help, kind, ..
    } = parameter;
    let id = format!("{family}-{name}");
    let typed = typed.and_then(|typed| typed.get(name));
    html! {
        p {
            label for=(id) { (help) } " "
            @match kind {
                ParameterKind::Number { default, .. } => {
                    input id=(id) name=(name) inputmode="numeric" value=(typed.unwrap_or(&default.to_string()));
                },
                ParameterKind::Choice { values } => {
                    select id=(id) name=(name) { @for (value, meaning) in *values { option value=(value) selected[typed == Some(value)] { (meaning) } } }
                },
                ParameterKind::Flag => { input id=(id) name=(name) type="checkbox" value="yes" checked[typed.is_some()]; },
            }
        }
    }
}

/// Opens a board, and leads to it.
pub async fn open(
    Extension(who): Extension<Participant>,
    State(explorer): State<Arc<Explorer>>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref())?;
    blocking(move || {
        let family = params.filled("game").unwrap_or_default();
        let game = game_named(family, &params.others("game"), FAMILIES);
        let game = game.map_err(|error| error.to_string());
        let opened = game.and_then(|game| explorer.registry.open(game));
        let opened = opened.and_then(|entry| Ok((entry.source()?, entry)));
        Ok(match opened {
            Ok((source, entry)) => {
                Redirect::to(&entry_address(&entry, &source, "explore")).into_response()
            }
            Err(error) => {
                // A form has no options.
                let problem = Problem::bad_request(error.replace("--", ""));
                let page = home(&explorer, &who, &params, Some(&problem));
                (problem.status, page).into_response()
            }
        })
    })
    .await
}
