//! A game that another program has listed, in the explorer.
#![allow(missing_docs)]

use crate::http::{Server, encoded};
use crate::run::Home;
use std::path::Path;
use zermelo::any::write_listed;
use zermelo::game::NoProgress;
use zermelo::games::listed::{Builder, Listed};
use zermelo::table::WriteOptions;

/// Counters are taken, one or two; who can't loses. Texts are what no library would write.
fn write_counters(path: &Path) {
    let mut builder = Builder::new();
    for left in (0..=9).rev() {
        builder
            .position(
                &format!("<b>{left}</b> & \"left\""),
                None,
                (left == 0).then_some(-1),
            )
            .unwrap();
        let moves = (1..=left.min(2)).map(|taken| (format!("take <{taken}>"), 9 - left + taken));
        let moves: Vec<_> = moves
            .map(|(name, place)| (builder.name(&name), place))
            .collect();
        builder.moves(moves);
    }
    let (graph, scores) = builder.finish("counters", &NoProgress).unwrap();
    let game = Listed::new(graph);
    write_listed(&game, &scores, path, WriteOptions::default(), &NoProgress).unwrap();
}

#[test]
fn a_listed_game_is_served_as_it_is_queried() {
    let home = Home::new();
    let table = home.path("counters.bin");
    write_counters(&table);
    let server = Server::start(&["--table", table.to_str().unwrap()]);
    for position in [
        "<b>9</b> & \"left\"",
        "<b>8</b> & \"left\" second",
        "<b>3</b> & \"left\"",
        "<b>1</b> & \"left\" second",
        "<b>0</b> & \"left\"",
        "nonsense <b>",
    ] {
        let words = ["query", table.to_str().unwrap(), "--json", "--position"];
        let asked = home.zermelo(&[&words[..], &[position]].concat());
        let expected: serde_json::Value = serde_json::from_str(&asked.out).unwrap();
        let reply = server.get(&format!("/api/counters?position={}", encoded(position)));
        let mut found = reply.json();
        // What `query` says with an exit code.
        if found.get("error").is_some() {
            found.as_object_mut().unwrap().remove("first_player_score");
        }
        assert_eq!(found, expected, "{position}");
    }
    let won = server.get("/api/counters").succeeds().json();
    assert_eq!(won["score"], -1);
    assert_eq!(won["moves"].as_array().unwrap().len(), 2);
    let statistics = server.get("/api/counters/statistics").succeeds().json();
    assert_eq!(
        statistics["rules"].as_str().unwrap().split(' ').next(),
        Some("listed")
    );
}

#[test]
fn pages_of_a_listed_game_say_its_texts_as_texts() {
    let home = Home::new();
    let table = home.path("counters.bin");
    write_counters(&table);
    let server = Server::start(&["--table", table.to_str().unwrap()]);
    let position = encoded("<b>7</b> & \"left\"");
    for path in [
        "/".to_owned(),
        "/explore/counters".to_owned(),
        format!("/explore/counters?position={position}"),
        format!("/play/counters?position={position}"),
        "/play/counters".to_owned(),
        "/puzzles/counters".to_owned(),
        "/statistics/counters".to_owned(),
        "/rules/counters".to_owned(),
    ] {
        let page = server.get(&path).succeeds().body;
        assert!(page.contains("counters"), "{path}");
        assert!(
            !page.contains("<b>7") && !page.contains("take <1>"),
            "{path}: {page}"
        );
    }
    let page = server
        .get(&format!("/explore/counters?position={position}"))
        .body;
    assert!(
        page.contains("&lt;b&gt;7&lt;/b&gt; &amp; &quot;left&quot;"),
        "{page}"
    );
    assert!(page.contains("take &lt;1&gt;"), "{page}");
}
