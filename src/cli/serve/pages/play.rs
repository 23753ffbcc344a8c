//! Games against the program, of two people at one board, and of the program against itself.
//!
//! The address of a page contains the whole game, so that it can be taken back, saved and shared.

use super::frame::{page as framed, problem_notice};
use super::opponents::{Opponent, options, stderr};
use super::parts::{self, Links};
use super::review::{Around, Review};
use super::scene::{PATIENCE, Scene};
use super::words::{self, Players};
use crate::any::View;
use crate::check::builtin::{Builtin, LEVELS};
use crate::cli::serve::address::{GameLine, address};
use crate::cli::serve::ais::{Ais, Turn};
use crate::cli::serve::class::Participant;
use crate::cli::serve::host::blocking;
use crate::cli::serve::http::Params;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::visit::Visit;
use crate::game::Side;
use crate::oracle::Wanted;
use crate::text::{capitalised, counted};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use std::hash::{BuildHasher, Hasher, RandomState};

/// Maximum number of moves that the program makes in a row before the page is shown.
const MOST_REPLIES: usize = 100;

/// The settings of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Setup {
    /// The sides that people play. Programs play the others.
    people: &'static [Side],
    /// The program that plays each side, unless a person does.
    programs: [Opponent; 2],
    /// Seed of the built-in programs' random choices. Tells games against AIs apart.
    seed: u64,
}

impl Setup {
    /// Returns the settings in an address, or `None` if the game has not been set up yet.
    fn of(params: &Params, ais: &Ais) -> Result<Option<Setup>, Problem> {
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
        let one = Opponent::of(params, "level", ais)?;
        let one = one.unwrap_or(Opponent::Level(LEVELS.len()));
        let other = Opponent::of(params, "other", ais)?;
        let other = other.filter(|_| people.is_empty());
        let other = other.unwrap_or_else(|| one.clone());
        Ok(Some(Setup {
            people,
            programs: [one, other],
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

    /// Returns the program that plays a side.
    fn program(&self, side: Side) -> &Opponent {
        &self.programs[side.index()]
    }

    /// Returns the AI whose turn it is at the end of a line, and what identifies that turn.
    fn turn<'a>(&'a self, line: &GameLine, to_move: Side) -> Option<(&'a str, String)> {
        match self.program(to_move) {
            Opponent::Ai(name) if !self.people.contains(&to_move) => {
                let game = (&line.game, &line.from, &line.played, self.seed);
                Some((name, format!("{:?}", (name, game))))
            }
            _ => None,
        }
    }
}

pub async fn page(visit: Visit) -> Result<Response, Problem> {
    let setup = Setup::of(&visit.params, &visit.explorer.ais)?;
    let line = GameLine::of("play", &visit.entry.id, &visit.params)?;
    let (scene, mut problem) = Scene::of_legal_part(visit, line).await?;
    let scene = scene.in_play();
    let Some(setup) = setup else {
        let page = begin(&scene, problem.as_ref());
        return Ok(shown(&scene, problem, None, &page));
    };
    if problem.is_none() {
        match reply(&scene, &setup).await {
            Ok(Some(line)) if line != scene.line => {
                return Ok(Redirect::to(&line.here()).into_response());
            }
            Ok(_) => {}
            Err(failed) => problem = Some(failed),
        }
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
    mut problem: Option<Problem>,
) -> Result<Response, Problem> {
    let is_on_turn = scene.view.result.is_none() && !setup.people.contains(&scene.view.to_move);
    let is_programs = problem.is_none() && is_on_turn && scene.line.is_at_end();
    let mut next = None;
    if is_programs && setup.people.is_empty() {
        match choose(&scene.visit, &setup, &scene.line, &scene.view).await {
            Ok(mv) => next = mv,
            Err(failed) => problem = Some(failed),
        }
    }
    if let Some(person) = setup.person() {
        let program = setup.program(person.other());
        scene.players = Players::person(person, program.name());
    }
    let moves = moves_of_ais(&mut scene, &setup).await;
    // Unless somebody asks for them, there are no scores before the end.
    scene.shows_scores &= scene.end.result.is_some() || scene.visit.params.get("hide").is_some();
    if scene.visit.params.get("flip").is_none() {
        scene.is_turned = setup.person() == Some(Side::Second);
    }
    scene.find_scores().await?;
    let mut review = Review::of(&scene).await;
    let is_thinking = is_programs && problem.is_none() && next.is_none();
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
            before: scene.boards_before()?,
            ways: ways(&scene, &setup),
            verdict: html! {
                @match &problem {
                    None => (status(&scene, &setup, is_thinking, next)),
                    Some(problem) => (stopped(&scene, &setup, problem)),
                }
            },
            more: html! {
                @if setup.people.len() < 2 { p class="soft" { (opponents_in_words(&scene, &setup)) } }
                (moves)
            },
            turn: &turn,
        };
        let (contents, again) = (review.page(&scene, &around), review.again(&scene));
        Ok(shown(&scene, problem, again, &contents))
    })
    .await
}

/// Returns a problem, and a link to go on after it.
///
/// If it is the fault of an AI, that asks the AI again.
fn stopped(scene: &Scene, setup: &Setup, problem: &Problem) -> Markup {
    let failed = setup.turn(&scene.line, scene.view.to_move);
    let failed = failed.filter(|_| problem.status == StatusCode::BAD_GATEWAY);
    html! {
        (problem_notice(problem))
        @if let Some((_, turn)) = &failed { (stderr(scene, turn, "")) }
        p {
            a class="button strong" href=(scene.line.here()) {
                @if failed.is_some() { "Try again" } @else { "Go on from here" }
            }
        }
    }
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
        match choose(visit, setup, &now, &view).await {
            Ok(Some(mv)) => now = now.then(&mv),
            Ok(None) if now == *line => return Ok(None),
            Err(problem) if now == *line => return Err(problem),
            _ => break,
        }
    }
    Ok(Some(now))
}

/// Returns the program's move at the end of a line, or `None` if it needs more time.
///
/// # Errors
/// If an AI makes a fault, or the position can't be searched.
async fn choose(
    visit: &Visit,
    setup: &Setup,
    line: &GameLine,
    view: &View,
) -> Result<Option<String>, Problem> {
    let position = view.position.clone();
    let level = match setup.program(view.to_move) {
        Opponent::Level(level) => *level,
        Opponent::Ai(_) => LEVELS.len(),
    };
    if let Some((ai, key)) = setup.turn(line, view.to_move) {
        let moves = line.from.is_none().then(|| line.played.clone());
        let turn = Turn {
            key,
            game: line.game.clone(),
            oracle: visit.source.oracle.clone(),
            position,
            moves,
        };
        return visit.explorer.ais.ask(ai, turn).await;
    }
    if visit.entry.is_searched() && level == LEVELS.len() {
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
    let oracle = visit.source.oracle.clone();
    let ai = Builtin::of_level(level, setup.seed);
    blocking(move || Ok(Some(oracle.choose(ai, &position)?))).await
}

/// Returns the page on which a game is set up.
fn begin(scene: &Scene, problem: Option<&Problem>) -> Markup {
    let (line, view, ais) = (&scene.line, &scene.view, &scene.visit.explorer.ais);
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
                    select id="against" name="level" { (options(ais)) }
                    @if ais.names().next().is_some() {
                        label for="other" { "If you play neither side, against" }
                        select id="other" name="other" { (options(ais)) }
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
    let at = scene.line.at;
    match (view.result, setup.person()) {
        (None, _) if !scene.line.is_at_end() => {
            format!("Looking back: after {}", counted(at, "move"))
        }
        (None, Some(person)) if person == view.to_move => "It is your turn".to_owned(),
        (None, Some(_)) => format!("It is {}'s turn", setup.program(view.to_move).name()),
        (Some(result), Some(person)) if result != 0 => {
            let is_won = person.seen(result) > 0;
            let has = if is_won {
                "You have won"
            } else {
                "You have lost"
            };
            let words = view.in_words(person, result.abs());
            match words.points().filter(|_| words.pieces.is_none()) {
                Some(points) => format!("{has} by {}", points.value()),
                None => has.to_owned(),
            }
        }
        _ => view.status.clone(),
    }
}

/// Returns advice on what to do now; `next` is the address after the next move if the program plays
/// both sides.
fn status(scene: &Scene, setup: &Setup, is_thinking: bool, next: Option<String>) -> Markup {
    let [first, second] = &setup.programs;
    let thinking = setup.program(scene.view.to_move);
    html! {
        @if scene.view.result.is_some() {
            p { a class="button strong" href=(scene.line.at(0).explore()) { "Look at the game again" } }
        } @else if is_thinking {
            p class="verdict thinking" { (capitalised(thinking.name())) " is thinking\u{2026}" }
            p class="soft" { "This page updates itself." }
        } @else if let Some(next) = next {
            p class="verdict" {
                (capitalised(first.name())) " plays "
                @if first == second { "both sides." } @else { "against " (second.name()) "." }
            }
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

/// Returns the programs that play, in a sentence.
fn opponents_in_words(scene: &Scene, setup: &Setup) -> String {
    let [first, second] = setup.programs.each_ref().map(Opponent::described);
    let [one, other] = [Side::First, Side::Second].map(|side| scene.players.name(side));
    match &setup.programs[0] {
        _ if setup.people.is_empty() => capitalised(&format!("{one}: {first}; {other}: {second}.")),
        Opponent::Level(_) => format!("The program plays at {first}."),
        Opponent::Ai(_) => String::new(),
    }
}

/// Returns the moves of AIs before the position, the last one first, with their regret.
///
/// Scores of the line are found for that even if the page hides them.
async fn moves_of_ais(scene: &mut Scene, setup: &Setup) -> Markup {
    let played = scene.view.played.iter().enumerate();
    let turns = played.filter_map(|(at, played)| {
        let (name, turn) = setup.turn(&scene.line.up_to(at), played.side)?;
        Some((at, name, turn))
    });
    let turns: Vec<_> = turns.collect();
    if turns.is_empty() {
        return Markup::default();
    }
    let is_shown = std::mem::replace(&mut scene.shows_scores, true);
    let review = Review::of(scene).await;
    scene.shows_scores = is_shown;
    html! {
        h2 { "Moves of the AI" }
        ol class="of-ai" {
            @for (at, name, turn) in turns.iter().rev() {
                @let mv = &scene.view.played[*at].mv;
                li {
                    p {
                        "Move " (at + 1) ": " (name) " played " (words::of_move(scene.oracle(), mv))
                        @if scene.visit.who.sees_scores() {
                            ", " (review.regret(at + 1).as_deref().unwrap_or("regret not known yet"))
                        }
                        "."
                    }
                    (stderr(scene, turn, mv))
                }
            }
        }
    }
}
