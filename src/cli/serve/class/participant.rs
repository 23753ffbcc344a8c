//! The teacher or student who sends a request, and what pages show them.

use super::state::Class;
use crate::cli::serve::http::cookie;
use crate::cli::serve::jobs::Visitor;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::puzzles::Puzzle;
use axum::extract::Request;
use axum::http::StatusCode;
use maud::{Markup, PreEscaped, html};
use std::sync::Arc;

/// Address of the teacher's page.
pub const TEACHER: &str = "/class/teacher";
/// Address to which forms are sent.
pub(super) const FORMS: &str = "/class";
/// Name of the cookie with the teacher's code.
pub(super) const COOKIE: &str = "zermelo-teacher";
/// Kinds of pages that can be a task: students can use them while scores are locked.
pub(super) const TASKS: [&str; 4] = ["explore", "play", "puzzles", "rules"];

/// The form in which a student writes a name.
const JOIN: &str = include_str!("join.html");

/// The sender of a request. Without class mode, the default: everyone sees everything.
#[derive(Clone, Default)]
pub struct Participant {
    pub(super) class: Option<Arc<Class>>,
    /// The number in the client's cookie.
    pub(super) client: Option<u64>,
    is_teacher: bool,
    /// The address of the request.
    address: String,
}

impl Participant {
    pub(super) fn of(class: Arc<Class>, request: &Request) -> Participant {
        let code = cookie(request.headers(), COOKIE);
        let visitor: Option<&Visitor> = request.extensions().get();
        Participant {
            client: visitor.and_then(|visitor| visitor.client),
            is_teacher: code.is_some_and(|code| class.is_code(code)),
            address: request.uri().to_string(),
            class: Some(class),
        }
    }

    /// Returns whether the sender may see scores now.
    pub fn sees_scores(&self) -> bool {
        self.is_teacher || !self.is_locked()
    }

    fn is_locked(&self) -> bool {
        let class = self.class.as_ref();
        class.is_some_and(|class| !class.state().is_open)
    }

    /// Checks that the sender may see scores.
    pub fn check(&self) -> Result<(), Problem> {
        let locked = || Problem::new(StatusCode::FORBIDDEN, "the teacher has locked the scores");
        let sees = self.sees_scores().then_some(());
        sees.ok_or_else(|| locked().with_code("scores_locked"))
    }

    /// Returns the class, if the sender is its teacher.
    pub(super) fn taught(&self) -> Result<&Arc<Class>, Problem> {
        let taught = self.class.as_ref().filter(|_| self.is_teacher);
        taught.ok_or_else(|| {
            let error = "this page is for the teacher\ntip: open the address that `zermelo serve --class` printed";
            Problem::new(StatusCode::FORBIDDEN, error).with_code("not_the_teacher")
        })
    }

    /// Counts a move that was tried in a puzzle.
    pub fn count_try(&self, game: &str, puzzle: &Puzzle, tried: &str) {
        if let (Some(class), Some(client)) = (&self.class, self.client) {
            class.count_try(client, game, puzzle, tried);
        }
    }

    fn name(&self) -> Option<String> {
        let state = self.class.as_ref()?.state();
        Some(state.students.get(&self.client?)?.name.clone())
    }

    /// Returns the bar above the contents of a page: the task, the lock, and the teacher's buttons.
    pub fn bar(&self) -> Markup {
        let Some(class) = &self.class else {
            return html! {};
        };
        let task = class.state().task.clone();
        let page = self.address.split(['/', '?']).nth(1).unwrap_or_default();
        let (value, button, said) = match self.is_locked() {
            true => ("open", "Unlock the scores", "Only you see scores."),
            false => ("locked", "Lock the scores", "Everyone sees scores."),
        };
        html! {
            aside class="class" aria-label="Class" {
                @if let Some(task) = &task { p { "Task: " a href=(task.address) { (task.title) } } }
                @if self.is_teacher {
                    p { (said) }
                    form method="post" action=(FORMS) {
                        input type="hidden" name="back" value=(self.address);
                        button name="scores" value=(value) { (button) }
                        @if TASKS.contains(&page) { button name="task" value=(self.address) { "Set this page as the task" } }
                        @if task.is_some() { button name="task" value="" { "Remove the task" } }
                        @if page != "class" { a class="button" href=(TEACHER) { "The class" } }
                    }
                } @else {
                    @if self.is_locked() { p { "The teacher has locked the scores." } }
                    @if let Some(name) = self.name() { p { "You are " b { (name) } "." } }
                    @else if self.address != "/" { p { a href="/" { "Join the class" } } }
                }
            }
        }
    }

    /// Returns the form in which a student writes a name.
    pub fn welcome(&self) -> Markup {
        let is_student = self.class.is_some() && !self.is_teacher;
        html! {
            @if is_student {
                details open[self.name().is_none()] { summary { "Your name in the class" } (PreEscaped(JOIN)) }
            }
        }
    }
}
