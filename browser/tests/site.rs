//! Browser tests of a site without a server: it answers like the server and the command.
#![allow(missing_docs)]

use fantoccini::Client;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use zermelo_browser::{Driver, Explorer, Sight, goto, query_batch, text};

/// Games: id in addresses, the question of `query`, and the number of discs from which walks begin.
///
/// Only boards with columns have that number, because their first positions take long.
const GAMES: [(&str, &str, usize); 11] = [
    ("ttt", "ttt", 0),
    ("kalah-6-2", "kalah-6-2", 0),
    ("kalah-4-3", "kalah --pits 4 --seeds 3", 0),
    ("connect4-5-4", "connect4 --columns 5 --rows 4", 6),
    ("connect4", "connect4", 28),
    ("reversi4-cross", "reversi4 --start cross", 0),
    ("morris3-orthogonal", "morris3", 0),
    ("lgame", "lgame", 0),
    (
        "dots-and-boxes-2-2",
        "dots-and-boxes --columns 2 --rows 2",
        0,
    ),
    ("oware-3-2", "oware --pits 3 --seeds 2", 0),
    ("eight", "eight", 0),
];

/// Positions of each game, if it has as many.
const POSITIONS: usize = 50;

/// Returns the address of the API's answer about a position, with all moves.
fn address(game: &str, position: &str) -> String {
    let encode = |byte: u8| match byte {
        b if b.is_ascii_alphanumeric() => char::from(b).to_string(),
        b => format!("%{b:02X}"),
    };
    let position: String = position.bytes().map(encode).collect();
    format!("/api/{game}?position={position}&moves=true")
}

/// Returns an answer without the numbers that depend on the host.
fn without_effort(answer: &str) -> String {
    ["nodes", "seconds"]
        .iter()
        .fold(answer.to_owned(), |answer, key| {
            match answer.split_once(&format!(",\"{key}\":")) {
                Some((before, after)) => {
                    let end = after.find([',', '}']).expect("an end");
                    format!("{before}{}", &after[end..])
                }
                None => answer,
            }
        })
}

/// Returns the server's answer when its search is over.
fn of_server(server: &Explorer, address: &str) -> (u64, String) {
    loop {
        let (status, body) = server.request(address);
        if status != 202 {
            return (status, body);
        }
    }
}

/// Returns the site's answer when its search is over.
async fn of_site(browser: &Client, address: &str) -> (u64, String) {
    let answer = browser.execute_async(
        "const [address, done] = arguments;
         const ask = async () => {
             for (;;) {
                 const reply = await fetch(address);
                 if (reply.status !== 202) return [reply.status, await reply.text()];
             }
         };
         ask().then(done, (error) => done([0, String(error)]));",
        vec![json!(address)],
    );
    serde_json::from_value(answer.await.unwrap()).unwrap()
}

/// Returns the server's answers about positions of random games.
fn sample(
    server: &Explorer,
    game: &str,
    discs: usize,
    random: &mut fastrand::Rng,
) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    // Small games have fewer positions.
    for _ in 0..POSITIONS {
        // A board with columns begins with a few that are not full.
        let mut position = String::new();
        let (columns, rows) = if game == "connect4" { (7, 6) } else { (5, 4) };
        while position.len() < discs {
            let column = (b'1' + random.usize(..columns) as u8) as char;
            if position.matches(column).count() < rows {
                position.push(column);
            }
        }
        // Positions of a game can repeat.
        for _ in 0..40 {
            let (status, answer) = of_server(server, &address(game, &position));
            if status != 200 && discs > 0 {
                // The game was over before.
                break;
            }
            assert_eq!(status, 200, "{game} {position}: {answer}");
            let parsed: Value = serde_json::from_str(&answer).unwrap();
            position = parsed["position"].as_str().unwrap().to_owned();
            answers.insert(position.clone(), answer);
            let moves = parsed["moves"].as_array().unwrap();
            if answers.len() == POSITIONS {
                return answers;
            }
            if moves.is_empty() {
                break;
            }
            let next = &moves[random.usize(..moves.len())];
            position = next["position"].as_str().unwrap().to_owned();
        }
    }
    answers
}

#[tokio::test]
#[ignore = "needs a program that was built with the site"]
async fn a_site_answers_like_the_server_and_the_command() {
    let (server, site, driver) = (Explorer::server(), Explorer::site(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&site, &browser, "/").await;
    let mut compared = 0;
    for (seed, (game, query, discs)) in GAMES.into_iter().enumerate() {
        let answers = sample(
            &server,
            game,
            discs,
            &mut fastrand::Rng::with_seed(seed as u64),
        );
        let known: Vec<_> = answers.keys().map(|position| &**position).collect();
        let scores = query_batch(query, &known);
        for ((position, expected), score) in answers.iter().zip(scores) {
            let found = of_site(&browser, &site.address(&address(game, position))).await;
            let (expected, found) = (
                without_effort(expected),
                (found.0, without_effort(&found.1)),
            );
            assert_eq!(found, (200, expected), "{game} {position}");
            let found: Value = serde_json::from_str(&found.1).unwrap();
            // The command refuses finished games.
            if found["over"] != true {
                for key in ["position", "score", "outcome", "distance"] {
                    assert_eq!(found[key], score[key], "{game} {position}: {score}");
                }
            }
        }
        println!("{game}: {} positions", answers.len());
        compared += answers.len();
    }
    assert!(compared > 500, "{compared}");
    browser.close().await.unwrap();
}

/// Addresses of pages, and those of the API other than positions, good and bad.
const ADDRESSES: [&str; 27] = [
    "/",
    "/boards",
    "/explore/kalah-6-2?played=5+3+5",
    "/explore/ttt?played=b2+b1&why=2",
    "/play/ttt?as=both&played=b2+a1",
    "/play/ttt?played=b2&as=first&level=1&seed=4",
    "/play/kalah-6-2?as=second&level=1&seed=5",
    "/puzzles/kalah-6-2?level=medium&seed=3",
    "/rules/connect4",
    "/search/ttt?position=XX.OO....&depth=3&step=6",
    "/explore/nothing",
    "/api/games",
    "/api/openapi.json",
    "/api/ttt/rules",
    "/api/kalah-6-2/rules",
    "/api/ttt/board.svg?played=b2",
    "/api/ttt/statistics",
    "/api/kalah-6-2/statistics",
    "/api/ttt/puzzles?level=easy&seed=1",
    "/api/kalah-6-2/puzzles?level=hard&seed=2",
    "/api/kalah-6-4/statistics",
    "/api/nothing",
    "/api/ttt?played=b2+b2",
    "/api/ttt?position=%zz",
    "/api/ttt?nonsense=1",
    "/api/%zz",
    "/assets/style.css",
];

#[tokio::test]
#[ignore = "needs a program that was built with the site"]
async fn a_site_answers_and_refuses_requests_like_the_server() {
    let (server, site, driver) = (Explorer::server(), Explorer::site(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&site, &browser, "/").await;
    for address in ADDRESSES {
        let found = of_site(&browser, &site.address(address)).await;
        let (status, answer) = found;
        // A table of a site has no file.
        let file = address.split('/').nth(2).unwrap_or_default();
        let answer = answer
            .replace("=\"/zermelo/", "=\"/")
            .replace("(memory)", &format!("{file}.bin"));
        assert_eq!((status, answer), of_server(&server, address), "{address}");
    }
    browser.close().await.unwrap();
}

/// Two other games make room for themselves, and the book stays.
#[tokio::test]
#[ignore = "needs a program that was built with the site"]
async fn openings_of_connect_four_are_known_after_other_games() {
    let (site, driver) = (Explorer::site(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    browser.goto(&site.address("/")).await.unwrap();
    text(&browser).await;
    for path in [
        "connect4",
        "ttt",
        "kalah-6-3",
        "connect4?played=4+4&moves=true",
    ] {
        let (status, answer) = of_site(&browser, &site.address(&format!("/api/{path}"))).await;
        assert_eq!(status, 200, "{path}: {answer}");
        // A search of this opening visits millions.
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let is_in_book = path.starts_with("connect4");
        assert!(!is_in_book || answer["nodes"] == 0, "{path}: {answer}");
    }
    browser.close().await.unwrap();
}

/// Opens pages while another tab sends one request after the other.
#[tokio::test]
#[ignore = "needs a program that was built with the site"]
async fn pages_come_while_another_tab_asks() {
    let (site, driver) = (Explorer::site(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&site, &browser, "/").await;
    let asking = "localStorage.setItem('answers', '0');
        const ask = async () => {
            for (let number = 1; ; number += 1) {
                const answer = await (await fetch(arguments[0])).json();
                localStorage.setItem('answers', answer.score === 6 ? number : 'wrong');
                if (answer.score !== 6) return;
            }
        };
        ask();";
    let address = json!(site.address("/api/kalah-6-2"));
    browser.execute(asking, vec![address]).await.unwrap();
    let tab = browser.new_window(true).await.unwrap();
    browser.switch_to_window(tab.handle).await.unwrap();
    let (mut answers, began) = (0, Instant::now());
    while answers < 200 {
        assert!(began.elapsed() < Duration::from_secs(600), "{answers}");
        for page in [
            "/",
            "/explore/kalah-6-2?played=5",
            "/play/ttt",
            "/puzzles/kalah-6-2",
        ] {
            goto(&site, &browser, page).await;
            assert!(!text(&browser).await.is_empty(), "{page}");
        }
        let counted = "return Number(localStorage.getItem('answers'));";
        let counted = browser.execute(counted, Vec::new()).await.unwrap();
        answers = counted.as_u64().expect("right answers");
    }
    browser.close().await.unwrap();
}
