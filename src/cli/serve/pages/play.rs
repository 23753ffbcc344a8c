//! Games against the program, of two people at one board, and of the program against itself.
//!
//! The address of a page contains the whole game, so that it can be taken back, saved and shared.

use super::frame::{page as framed, problem_notice};
use super::parts::{self, Links};
use super::review::{Around, Review};
use super::scene::{PATIENCE, Scene};
use super::words::Players;
use crate::any::View;
use crate::check::builtin::{Builtin, LEVELS};
use crate::cli::serve::address::{GameLine, address};
use crate::cli::serve::blocking::blocking;
use crate::cli::serve::class::Participant;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::Side;
use crate::oracle::Wanted;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// Maximum number of moves that the program makes in a row before the page is shown.
const MOST_REPLIES: usize = 100;
/// The level that the page for a new game offers first.
const FIRST_OFFER: usize = 4;

/// The settings of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Setup {
    /// The sides that people play. The program plays the others.
    people: &'static [Side],
    /// The program's strength, one of [`LEVELS`], counted from 1.
    level: usize,
    /// Seed of the program's random choices.
    seed: u64,
}

impl Setup {
    /// Returns the settings in an address, or `None` if the game has not been set up yet.
    fn of(params: &Params) -> Result<Option<Setup>, Problem> {
        let people: &[Side] = match params.get("as") {
            None => return Ok(None),
            Some("first") => &[Side::First],
            Some("second") => &[Side::Second],
            Some("both") => &[Side::First, Side::Second],
            Some("none") => &[],
            Some(other) => {
                return Err(Problem::bad_request(format!(
                    "\"as={other}\": write as=first, as=second, as=both or as=none"
                )));
            }
        };
        Ok(Some(Setup {
            people,
            level: params
                .number("level", LEVELS.len() as u64, LEVELS.len() as u64)?
                .max(1) as usize,
            seed: params.number("seed", 1, u64::MAX)?,
        }))
    }

    /// Returns the side of the person who plays against the program.
    fn person(&self) -> Option<Side> {
        match self.people {
            [person] => Some(*person),
            _ => None,
        }
    }
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let setup = Setup::of(&visit.params)?;
    let line = GameLine::of("play", &visit.entry.id, &visit.params)?;
    let (scene, problem) = Scene::of_legal_part(visit, line).await?;
    let scene = scene.in_play();
    let Some(setup) = setup else {
        let page = begin(&scene, problem.as_ref());
        return Ok(shown(&scene, problem, None, &page));
    };
    if problem.is_none()
        && let Some(line) = reply(&scene, &setup).await?
        && line != scene.line
    {
        return Ok(Redirect::to(&line.here()).into_response());
    }
    game(scene, setup, problem).await
}

/// Returns the page, with the status of the problem that it tells, if there is one.
fn shown(scene: &Scene, problem: Option<Problem>, again: Option<u64>, page: &Markup) -> Response {
    let title = format!("Play {}", scene.oracle().title());
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    (status, framed(&scene.visit, "play", &title, again, page)).into_response()
}

/// Returns the page of a game. After a problem, it waits for the person to go on.
async fn game(
    mut scene: Scene,
    setup: Setup,
    problem: Option<Problem>,
) -> Result<Response, Problem> {
    let is_on_turn = scene.view.result.is_none() && !setup.people.contains(&scene.view.to_move);
    let is_programs = problem.is_none() && is_on_turn && scene.line.is_at_end();
    let next = match is_programs && setup.people.is_empty() {
        true => choose(&scene.visit, &setup, &scene.view).await?,
        false => None,
    };
    if let Some(person) = setup.person() {
        scene.players = Players::person(person);
    }
    // Unless somebody asks for them, there are no scores before the end.
    scene.shows_scores &= scene.end.result.is_some() || scene.visit.params.get("hide").is_some();
    if scene.visit.params.get("flip").is_none() {
        scene.is_turned = setup.person() == Some(Side::Second);
    }
    scene.find_scores().await?;
    let mut review = Review::of(&scene).await;
    let is_thinking = is_programs && next.is_none();
    review.is_searching |= is_thinking;
    blocking(move || {
        let is_persons = scene.view.result.is_none() && !is_on_turn;
        let turn = turn(&scene, &setup);
        let next = next.map(|mv| scene.line.then(&mv).here());
        let around = Around {
            links: if is_persons {
                scene.links()
            } else {
                Links::default()
            },
            before: scene.boards_before(),
            ways: ways(&scene, &setup),
            verdict: html! {
                @match &problem {
                    None => (status(&scene, is_thinking, next)),
                    Some(problem) => {
                        (problem_notice(problem))
                        p { a class="button strong" href=(scene.line.here()) { "Go on from here" } }
                    },
                }
            },
            more: html! {
                @if setup.people.len() < 2 {
                    p class="soft" { "The program plays at level " (setup.level) ", " (LEVELS[setup.level - 1].name) "." }
                }
            },
            turn: &turn,
        };
        let (contents, again) = (review.page(&scene, &around), review.again(&scene));
        Ok(shown(&scene, problem, again, &contents))
    })
    .await
}

/// Makes the program's moves against a person and returns the line with them.
///
/// It stops on a person's turn, at the end of the game, or at a move that takes long. `None` if
/// the program is still searching for its first move.
async fn reply(scene: &Scene, setup: &Setup) -> Result<Option<GameLine>, Problem> {
    let (visit, line) = (&scene.visit, &scene.line);
    let mut now = line.clone();
    for _ in 0..MOST_REPLIES {
        if setup.people.is_empty() || !now.is_at_end() {
            break;
        }
        let view = visit.view(now.from.as_deref(), &now.played).await?;
        if view.result.is_some() || view.repeats() || setup.people.contains(&view.to_move) {
            break;
        }
        match choose(visit, setup, &view).await? {
            Some(mv) => now = now.then(&mv),
            None if now == *line => return Ok(None),
            None => break,
        }
    }
    Ok(Some(now))
}

/// Returns the program's move, or `None` if it needs more time.
async fn choose(visit: &Visit, setup: &Setup, view: &View) -> Result<Option<String>, Problem> {
    let position = view.position.clone();
    if visit.entry.is_searched() && setup.level == LEVELS.len() {
        let wanted = Wanted::default();
        // The program may use scores that are locked.
        let unlocked = Visit {
            who: Participant::default(),
            ..visit.clone()
        };
        let found = unlocked.find(Some(&position), wanted, PATIENCE).await?;
        let best = found.whole().map(|answer| answer.best_move.clone());
        return best
            .map(|best| best.ok_or_else(Problem::internal))
            .transpose();
    }
    let oracle = Arc::clone(&visit.source.oracle);
    let ai = Builtin::of_level(setup.level, setup.seed);
    blocking(move || Ok(Some(oracle.choose(ai, &position)?))).await
}

/// Returns the page on which a game is set up.
fn begin(scene: &Scene, problem: Option<&Problem>) -> Markup {
    let (line, view) = (&scene.line, &scene.view);
    // A new seed for each game, which doesn't have to be unpredictable.
    let seed = RandomState::new().build_hasher().finish() % 1_000_000;
    let plays = |side| format!("{}, who moves {side}", scene.players.name(side));
    let choices = [
        ("first", plays(Side::First)),
        ("second", plays(Side::Second)),
        ("both", "both sides: two people at one board".to_owned()),
        ("none", "neither side: watch the program".to_owned()),
    ];
    html! {
        div class="look" {
            section class="stage" aria-label="Board" {
                (parts::turn(view))
                (parts::board(view, &Links::default()))
            }
            section class="facts" {
                h1 { "Play against the program" }
                @if let Some(problem) = problem { (problem_notice(problem)) }
                form class="setup" action=(address("play", &line.game, &[])) {
                    @if let Some(from) = &line.from { input type="hidden" name="position" value=(from); }
                    @if !line.played.is_empty() { input type="hidden" name="played" value=(line.as_value()); }
                    input type="hidden" name="seed" value=(seed);
                    fieldset {
                        legend { "You play" }
                        @for (number, (value, words)) in choices.iter().enumerate() {
                            label {
                                input type="radio" name="as" value=(value) checked[number == 0];
                                " " (words)
                            }
                        }
                    }
                    label for="against" { "Against" }
                    select id="against" name="level" {
                        @for (number, level) in (1..).zip(LEVELS) {
                            option value=(number) selected[number == FIRST_OFFER] { "level " (number) ", " (level.name) }
                        }
                    }
                    p { button class="strong" { "Begin" } }
                }
            }
        }
    }
}

/// Returns the side to move, or the result, in words.
fn turn(scene: &Scene, setup: &Setup) -> String {
    let view = &scene.view;
    match (view.result, setup.person()) {
        (None, Some(person)) if person == view.to_move => "It is your turn".to_owned(),
        (None, Some(_)) => "It is the program's turn".to_owned(),
        (Some(result), Some(person)) if result != 0 => {
            let is_won = person.seen(result) > 0;
            let has = if is_won {
                "You have won"
            } else {
                "You have lost"
            };
            match view.counts_plies || view.pieces.is_some() {
                true => has.to_owned(),
                false => format!("{has} by {}", result.abs()),
            }
        }
        _ => view.status.clone(),
    }
}

/// Returns advice on what to do now; `next` is the address after the next move if the program plays
/// both sides.
fn status(scene: &Scene, is_thinking: bool, next: Option<String>) -> Markup {
    html! {
        @if scene.view.result.is_some() {
            p { a class="button strong" href=(scene.line.at(0).explore()) { "Look at the game again" } }
        } @else if is_thinking {
            p class="verdict thinking" { "The program is thinking\u{2026}" }
            p class="soft" { "This page updates itself." }
        } @else if let Some(next) = next {
            p class="verdict" { "The program plays both sides." }
            p { a class="button strong" rel="next" data-watch href=(next) { "Next move \u{2192}" } }
        }
    }
}

/// Returns links to the person's last move, a new game, and all scores.
fn ways(scene: &Scene, setup: &Setup) -> Markup {
    let mut played = scene.view.played.iter();
    let last = played.rposition(|played| setup.people.contains(&played.side));
    let new = GameLine::new(&scene.line.game, scene.line.from.clone());
    let explored = scene.line.with("flip", scene.is_turned.then_some("1"));
    html! {
        @if let Some(last) = last {
            a class="button" data-step="undo" href=(scene.line.up_to(last).here()) { "Take back" }
        }
        a class="button" href=(new.to("play", &[])) { "New game" }
        a class="button" href=(explored.explore()) { "Explore this position" }
    }
}
