//! Encoding of a shard's entries.

use super::files::{Output, ShardRecord};
use super::{ExportError, ExportOptions, Format};
use crate::any::{ArrayShape, Labels, NO_SCORE};
use bytemuck::cast_slice;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Returns the header of an array in NumPy's format 1.0.
///
/// It is padded so that the numbers begin at a multiple of 64 bytes.
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

/// An unfinished shard.
pub(super) struct Shard<'a> {
    format: Format,
    shape: Option<&'a ArrayShape>,
    moves: bool,
    outputs: Vec<Output>,
    /// The number of entries so far.
    pub entries: u64,
}

impl<'a> Shard<'a> {
    pub fn begin(
        directory: &Path,
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
                    let mut output =
                        Output::create(directory, holds, format!("{name}.{holds}.npy"))?;
                    output.write(&npy_header(kind, entries, columns))?;
                    outputs.push(output);
                }
            }
            _ => {
                let file = format!("{name}.{format}");
                let mut output = Output::create(directory, "rows", file)?;
                if format == Format::Csv {
                    output.write_lines(csv([csv_header(shape, moves)].into_iter()))?;
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

    pub fn add(&mut self, labels: &Labels) -> Result<(), ExportError> {
        self.entries += labels.scores.len() as u64;
        match self.format {
            Format::Npy => {
                // The files are little-endian.
                let little = |numbers: &[i16]| -> Vec<i16> {
                    numbers.iter().map(|number| number.to_le()).collect()
                };
                for output in &mut self.outputs {
                    match output.record.holds {
                        "positions" => output.write(&labels.rows)?,
                        "best" => output.write(&labels.best)?,
                        "scores" => output.write(cast_slice(&little(&labels.scores)))?,
                        _ => output.write(cast_slice(&little(&labels.moves)))?,
                    }
                }
                Ok(())
            }
            _ => {
                let rows = 0..labels.scores.len();
                let rows = rows.map(|row| Row::new(self.shape, self.moves, labels, row));
                self.outputs[0].write_lines(match self.format {
                    Format::Csv => csv(rows.map(|row| row.fields(self.shape))),
                    _ => json_lines(rows),
                })
            }
        }
    }

    pub fn finish(self, layer: Option<u32>) -> Result<ShardRecord, ExportError> {
        let files = self.outputs.into_iter().map(Output::finish);
        Ok(ShardRecord {
            layer,
            entries: self.entries,
            files: files.collect::<Result<_, _>>()?,
        })
    }
}

/// An entry as a line of CSV or JSON.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Vec<&'a str>>,
    layer: u32,
    /// Scores of the legal moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<BTreeMap<&'a str, i16>>,
    position: &'a str,
    score: i16,
}

impl<'a> Row<'a> {
    fn new(shape: Option<&'a ArrayShape>, moves: bool, labels: &'a Labels, row: usize) -> Self {
        let of_row = |shape: &ArrayShape| row * shape.moves.len()..(row + 1) * shape.moves.len();
        let names = |shape: &'a ArrayShape| shape.moves.iter().map(String::as_str);
        Row {
            best: shape.map(|shape| {
                let best = names(shape).zip(&labels.best[of_row(shape)]);
                best.filter(|mv| *mv.1 == 1).map(|mv| mv.0).collect()
            }),
            layer: labels.layers[row],
            moves: shape.filter(|_| moves).map(|shape| {
                let scores = labels.moves[of_row(shape)].iter().copied();
                let scores = names(shape).zip(scores);
                scores.filter(|mv| mv.1 != NO_SCORE).collect()
            }),
            position: &labels.texts[row],
            score: labels.scores[row],
        }
    }

    /// Returns the fields in the order of [`csv_header`].
    fn fields(&self, shape: Option<&ArrayShape>) -> Vec<String> {
        let (layer, score) = (self.layer.to_string(), self.score.to_string());
        let mut fields = vec![self.position.to_owned(), layer, score];
        let all = shape.map_or(&[][..], |shape| &shape.moves);
        if let Some(best) = &self.best {
            let has_blank = all.iter().any(|name| name.contains(' '));
            fields.push(best.join(if has_blank { "; " } else { " " }));
        }
        if let Some(moves) = &self.moves {
            let score = |name: &String| moves.get(&**name).map(i16::to_string);
            fields.extend(all.iter().map(|name| score(name).unwrap_or_default()));
        }
        fields
    }
}

fn csv_header(shape: Option<&ArrayShape>, moves: bool) -> Vec<String> {
    let mut header = ["position", "layer", "score"].map(str::to_owned).to_vec();
    if let Some(shape) = shape {
        header.push("best".to_owned());
        let names = shape.moves.iter().filter(|_| moves);
        header.extend(names.map(|name| format!("move_{name}")));
    }
    header
}

/// Returns records as lines of CSV.
pub(crate) fn csv(records: impl Iterator<Item = impl Serialize>) -> io::Result<Vec<u8>> {
    let mut lines = csv::WriterBuilder::new();
    let mut lines = lines.has_headers(false).from_writer(Vec::new());
    for record in records {
        lines.serialize(record)?;
    }
    lines.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// Returns records as lines of JSON.
pub(crate) fn json_lines(records: impl Iterator<Item = impl Serialize>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for record in records {
        serde_json::to_writer(&mut lines, &record)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
