//! How results are printed.

/// The option `--format`, for commands that have `--json`, too, which is short for one of its
/// values.
#[derive(Debug, clap::Args)]
pub struct FormatArgs {
    /// How to print the result: for people, as Markdown or CSV to paste into a document or a
    /// spreadsheet, or as JSON
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value = "text",
        conflicts_with = "json"
    )]
    format: Format,
}

/// A way to print results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Markdown,
    Csv,
    Json,
}

impl FormatArgs {
    /// What `--format` and `--json` ask for together.
    pub fn or_json(&self, json: bool) -> Format {
        if json { Format::Json } else { self.format }
    }
}
