//! Output for people: colours, progress, grids.

pub mod grid;
pub mod progress;

/// Colours and weights of text on a terminal.
pub mod style {
    use anstyle::{AnsiColor, Style};

    pub const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub const GOOD: Style = AnsiColor::Green.on_default().bold();
    pub const BAD: Style = AnsiColor::Red.on_default();
    pub const EVEN: Style = AnsiColor::Yellow.on_default();
    pub const STRONG: Style = Style::new().bold();
    pub const FAINT: Style = Style::new().dimmed();

    /// Returns the colour of a score, seen from the side that it is for.
    pub fn style_of(score: i32) -> Style {
        match score {
            0 => EVEN,
            1.. => GOOD,
            _ => BAD,
        }
    }
}
