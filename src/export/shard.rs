//! The shards of an export, and the encoding of their entries.

use super::files::{Manifest, Output, ShardRecord};
use super::{ExportError, ExportOptions, Format, Sample};
use crate::any::{AnyTable, ArrayShape, Labeller, Labels, NO_SCORE, ScoreNumbers, each_in_order};
use crate::game::{Points, Progress, check_cancelled};
use crate::table::Difference;
use crate::text::hex;
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

/// An export of a table.
pub(super) struct ExportJob<'a> {
    pub table: &'a dyn AnyTable,
    pub directory: &'a Path,
    pub options: &'a ExportOptions,
    pub progress: &'a dyn Progress,
    pub shape: Option<ArrayShape>,
}

impl ExportJob<'_> {
    /// Returns the shards and their numbers of entries.
    ///
    /// They are the layers in ascending order, or one sample.
    pub fn shards(&self) -> Result<Vec<(Option<u32>, u64)>, ExportError> {
        let all = self.table.file().layers();
        let mut wanted = self.options.layers.iter().flatten();
        if let Some(layer) = wanted.find(|layer| !all.contains_key(layer)) {
            let ends = [all.first_key_value(), all.last_key_value()];
            let [lowest, highest] = ends.map(|end| end.map_or(0, |(layer, _)| *layer));
            return Err(ExportError::Wanted(format!(
                "the table has no layer {layer}; it has {lowest} to {highest}"
            )));
        }
        if let Some(sample) = &self.options.sample {
            return Ok(vec![(None, sample.count)]);
        }
        let wanted = self.options.layers.as_deref();
        let is_wanted = |layer| wanted.is_none_or(|wanted: &[u32]| wanted.contains(&layer));
        let layers = all.into_iter().filter(|&(layer, _)| is_wanted(layer));
        Ok(layers
            .map(|(layer, outcomes)| (Some(layer), outcomes.total()))
            .collect())
    }

    /// Returns a manifest without shards.
    pub fn manifest(&self) -> Manifest {
        let (file, shape) = (self.table.file(), self.shape.as_ref());
        let columns = shape.map(|shape| shape.columns.clone());
        Manifest {
            format: self.options.format,
            game: file.game_name().to_owned(),
            rules: file.rules().to_owned(),
            table: hex(file.digest()),
            columns: columns.filter(|columns| !columns.is_empty()),
            moves: shape.map(|shape| shape.moves.clone()),
            move_scores: self.options.moves,
            no_score: match self.table.score_numbers() {
                ScoreNumbers::Short => Some(i16::MIN.into()),
                ScoreNumbers::Long => Some(NO_SCORE),
                ScoreNumbers::Decimal(_) => None,
            },
            layers: file.layer_name().to_owned(),
            sample: self.options.sample,
            shards: Vec::new(),
        }
    }

    /// Writes a layer, or the sample.
    pub fn shard(
        &self,
        labeller: &dyn Labeller,
        layer: Option<u32>,
        entries: u64,
    ) -> Result<ShardRecord, ExportError> {
        let mut outputs = self.outputs(layer, entries)?;
        let mut added = 0;
        let mut add = |labels: &Labels| {
            added += labels.scores.len() as u64;
            self.add(&mut outputs, labels)
        };
        if let Some(only) = layer {
            let take = &mut |_: u64, labels| add(&labels);
            let of = (self.table.file(), labeller);
            each_in_order(of, Some(&[only]), self.progress, take)?;
        } else {
            let Sample { count, seed } = self.options.sample.unwrap_or_default();
            let layers = self.options.layers.as_deref();
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            add(&labeller.sample(count, seed, layers, self.progress)?)?;
        }
        check_cancelled(self.progress, ExportError::Interrupted)?;
        if let Some(layer) = layer
            && added != entries
        {
            let damage = Difference::new(entries, added);
            let name = format!("entries of layer {layer}");
            return Err(self.table.file().damaged(name, damage).into());
        }
        let files = outputs.into_iter().map(Output::finish);
        Ok(ShardRecord {
            layer,
            entries: added,
            files: files.collect::<Result<_, _>>()?,
        })
    }

    /// Begins the files of a shard.
    fn outputs(&self, layer: Option<u32>, entries: u64) -> Result<Vec<Output>, ExportError> {
        let ExportOptions { format, moves, .. } = *self.options;
        let name = layer.map_or_else(|| "sample".to_owned(), |layer| format!("layer-{layer:03}"));
        let Some(shape) = self.shape.as_ref().filter(|_| format == Format::Npy) else {
            let mut output = Output::create(self.directory, "rows", format!("{name}.{format}"))?;
            if format == Format::Csv {
                let header = csv_header(self.shape.as_ref(), moves);
                output.write_lines(csv([header].into_iter()))?;
            }
            return Ok(vec![output]);
        };
        let (columns, count) = (Some(shape.columns.len()), Some(shape.moves.len()));
        let number = match self.table.score_numbers() {
            ScoreNumbers::Short => "<i2",
            ScoreNumbers::Long => "<i4",
            ScoreNumbers::Decimal(_) => "<f8",
        };
        let mut arrays = vec![
            ("positions", "|u1", columns),
            ("scores", number, None),
            ("best", "|b1", count),
        ];
        if moves {
            arrays.push(("move_scores", number, count));
        }
        let begun = arrays.into_iter().map(|(holds, kind, columns)| {
            let mut output = Output::create(self.directory, holds, format!("{name}.{holds}.npy"))?;
            output.write(&npy_header(kind, entries, columns))?;
            Ok(output)
        });
        begun.collect()
    }

    /// Appends entries to the files of a shard.
    fn add(&self, outputs: &mut [Output], labels: &Labels) -> Result<(), ExportError> {
        let shape = self.shape.as_ref();
        let rows = 0..labels.scores.len();
        let decimals = match self.table.score_numbers() {
            ScoreNumbers::Decimal(decimals) => decimals,
            _ => 0,
        };
        let wanted = (self.options.moves, decimals);
        let rows = rows.map(|row| Row::new(shape, wanted, labels, row));
        match self.options.format {
            Format::Csv => outputs[0].write_lines(csv(rows.map(|row| row.fields(shape)))),
            Format::JsonLines => outputs[0].write_lines(json_lines(rows)),
            Format::Npy => outputs
                .iter_mut()
                .try_for_each(|output| match output.record.holds {
                    "positions" => output.write(&labels.rows),
                    "best" => output.write(&labels.best),
                    "scores" => output.write(&self.bytes(&labels.scores)),
                    _ => output.write(&self.bytes(&labels.moves)),
                }),
        }
    }

    /// Returns scores as the little-endian numbers of an array.
    fn bytes(&self, scores: &[i32]) -> Vec<u8> {
        let scores = scores.iter();
        match self.table.score_numbers() {
            ScoreNumbers::Short => {
                let short = scores.map(|&score| i16::try_from(score).unwrap_or(i16::MIN));
                short.flat_map(i16::to_le_bytes).collect()
            }
            ScoreNumbers::Long => scores.flat_map(|score| score.to_le_bytes()).collect(),
            ScoreNumbers::Decimal(decimals) => {
                let value = |&units| match units {
                    NO_SCORE => f64::NEG_INFINITY,
                    units => Points { units, decimals }.value(),
                };
                scores.map(value).flat_map(f64::to_le_bytes).collect()
            }
        }
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
    moves: Option<BTreeMap<&'a str, Points>>,
    position: &'a str,
    score: Points,
}

impl<'a> Row<'a> {
    fn new(
        shape: Option<&'a ArrayShape>,
        (moves, decimals): (bool, u32),
        labels: &'a Labels,
        row: usize,
    ) -> Self {
        let points = |units| Points { units, decimals };
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
                let legal = scores.filter(|mv| mv.1 != NO_SCORE);
                legal.map(|(name, score)| (name, points(score))).collect()
            }),
            position: &labels.texts[row],
            score: points(labels.scores[row]),
        }
    }

    /// Returns the fields in the order of [`csv_header`].
    fn fields(&self, shape: Option<&ArrayShape>) -> Vec<String> {
        let (layer, score) = (self.layer.to_string(), self.score.value().to_string());
        let mut fields = vec![self.position.to_owned(), layer, score];
        let all = shape.map_or(&[][..], |shape| &shape.moves);
        if let Some(best) = &self.best {
            let has_blank = all.iter().any(|name| name.contains(' '));
            fields.push(best.join(if has_blank { "; " } else { " " }));
        }
        if let Some(moves) = &self.moves {
            let score = |name: &String| Some(moves.get(&**name)?.value().to_string());
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
