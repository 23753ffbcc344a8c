//! One shard: rows to bytes.

use super::manifest::{FileRecord, ShardRecord, hex};
use super::{ExportError, Format, io_error};
use crate::any::{ArrayShape, Labels, NO_SCORE};
use bytemuck::cast_slice;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file on its way to its name, with the digest of what is in it so far.
struct Output {
    holds: &'static str,
    name: String,
    place: PathBuf,
    part: PathBuf,
    file: File,
    bytes: u64,
    digest: Sha256,
}

impl Output {
    fn create(folder: &Path, holds: &'static str, name: String) -> Result<Output, ExportError> {
        let place = folder.join(&name);
        let part = folder.join(format!("{name}.part"));
        let file = File::create(&part).map_err(io_error(&part, "make it"))?;
        Ok(Output {
            holds,
            name,
            place,
            part,
            file,
            bytes: 0,
            digest: Sha256::new(),
        })
    }

    /// Adds many bytes at once.
    fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file
            .write_all(bytes)
            .map_err(io_error(&self.part, "write it"))?;
        self.bytes += bytes.len() as u64;
        self.digest.update(bytes);
        Ok(())
    }

    fn finish(self) -> Result<FileRecord, ExportError> {
        self.file
            .sync_data()
            .map_err(io_error(&self.part, "write it"))?;
        drop(self.file);
        fs::rename(&self.part, &self.place)
            .map_err(io_error(&self.place, "put it in its place"))?;
        Ok(FileRecord {
            holds: self.holds.into(),
            name: self.name,
            bytes: self.bytes,
            sha256: hex(self.digest),
        })
    }
}

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
        name: &str,
        format: Format,
        shape: Option<&'a ArrayShape>,
        moves: bool,
        entries: u64,
    ) -> Result<Shard<'a>, ExportError> {
        let moves = moves && shape.is_some();
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
            Format::Csv => self.add_lines(labels, |shard, row, labels, lines| {
                let text = csv_line(shard.shape, shard.moves, labels, row);
                lines.push_str(&text);
            }),
            Format::JsonLines => self.add_lines(labels, |shard, row, labels, lines| {
                lines.push_str(&json_line(shard.shape, shard.moves, labels, row).to_string());
            }),
        }
    }

    fn add_lines(
        &mut self,
        labels: &Labels,
        line: impl Fn(&Shard<'_>, usize, &Labels, &mut String),
    ) -> Result<(), ExportError> {
        let mut lines = String::new();
        for row in 0..labels.scores.len() {
            line(self, row, labels, &mut lines);
            lines.push('\n');
        }
        self.outputs[0].write(lines.as_bytes())
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
