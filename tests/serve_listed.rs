//! Tests of the explorer with an explicit game graph of another program.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::{Home, TTT, ZERMELO, done, wait_until};
use std::io::{Read, Write};
use std::path::Path;
use zermelo::any::solve_graph;
use zermelo::game::{NoProgress, SolveOptions};
use zermelo::games::listed::Builder;
use zermelo::table::WriteOptions;

/// Writes the table of a game, and its list.
fn write(builder: Builder, name: &str, path: &Path) {
    let options = SolveOptions {
        threads: 1,
        memory: 1 << 26,
    };
    let write = WriteOptions::default();
    assert!(solve_graph(builder, name, Some(path), options, write, &NoProgress).is_ok());
}

/// A game of taking one or two counters; a player who can't, loses.
///
/// Its texts would be unusual for any library.
fn write_counters(path: &Path) {
    let mut builder = Builder::default();
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
    write(builder, "counters", path);
}

/// Returns a game of two moves to the same square, with pictures if `has_look` is set.
fn filling(has_look: bool) -> Builder {
    let mut builder = Builder::default();
    if has_look {
        let names = ["left", "middle", "right"].map(|name| Some(name.to_owned()));
        let about = "Fill the <middle>.\n\nThat wins.";
        builder.look(about, vec![names.to_vec()]).unwrap();
    }
    for (text, score, cells) in [
        ("open", None, ["black", "", "12"]),
        ("full", Some(-1), ["black", "x", "12"]),
    ] {
        builder.position(text, None, score).unwrap();
        if has_look {
            let cells = cells.map(|cell| Some(cell.to_owned()));
            builder.picture(&vec![cells.to_vec()]).unwrap();
        }
        let moves = ["middle", "right-middle"].map(|name| (builder.name(name), 1));
        builder.moves(moves.into_iter().filter(|_| score.is_none()));
    }
    builder
}

/// Pictures are drawn, moves are made on squares of their names, and the rules are shown.
#[test]
fn pictures_and_rules_of_a_listed_game_are_shown() {
    let home = Home::new();
    let [drawn, plain] = ["drawn/fill.bin", "plain/fill.bin"].map(|name| home.path(name));
    for (path, has_look) in [(&drawn, true), (&plain, false)] {
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        write(filling(has_look), "fill", path);
    }
    // The table and its identity are the same without pictures.
    assert_eq!(
        std::fs::read(&drawn).unwrap(),
        std::fs::read(&plain).unwrap()
    );
    let drawn = drawn.to_str().unwrap();
    let server = Server::start(&["--table", drawn]);
    let page = server.get("/explore/fill").succeeds().body;
    assert!(page.contains("class=\"stone first\""), "{page}");
    assert!(page.contains("left: black, right: 12"), "{page}");
    assert!(
        page.contains("class=\"move\" aria-label=\"Middle: "),
        "{page}"
    );
    // The other move goes through two squares.
    let through =
        "href=\"/explore/fill?through=right\" class=\"move\" aria-label=\"Right: 1 move\"";
    assert!(page.contains(through), "{page}");
    let page = server.get("/explore/fill?through=right").succeeds().body;
    let made =
        "href=\"/explore/fill?played=right-middle\" class=\"move\" aria-label=\"Right-middle: ";
    assert!(page.contains(made), "{page}");
    let rules = server.get("/rules/fill").succeeds().body;
    assert!(rules.contains("Fill the &lt;middle&gt;."), "{rules}");
    let svg = home.path("fill.svg");
    let words = ["query", drawn, "--svg", svg.to_str().unwrap()];
    let asked = home.zermelo(&[&words[..], &["--position", "open"]].concat());
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    let svg = std::fs::read_to_string(svg).unwrap();
    assert!(svg.contains("stone first"), "{svg}");
}

/// A file may say anything about pictures; what is not allowed is refused or not drawn.
#[test]
fn pictures_that_are_not_allowed_are_refused_or_not_drawn() {
    let home = Home::new();
    let table = home.path("fill.bin");
    write(filling(true), "fill", &table);
    let list = home.path("fill.bin.game");
    let whole = std::fs::read(&list).unwrap();
    let lines = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let at = lines.map(|(at, _)| at + 1).nth(1).unwrap();
    let mut unpacked = Vec::new();
    let mut packed = flate2::read::ZlibDecoder::new(&whole[at..]);
    packed.read_to_end(&mut unpacked).unwrap();
    let look = unpacked.iter().position(|&byte| byte == b'{').unwrap();
    let with = |look_of: &str| {
        let level = flate2::Compression::default();
        let mut packing = flate2::write::ZlibEncoder::new(whole[..at].to_vec(), level);
        packing.write_all(&unpacked[..look]).unwrap();
        packing.write_all(look_of.as_bytes()).unwrap();
        std::fs::write(&list, packing.finish().unwrap()).unwrap();
        home.zermelo(&["query", table.to_str().unwrap(), "--position", "open"])
    };
    let asked = with("{}\n[[\"a\"]]\n[[\"b\"]]\n");
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    let long = format!("[{}[]]", "[],".repeat(100_000));
    let zeros = "0".repeat(3_000_000);
    for wrong in [
        "[]",
        "[[]]",
        "[[\"abc\"]]",
        "[[\"a\"],[]]",
        "{",
        "[[[1]]]",
        &long,
        "[[\"99999\"]]",
    ] {
        let asked = with(&format!("{{}}\n{wrong}\n{wrong}\n"));
        assert_eq!(asked.code, Some(0), "{wrong:.60}: {}", asked.err);
    }
    for wrong in [
        "x",
        "{}",
        "{}\n[]\n",
        "{}\n[]\n[]\n[]\n",
        "{}\n[]\n[]",
        "{\"names\":[[\"a\",\"a\"]]}\n",
        "{\"names\":[[\"a\"],[]]}\n",
        &format!("{{\"about\":\"{}\"}}\n", "a".repeat(10_001)),
        &zeros,
    ] {
        let asked = with(wrong);
        assert_eq!(asked.code, Some(2), "{wrong:.60}");
        assert!(
            asked.err.contains("list of a game") || asked.err.contains("list of its game"),
            "{}",
            asked.err
        );
    }
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
        let found = reply.json_of_query();
        // To `query`, a finished position is an error.
        if found["over"] == true {
            assert!(expected["error"].to_string().contains("the game is over"));
            continue;
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

/// A game of taking one or two chips, whose moves are hard to write in an address.
fn write_chips(path: &Path, chips: usize) {
    let names = ["(1, 2)", "a+b & 50% \u{e9}/\u{201e}=?#\"<c>"];
    let mut builder = Builder::default();
    for left in (0..=chips).rev() {
        let added = builder.position(&format!("{left} left"), None, (left == 0).then_some(-1));
        added.unwrap();
        let moves = (1..=left.min(2)).map(|taken| (names[taken - 1], chips - left + taken));
        let moves: Vec<_> = moves
            .map(|(name, place)| (builder.name(name), place as u32))
            .collect();
        builder.moves(moves);
    }
    write(builder, "chips", path);
}

/// Returns the addresses of a page's links.
fn links(page: &Reply) -> Vec<String> {
    let parts = page.body.split("href=\"").skip(1);
    let links = parts.filter_map(|part| part.split('"').next());
    links.map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn moves_of_any_name_lead_on_and_back() {
    let home = Home::new();
    let table = home.path("chips.bin");
    write_chips(&table, 5);
    let server = Server::start(&["--table", table.to_str().unwrap()]);
    // All positions by any path, and the content of each page.
    let mut open = vec![
        "/explore/chips".to_owned(),
        "/play/chips?as=first".to_owned(),
    ];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = open.pop() {
        if seen.contains(&path) {
            continue;
        }
        let mut page = server.get(&path);
        if page.status == 303 {
            page = server.get(page.header("location"));
        }
        let page = page.succeeds();
        let pages = ["/explore/chips", "/play/chips?"];
        let on = links(&page).into_iter();
        let others = ["hide=", "tree=", "why="];
        let on = on.filter(|link| !others.iter().any(|name| link.contains(name)));
        open.extend(on.filter(|link| pages.iter().any(|page| link.starts_with(page))));
        seen.push(path);
    }
    // With 1, 2 and more chips taken there are 1, 2, 3, 5 and 8 lines, and each has a page for the
    // position before each move.
    let explored = seen.iter().filter(|path| path.starts_with("/explore"));
    assert_eq!(explored.count(), 1 + 2 + 5 + 10 + 20 + 38);
    // The encodings that a form sends and that people type.
    for played in [
        "%2528%31%252C%25202%2529+%2528%31%252C%25202%2529",
        "%2528%31%252C%25202%2529%20%2528%31%252C%25202%2529",
    ] {
        let page = server.get(&format!("/explore/chips?played={played}"));
        assert!(page.succeeds().body.contains("3 left"));
    }
    server
        .get("/explore/chips?played=%25ff")
        .fails_with(400, "not UTF-8");
}

/// Pages of a game with thousands of moves are small and don't block others.
#[test]
fn pages_of_long_plays_are_short() {
    let home = Home::new();
    let table = home.path("chips.bin");
    write_chips(&table, 5_000);
    let server = Server::start(&["--table", table.to_str().unwrap(), "--table", TTT]);
    // These clients send a request and disconnect.
    for _ in 0..64 {
        let request = "GET /explore/chips HTTP/1.1\r\nHost: localhost\r\n\r\n";
        server.connect().write_all(request.as_bytes()).unwrap();
    }
    let found = server.get("/api/ttt?position=XX.OO....").succeeds();
    assert_eq!(found.json()["score"], 3);
    let first = server.get("/explore/chips").succeeds();
    assert!(first.body.contains("and so on"));
    assert!(links(&first).len() < 200 && first.body.len() < 500_000);
    // Follow the best lines from page to page, as far as the length of an address allows.
    let whole = server.get("/api/chips?line=true").succeeds().json();
    let whole: Vec<&str> = whole["line"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv.as_str().unwrap())
        .collect();
    assert!(whole.len() > 2_500);
    let played: Vec<String> = whole[..600]
        .iter()
        .map(|mv| encoded(&encoded(mv)))
        .collect();
    let played = played.join("+");
    for (page, most) in [("explore", 250), ("play", 150)] {
        let page = server
            .get(&format!("/{page}/chips?as=first&played={played}"))
            .succeeds();
        assert!(page.body.contains(" moves \u{2026}"));
        assert!(links(&page).len() < most && page.body.len() < 5_000_000);
    }
}

/// They would wait for the pipe for ever.
#[cfg(unix)]
#[test]
fn a_list_that_is_a_pipe_is_refused_by_every_command() {
    let home = Home::new();
    write_counters(&home.path("counters.bin"));
    std::fs::remove_file(home.path("counters.bin.game")).unwrap();
    let mode = nix::sys::stat::Mode::S_IRWXU;
    nix::unistd::mkfifo(&home.path("counters.bin.game"), mode).unwrap();
    for args in [
        "query counters.bin",
        "info counters.bin",
        "verify counters.bin",
        "check-ai counters.bin --ai builtin:first",
        "export counters.bin --out out --format csv",
        "serve --table counters.bin",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let mut child = home.command(ZERMELO, &args).spawn().unwrap();
        wait_until("the end", || child.try_wait().unwrap().is_some());
        let words = ["counters.bin.game", "expected a regular file"];
        done(child.wait_with_output().unwrap()).assert_refused_with(&words);
    }
}
