//! A static explorer of small tables, which any web server or `file://` opens.
//!
//! A table's file has the contents of each position's page in parts, since most positions share
//! most of theirs. The script puts them together.

use super::assets::STYLE;
use super::{board, parts, scene};
use crate::any::{AnyTable, View};
use crate::cli::answer;
use crate::cli::output;
use crate::cli::serve::jobs::Found;
use crate::oracle::Wanted;
use crate::text::capitalised;
use anyhow::{Context, bail};
use maud::{Markup, html};
use rustc_hash::FxHashMap;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Maximum number of positions of a table.
const MOST: usize = 20_000;

/// Name of a site's page, and what tells it from other pages.
const PAGE: &str = "index.html";
const MARK: &str = "<script src=\"site.js\"";

/// Writes the site of these tables, each with its name.
///
/// It replaces another site, and other files only with `force`.
pub fn write(
    site: &Path,
    tables: &[(String, Box<dyn AnyTable>)],
    force: bool,
) -> anyhow::Result<()> {
    let links =
        html! { @for (name, table) in tables { li { a href={ "#" (name) } { (table.title()) } } } };
    let page = include_str!("site.html").replace("GAMES", &links.into_string());
    let mut files = vec![
        (PAGE.to_owned(), page),
        ("site.js".to_owned(), include_str!("site.js").to_owned()),
        ("style.css".to_owned(), STYLE.to_owned()),
    ];
    let file_of = |name: &str| format!("{name}.js");
    let is_site = fs::read_to_string(site.join(PAGE)).is_ok_and(|page| page.contains(MARK));
    let own = files.iter().map(|(name, _)| name.clone());
    let names = own.chain(tables.iter().map(|(name, _)| file_of(name)));
    let mut places = names.map(|name| site.join(name));
    if !force
        && !is_site
        && let Some(place) = places.find(|place| place.exists())
    {
        bail!(
            "{} is there already\ntip: choose another directory, or replace it with --force",
            place.display()
        );
    }
    for (name, table) in tables {
        let text = data(&**table).with_context(|| format!("can't export {name}"))?;
        files.push((file_of(name), text));
    }
    fs::create_dir_all(site).with_context(|| format!("can't make {}", site.display()))?;
    // The page comes last, so that a site with one is complete.
    for (name, text) in files.iter().rev() {
        output::write(&site.join(name), "site", text)?;
    }
    Ok(())
}

/// The number of a text among those numbered so far.
fn number(numbers: &mut FxHashMap<String, usize>, all: &mut Vec<String>, text: &str) -> usize {
    let number = *numbers.entry(text.to_owned()).or_insert(all.len());
    if number == all.len() {
        all.push(text.to_owned());
    }
    number
}

/// The contents of a table's file: a call with the parts and the positions.
fn data(table: &dyn AnyTable) -> anyhow::Result<String> {
    if table.file().entries() > MOST as u64 {
        bail!(TOO_MANY);
    }
    let (mut numbers, mut known) = (FxHashMap::default(), FxHashMap::default());
    let (mut parts, mut positions, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    let start = table.view(None, &[])?.position;
    number(&mut known, &mut positions, &start);
    while let Some(position) = positions.get(pages.len()).cloned() {
        let view = table.view(Some(&position), &[])?;
        let page = contents(table, &view)?.into_string();
        let page = page.replace("<g>", "\n<g>").replace("<a ", "\n<a ");
        let page = page.split('\n');
        let page: Vec<usize> = page
            .map(|part| number(&mut numbers, &mut parts, part))
            .collect();
        let mut next = serde_json::Map::new();
        for mv in &view.moves {
            let child = table.play(&position, &mv.name)?;
            let child = number(&mut known, &mut positions, &child);
            next.insert(mv.name.clone(), child.into());
        }
        if positions.len() > MOST {
            bail!(TOO_MANY);
        }
        pages.push(json!([page, next]));
    }
    let data = json!({ "title": table.title(), "parts": parts, "pages": pages });
    Ok(format!("zermelo.loaded({data});\n"))
}

const TOO_MANY: &str = "the game has more than 20,000 positions, too many for a site\ntip: `serve` explores tables of any size";

/// The board and the scores of a position; links name the move after `#`.
fn contents(table: &dyn AnyTable, view: &View) -> anyhow::Result<Markup> {
    let wanted = Wanted {
        moves: true,
        ..Wanted::default()
    };
    let found = match view.result {
        Some(_) => None,
        None => Some(Found::from(table.ask(Some(&view.position), wanted)?)),
    };
    let links = scene::links(table, view, found.as_ref(), |mv| format!("#{mv}"));
    let answer = found.as_ref().and_then(Found::whole);
    let reason = answer.map(|answer| answer::reason(answer, table.move_noun()));
    Ok(html! {
        section class="stage" aria-label="Board" {
            (parts::turn(view)) (board::board(view, &links)) (parts::beside_board(&links))
        }
        section class="facts" aria-label="Scores" {
            @if let Some(reason) = reason { p class="verdict" { (capitalised(&reason)) } }
            (parts::list_of_moves(&links, true))
        }
    })
}
