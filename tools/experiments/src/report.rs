//! The figures, in tables like the published ones.

use crate::experiment::{Figure, Value};
use crate::published::Published;
use std::io::Write;

/// Prints all tables, each with the number of published values that are reproduced.
pub fn print(
    figures: &[Figure],
    published: &Published,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    for (grid, figures) in grids(figures) {
        write!(out, "{}", grid.render())?;
        writeln!(out, "{}\n", agreement(published, &figures))?;
    }
    Ok(())
}

/// Returns a table's name for users, with "seeds" for the articles' "stones".
fn shown(table: &str) -> String {
    match table.strip_suffix("/stones") {
        Some(method) => format!("{method}/seeds"),
        None => table.to_owned(),
    }
}

/// Returns the comparison of these figures with the published numbers.
fn agreement(published: &Published, figures: &[&Figure]) -> String {
    let (count, differences) = published.compare(figures.iter().copied());
    // The articles have more numbers than `published.json`.
    if count == 0 {
        return "No published numbers are known here for these.".to_owned();
    }
    let of_all = if count == figures.len() {
        format!("all {count}")
    } else {
        format!("{count} of these {}", figures.len())
    };
    let mut line = format!("Published: {of_all}. ");
    if differences.is_empty() {
        line.push_str("All of them are reproduced.");
    } else {
        line.push_str(&format!("{} not reproduced:", differences.len()));
        for (Figure { table, cell, value }, published) in differences {
            line.push_str(&format!(
                "\n  {} {cell}: {}, published {}",
                shown(table),
                text_of(*value),
                text_of(published)
            ));
        }
    }
    for figure in figures {
        let name = format!("{} {}", figure.table, figure.cell);
        if let Some(misprint) = published.misprints.get(&name) {
            line.push_str(&format!(
                "\nMisprint: the article has {} in {}, where {} is right.",
                text_of(Value::One(misprint.published)),
                figure.cell,
                text_of(Value::One(misprint.value))
            ));
        }
    }
    line
}

fn text_of(value: Value) -> String {
    match value {
        Value::One(value) => number(value),
        Value::Pair(pair) => pair.map(number).join(" : "),
    }
}

/// Formats a number with its thousands separated.
fn number(value: i64) -> String {
    match value / 1000 {
        0 => value.to_string(),
        thousands => format!("{},{:03}", number(thousands), (value % 1000).abs()),
    }
}

/// A table with named rows and columns, both in the order of their first use.
struct Grid {
    title: String,
    /// The heading of the rows' names.
    corner: &'static str,
    columns: Vec<String>,
    /// The name and the cells of each row; missing cells are empty.
    rows: Vec<(String, Vec<String>)>,
}

impl Grid {
    fn set(&mut self, row: String, column: String, text: String) {
        let known = self.columns.iter().position(|name| *name == column);
        let index = known.unwrap_or_else(|| {
            self.columns.push(column);
            self.columns.len() - 1
        });
        let known = self.rows.iter().position(|(name, _)| *name == row);
        let known = known.unwrap_or_else(|| {
            self.rows.push((row, Vec::new()));
            self.rows.len() - 1
        });
        let cells = &mut self.rows[known].1;
        cells.resize(cells.len().max(index + 1), String::new());
        cells[index] = text;
    }

    /// Returns the lines of the grid, with all columns flush right.
    fn render(&self) -> String {
        let head = [(self.corner.to_owned(), self.columns.clone())];
        let all = || head.iter().chain(&self.rows);
        let head_width = all().map(|(name, _)| name.len()).max().unwrap_or(0);
        let width = |index| {
            all()
                .filter_map(move |(_, cells)| cells.get(index))
                .map(String::len)
                .max()
        };
        let widths: Vec<usize> = (0..self.columns.len()).filter_map(width).collect();
        let mut text = format!("{}\n", self.title);
        for (name, cells) in all() {
            let mut line = format!("{name:>head_width$}");
            for (cell, width) in cells.iter().zip(&widths) {
                line += &format!("  {cell:>width$}");
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Arranges the figures in grids like the published tables, each with its figures.
fn grids(figures: &[Figure]) -> Vec<(Grid, Vec<&Figure>)> {
    let mut grids: Vec<(Grid, Vec<&Figure>)> = Vec::new();
    for figure in figures {
        let place = Place::of(figure);
        let known = grids.iter().position(|(grid, _)| grid.title == place.title);
        let index = known.unwrap_or_else(|| {
            let grid = Grid {
                title: place.title,
                corner: place.corner,
                columns: Vec::new(),
                rows: Vec::new(),
            };
            grids.push((grid, Vec::new()));
            grids.len() - 1
        });
        let (grid, members) = &mut grids[index];
        for (column, text) in place.cells {
            grid.set(place.row.clone(), column, text);
        }
        members.push(figure);
    }
    grids
}

/// The location of a figure: its grid, row and columns.
struct Place {
    title: String,
    corner: &'static str,
    row: String,
    /// Pairs of column and text.
    cells: Vec<(String, String)>,
}

impl Place {
    fn of(figure: &Figure) -> Place {
        let Figure { table, cell, value } = figure;
        let mut parts = table.splitn(3, '/');
        let mut part = || parts.next().unwrap_or_default();
        let (group, method, measure) = (part(), part(), part());
        let text = text_of(*value);
        let each = |columns: [&str; 2]| match *value {
            Value::Pair(pair) => columns
                .into_iter()
                .zip(pair)
                .map(|(column, value)| (column.to_owned(), text_of(Value::One(value))))
                .collect(),
            Value::One(_) => vec![(columns[0].to_owned(), text.clone())],
        };
        match group {
            "kalah66" => {
                let (first, second) = cell.split_once(',').unwrap_or((cell, ""));
                Place {
                    title: shown(table),
                    corner: "second's depth | first's",
                    row: second.to_owned(),
                    cells: vec![(first.to_owned(), text)],
                }
            }
            "mancala62" => Place {
                title: match measure {
                    "" => format!("{group}, score : move"),
                    _ => format!("{group}, {measure}"),
                },
                corner: "depth",
                row: cell.clone(),
                cells: vec![(method.to_owned(), text)],
            },
            "reversi4" | "reversi24" => Place {
                title: format!("{group}, start {cell}"),
                corner: "method",
                row: method.to_owned(),
                cells: vec![(measure.to_owned(), text)],
            },
            _ if method == "mtdf-trace" => Place {
                title: format!("{table}, nodes"),
                corner: "position",
                row: cell.clone(),
                cells: each(["1st search", "2nd search"]),
            },
            _ if method.starts_with("by-depth") => Place {
                title: table.clone(),
                corner: "marks set",
                row: cell.clone(),
                cells: each(["alphabeta", "mtdf"]),
            },
            _ => Place {
                title: format!("{group}, {measure}"),
                corner: "setting",
                row: cell.clone(),
                cells: vec![(method.to_owned(), text)],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_with_the_published_number() {
        let figure = |cell: &str, value| Figure {
            table: "kalah66/mtdf/hits".into(),
            cell: cell.into(),
            value: Value::One(value),
        };
        // A misprinted figure, a wrong one, and one that was not published.
        let figures = [figure("3,2", 3459), figure("5,4", 4851), figure("4,4", 1)];
        let figures: Vec<&Figure> = figures.iter().collect();
        let line = agreement(&Published::read(), &figures);
        assert_eq!(
            line,
            "Published: 2 of these 3. 1 not reproduced:\n  kalah66/mtdf/hits 5,4: 4,851, published 4,850\n\
             Misprint: the article has 3,549 in 3,2, where 3,459 is right."
        );
    }
}
