//! Drawings of positions as SVG.

use super::Notation;
use maud::{Markup, html};

/// Moves to point out in a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marks<M> {
    /// The move that was made, and whether it was one of the best.
    pub made: Option<(M, bool)>,
    /// The best moves.
    pub best: Vec<M>,
}

impl<M> Default for Marks<M> {
    fn default() -> Self {
        Marks {
            made: None,
            best: Vec::new(),
        }
    }
}

/// What is pointed out about one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// Made, and one of the best.
    Good,
    /// Made, and not one of the best.
    Bad,
    /// One of the best, not made.
    Best,
}

impl Mark {
    /// Colours that can be told apart on light and dark ground, also by the colour-blind.
    pub fn color(self) -> &'static str {
        match self {
            Mark::Good | Mark::Best => "#0a9e6a",
            Mark::Bad => "#d9480f",
        }
    }

    /// Moves that were not made are marked by a dashed line.
    pub fn dashes(self) -> Option<&'static str> {
        (self == Mark::Best).then_some("4 3")
    }
}

impl<M: Copy + PartialEq> Marks<M> {
    /// What is to be pointed out about a move.
    pub(crate) fn of(&self, mv: M) -> Option<Mark> {
        match self.made {
            Some((made, true)) if made == mv => Some(Mark::Good),
            Some((made, false)) if made == mv => Some(Mark::Bad),
            _ if self.best.contains(&mv) => Some(Mark::Best),
            _ => None,
        }
    }

    /// In words, for drawings that can't show it.
    pub(crate) fn describe(&self, name: impl Fn(M) -> String) -> String {
        let made = self.made.map(|(mv, _)| format!("move: {}", name(mv)));
        let best: Vec<String> = self.best.iter().map(|&mv| name(mv)).collect();
        let best = (!best.is_empty()).then(|| format!("best: {}", best.join(", ")));
        [made, best]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// An SVG element of this size, in units of about a pixel.
pub(crate) fn frame(width: usize, height: usize, label: &str, content: &Markup) -> String {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
            role="img" aria-label=(label) font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor" {
            (content)
        }
    }
    .into_string()
}

/// The position as an SVG element: the game's picture of it, or its board as text.
pub fn draw<G: Notation>(game: &G, position: &G::Position, marks: &Marks<G::Move>) -> String {
    let picture = game.capabilities().drawing.draw(position, marks);
    picture.unwrap_or_else(|| {
        let remark = marks.describe(|mv| game.format_move(mv));
        of_text(&game.board(position), remark)
    })
}

/// A drawing that is the text itself, for games that have no better one.
fn of_text(text: &str, remark: String) -> String {
    let lines: Vec<&str> = text.lines().chain([remark.as_str()]).collect();
    let columns = lines.iter().map(|line| line.chars().count()).max();
    let content = html! {
        g font-family="ui-monospace, monospace" font-size="14" text-anchor="start" {
            @for (number, line) in lines.iter().enumerate() {
                text x="4" y=(18 * (number + 1)) xml:space="preserve" { (line) }
            }
        }
    };
    let width = 9 * columns.unwrap_or(0) + 8;
    frame(width, 18 * lines.len() + 8, &lines.join(" | "), &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_and_what_is_best_is_told_apart() {
        let marks = Marks {
            made: Some((3, false)),
            best: vec![1, 2],
        };
        assert_eq!(marks.of(1), Some(Mark::Best));
        assert_eq!(marks.of(3), Some(Mark::Bad));
        assert_eq!(marks.of(4), None);
        assert_eq!(
            marks.describe(|mv: i32| mv.to_string()),
            "move: 3, best: 1, 2"
        );
    }

    #[test]
    fn text_in_drawings_is_escaped() {
        let drawing = of_text("a<b", "\"&\"".into());
        assert!(drawing.contains("a&lt;b") && drawing.contains("&amp;"));
        assert!(!drawing.contains("a<b"));
    }
}
