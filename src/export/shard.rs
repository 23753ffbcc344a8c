//! One shard: rows to bytes.

use super::manifest::ShardRecord;
use super::output::{FileRecord, Output};
use super::{ExportError, ExportOptions, Format};
use crate::any::{ArrayShape, Labels, NO_SCORE};
use bytemuck::cast_slice;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::path::Path;

/// The bytes before an array's: version 1 of the format, padded so that the numbers begin at a
/// multiple of 64.
fn npy_header(kind: &str, rows: u64, columns: Option<usize>) -> Vec<u8> {
    let shape = match columns {
        Some(columns) => format!("({rows}, {columns})"),
        None => format!("({rows},)"),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let before = 10 + text.len() + 1;
    text.extend(std::iter::repeat_n(
        ' ',
        before.next_multiple_of(64) - before,
    ));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// One shard on its way to disk.
pub(super) struct Shard<'a> {
    format: Format,
    shape: Option<&'a ArrayShape>,
    moves: bool,
    outputs: Vec<Output>,
    entries: u64,
}

impl<'a> Shard<'a> {
    pub fn begin(
        folder: &Path,
        options: &ExportOptions,
        shape: Option<&'a ArrayShape>,
        layer: Option<u32>,
        entries: u64,
    ) -> Result<Shard<'a>, ExportError> {
        let name = layer.map_or_else(|| "sample".to_owned(), |layer| format!("layer-{layer:03}"));
        let format = options.format;
        let moves = options.moves && shape.is_some();
        let mut outputs = Vec::new();
        match (format, shape) {
            (Format::Npy, Some(shape)) => {
                let (columns, count) = (Some(shape.columns.len()), Some(shape.moves.len()));
                let mut arrays = vec![
                    ("positions", "|u1", columns),
                    ("scores", "<i2", None),
                    ("best", "|b1", count),
                ];
                if moves {
                    arrays.push(("move_scores", "<i2", count));
                }
                for (holds, kind, columns) in arrays {
                    let mut output = Output::create(folder, holds, format!("{name}.{holds}.npy"))?;
                    output.write(&npy_header(kind, entries, columns))?;
                    outputs.push(output);
                }
            }
            _ => {
                let file = format!("{name}.{}", format.name());
                let mut output = Output::create(folder, "rows", file)?;
                if format == Format::Csv {
                    output.write(csv_header(shape, moves).as_bytes())?;
                }
                outputs.push(output);
            }
        }
        Ok(Shard {
            format,
            shape,
            moves,
            outputs,
            entries: 0,
        })
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    pub fn add(&mut self, labels: &Labels) -> Result<(), ExportError> {
        self.entries += labels.scores.len() as u64;
        match self.format {
            Format::Npy => {
                // What is written is little-endian.
                let little = |numbers: &[i16]| -> Vec<i16> {
                    numbers.iter().map(|number| number.to_le()).collect()
                };
                for output in &mut self.outputs {
                    match output.holds {
                        "positions" => output.write(&labels.rows)?,
                        "best" => output.write(&labels.best)?,
                        "scores" => output.write(cast_slice(&little(&labels.scores)))?,
                        _ => output.write(cast_slice(&little(&labels.moves)))?,
                    }
                }
                Ok(())
            }
            _ => {
                let mut lines = String::new();
                for row in 0..labels.scores.len() {
                    lines.push_str(&match self.format {
                        Format::Csv => csv_line(self.shape, self.moves, labels, row),
                        _ => json_line(self.shape, self.moves, labels, row).to_string(),
                    });
                    lines.push('\n');
                }
                self.outputs[0].write(lines.as_bytes())
            }
        }
    }

    pub fn finish(self, layer: Option<u32>) -> Result<ShardRecord, ExportError> {
        let files: Result<Vec<FileRecord>, ExportError> =
            self.outputs.into_iter().map(Output::finish).collect();
        Ok(ShardRecord {
            layer,
            entries: self.entries,
            files: files?,
        })
    }
}

/// The names of the moves that are best in a row.
fn best<'a>(
    shape: &'a ArrayShape,
    labels: &'a Labels,
    row: usize,
) -> impl Iterator<Item = &'a str> {
    let width = shape.moves.len();
    let best = &labels.best[row * width..][..width];
    let moves = shape.moves.iter().zip(best);
    moves
        .filter(|&(_, &best)| best == 1)
        .map(|(name, _)| &**name)
}

/// The scores of a row's moves, nothing for those that are not legal.
fn scores<'a>(
    shape: &'a ArrayShape,
    labels: &'a Labels,
    row: usize,
) -> impl Iterator<Item = (&'a str, Option<i16>)> {
    let width = shape.moves.len();
    let scores = &labels.moves[row * width..][..width];
    let moves = shape.moves.iter().zip(scores);
    moves.map(|(name, &score)| (&**name, (score != NO_SCORE).then_some(score)))
}

/// Text as a field of a line, in quotes where it needs them.
fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// What stands between the names of moves in one field.
fn between(shape: &ArrayShape) -> &'static str {
    if shape.moves.iter().any(|name| name.contains(' ')) {
        "; "
    } else {
        " "
    }
}

fn csv_header(shape: Option<&ArrayShape>, moves: bool) -> String {
    let mut header = "position,layer,score".to_owned();
    if let Some(shape) = shape {
        header.push_str(",best");
        for name in shape.moves.iter().filter(|_| moves) {
            header.push(',');
            header.push_str(&csv_field(&format!("move_{name}")));
        }
    }
    header + "\n"
}

fn csv_line(shape: Option<&ArrayShape>, moves: bool, labels: &Labels, row: usize) -> String {
    let mut line = csv_field(&labels.texts[row]).into_owned();
    line.push_str(&format!(",{},{}", labels.layers[row], labels.scores[row]));
    if let Some(shape) = shape {
        let best: Vec<&str> = best(shape, labels, row).collect();
        line.push_str(&format!(",{}", csv_field(&best.join(between(shape)))));
        if moves {
            for (_, score) in scores(shape, labels, row) {
                line.push(',');
                line.push_str(&score.map_or_else(String::new, |score| score.to_string()));
            }
        }
    }
    line
}

fn json_line(shape: Option<&ArrayShape>, moves: bool, labels: &Labels, row: usize) -> Value {
    let mut line = json!({
        "position": labels.texts[row],
        "layer": labels.layers[row],
        "score": labels.scores[row],
    });
    if let Some(shape) = shape {
        line["best"] = best(shape, labels, row).collect();
        if moves {
            let scores = scores(shape, labels, row);
            let legal = scores.filter_map(|(name, score)| Some((name.to_owned(), score?.into())));
            line["moves"] = Value::Object(legal.collect::<Map<String, Value>>());
        }
    }
    line
}
