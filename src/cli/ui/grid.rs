//! Tables of text whose columns line up.

use super::style;
use std::fmt::Write;

/// A table with named rows and columns, both in the order of their first use.
pub struct Grid {
    pub title: String,
    corner: String,
    columns: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    name: String,
    /// The texts of the first columns; those of the others are empty.
    cells: Vec<String>,
}

/// Separator of two columns.
const GAP: &str = "  ";

impl Grid {
    /// Returns an empty grid. `corner` is the heading of the rows' names.
    pub fn new(title: impl Into<String>, corner: impl Into<String>) -> Grid {
        Grid {
            title: title.into(),
            corner: corner.into(),
            columns: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Returns a grid of rows, each with a name and the texts of its first columns.
    pub fn filled(
        title: impl Into<String>,
        columns: &[impl AsRef<str>],
        rows: impl IntoIterator<Item = (impl ToString, impl IntoIterator<Item = String>)>,
    ) -> Grid {
        let mut grid = Grid::new(title, "");
        for (row, cells) in rows {
            for (column, cell) in columns.iter().zip(cells) {
                grid.set(&row.to_string(), column.as_ref(), cell);
            }
        }
        grid
    }

    /// Sets the text of a cell.
    pub fn set(&mut self, row: &str, column: &str, text: String) {
        *self.cell(row, column) = text;
    }

    /// Adds the row and the column of a cell, if they are missing.
    pub fn set_if_empty(&mut self, row: &str, column: &str) {
        self.cell(row, column);
    }

    fn cell(&mut self, row: &str, column: &str) -> &mut String {
        let new = || Row {
            name: row.into(),
            cells: Vec::new(),
        };
        let row = place(&mut self.rows, |known| known.name == row, new);
        let column = place(&mut self.columns, |name| name == column, || column.into());
        let cells = &mut self.rows[row].cells;
        if cells.len() <= column {
            cells.resize(column + 1, String::new());
        }
        &mut cells[column]
    }

    /// Returns the lines of the grid.
    ///
    /// If it is wider than `width` characters, its columns are split into blocks, one below the
    /// other.
    pub fn render(&self, width: Option<usize>) -> String {
        let head = widest(self.rows.iter().map(|row| &row.name).chain([&self.corner]));
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|index| {
                let cells = self.rows.iter().filter_map(|row| row.cells.get(index));
                widest(cells.chain([&self.columns[index]]))
            })
            .collect();
        let strong = style::STRONG;
        let mut text = format!("{strong}{}{strong:#}\n", self.title);
        let mut begin = 0;
        while begin < widths.len() {
            let mut used = head;
            let mut end = begin;
            while end < widths.len() {
                used += GAP.len() + widths[end];
                // Every block has at least one column, even one that is too wide.
                if end > begin && width.is_some_and(|width| used > width) {
                    break;
                }
                end += 1;
            }
            let mut line = |name: &str, cells: &[String]| {
                // Writing to a string can't fail.
                let _ = write!(text, "{name:>head$}");
                for (index, &width) in widths.iter().enumerate().take(end).skip(begin) {
                    let cell = cells.get(index).map_or("", String::as_str);
                    let _ = write!(text, "{GAP}{cell:>width$}");
                }
                text.truncate(text.trim_end().len());
                text.push('\n');
            };
            line(&self.corner, &self.columns);
            for row in &self.rows {
                line(&row.name, &row.cells);
            }
            begin = end;
        }
        text
    }
}

/// Returns the width of standard output in characters, if it is a terminal.
pub fn output_width() -> Option<usize> {
    #[cfg(not(target_family = "wasm"))]
    let size = terminal_size::terminal_size_of(std::io::stdout());
    #[cfg(target_family = "wasm")]
    let size = terminal_size::terminal_size();
    size.map(|(terminal_size::Width(width), _)| usize::from(width))
}

/// Returns the index of the first `wanted` item; adds one if there is none.
fn place<T>(items: &mut Vec<T>, wanted: impl Fn(&T) -> bool, new: impl Fn() -> T) -> usize {
    items.iter().position(wanted).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    })
}

fn widest<'a>(texts: impl Iterator<Item = &'a String>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        anstream::adapter::strip_str(&text).to_string()
    }

    fn grid() -> Grid {
        let mut grid = Grid::new("title", "row");
        for (row, column, text) in [("1", "one", "17"), ("2", "two", "1,234"), ("2", "one", "3")] {
            grid.set(row, column, text.into());
        }
        grid
    }

    #[test]
    fn columns_line_up_and_empty_cells_stay_empty() {
        assert_eq!(
            plain(grid().render(None)),
            "title\nrow  one    two\n  1   17\n  2    3  1,234\n"
        );
        assert_eq!(plain(grid().render(Some(15))), plain(grid().render(None)));
    }

    #[test]
    fn wide_grids_are_split_into_blocks() {
        let narrow = "title\nrow  one\n  1   17\n  2    3\nrow    two\n  1\n  2  1,234\n";
        for width in [14, 8, 1] {
            assert_eq!(plain(grid().render(Some(width))), narrow, "{width}");
        }
    }
}
