//! Browser tests of the explorer.
#![allow(missing_docs)]

use fantoccini::{Client, Locator};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_browser::{
    Driver, Explorer, Sight, arrives, axe, click, goto, leaves, path, press, text,
};

const KALAH: &str = "/explore/kalah-6-2";

/// Returns the scores in the list of moves, with the names of the moves.
async fn scores(browser: &Client) -> Vec<(String, i64)> {
    let mut scores = Vec::new();
    let results = browser.find_all(Locator::Css("#moves .results > li"));
    for result in results.await.unwrap() {
        let score = result.find(Locator::Css(".pill")).await.unwrap();
        let score = score.text().await.unwrap().replace('\u{2212}', "-");
        let links = result.find_all(Locator::Css("a[data-key]")).await.unwrap();
        for link in links {
            let name = link.attr("data-key").await.unwrap().unwrap();
            scores.push((name, score.parse().unwrap()));
        }
    }
    scores.sort();
    scores
}

/// Checks that a page shows the scores of `query`.
async fn has_the_scores_of_query(explorer: &Explorer, browser: &Client) {
    let input = browser.find(Locator::Css("#position")).await.unwrap();
    let position = input.prop("value").await.unwrap().unwrap();
    let answer = explorer.query("kalah-6-2.bin", &position);
    let moves = answer["moves"].as_array().unwrap().iter();
    let mut expected: Vec<(String, i64)> = moves
        .map(|of| {
            (
                of["move"].as_str().unwrap().to_owned(),
                of["score"].as_i64().unwrap(),
            )
        })
        .collect();
    expected.sort();
    assert_eq!(scores(browser).await, expected, "{position}");
}

/// Clicks moves in the list and on the board, goes back, and clicks again.
async fn clicks_lead_to_the_right_scores(sight: Sight) {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(sight).await;
    goto(&explorer, &browser, "/").await;
    click(&browser, &format!(".card a:not(.thumb)[href=\"{KALAH}\"]")).await;
    arrives(&browser, KALAH).await;
    let mut line = String::new();
    for (mv, place) in [("5", "#moves"), ("3", "#board"), ("5", "#moves")] {
        has_the_scores_of_query(&explorer, &browser).await;
        let sign = if line.is_empty() { '?' } else { '+' };
        line = if sign == '?' {
            format!("?played={mv}")
        } else {
            format!("{line}+{mv}")
        };
        click(&browser, &format!("{place} a[href=\"{KALAH}{line}\"]")).await;
        arrives(&browser, &format!("{KALAH}{line}")).await;
    }
    has_the_scores_of_query(&explorer, &browser).await;
    let seen = text(&browser).await;
    click(&browser, "a[rel=prev]").await;
    arrives(&browser, &format!("{KALAH}{line}&at=2")).await;
    click(&browser, "a[rel=first]").await;
    arrives(&browser, &format!("{KALAH}{line}&at=0")).await;
    // Another browser shows the same page at the same address.
    let other = driver.browser(sight).await;
    goto(&explorer, &other, &format!("{KALAH}{line}")).await;
    assert_eq!(text(&other).await, seen);
    other.close().await.unwrap();
    browser.close().await.unwrap();
}

#[tokio::test]
async fn by_clicks() {
    clicks_lead_to_the_right_scores(Sight::DESKTOP).await;
}

#[tokio::test]
async fn by_clicks_on_a_telephone() {
    clicks_lead_to_the_right_scores(Sight::PHONE).await;
}

#[tokio::test]
async fn by_clicks_without_a_script() {
    let sight = Sight {
        has_script: false,
        ..Sight::DESKTOP
    };
    clicks_lead_to_the_right_scores(sight).await;
}

#[tokio::test]
async fn by_keys() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&explorer, &browser, KALAH).await;
    let mut line = String::new();
    for mv in ["5", "3", "5"] {
        line.push_str(if line.is_empty() { "?played=" } else { "+" });
        line.push_str(mv);
        press(&browser, mv).await;
        arrives(&browser, &format!("{KALAH}{line}")).await;
        has_the_scores_of_query(&explorer, &browser).await;
    }
    // The arrows and Home and End walk along the line, whose moves stay.
    for (key, at) in [
        ("\u{e012}", "&at=2"),
        ("\u{e014}", ""),
        ("\u{e011}", "&at=0"),
        ("\u{e010}", ""),
    ] {
        press(&browser, key).await;
        arrives(&browser, &format!("{KALAH}?played=5+3+5{at}")).await;
    }
    press(&browser, "\u{e012}").await;
    arrives(&browser, &format!("{KALAH}?played=5+3+5&at=2")).await;
    press(&browser, "*").await;
    arrives(&browser, &format!("{KALAH}?played=5+3+5")).await;
    // The focus is on the board after a move, and a question mark shows the keys.
    let focus = "return Boolean(document.activeElement.closest('#board'));";
    assert_eq!(browser.execute(focus, Vec::new()).await.unwrap(), true);
    press(&browser, "?").await;
    let open = "return document.getElementById('keys').open;";
    assert_eq!(browser.execute(open, Vec::new()).await.unwrap(), true);
    // Only keys that do something on a page are listed there.
    let listed = "return [...document.querySelectorAll('#keys dt')]
                      .filter((key) => !key.parentElement.hidden)
                      .map((key) => key.textContent).join()";
    for (page, keys) in [
        (KALAH, "\u{2190} \u{2192},Home End,*,1 or a1,Tab Enter,?"),
        (
            "/explore/ttt?played=b2+b1",
            "\u{2190} \u{2192},Home End,n,*,1 or a1,Tab Enter,?",
        ),
        ("/search/ttt?depth=1", "\u{2190} \u{2192},Home End,?"),
        ("/rules/ttt", "?"),
    ] {
        goto(&explorer, &browser, page).await;
        let found = browser.execute(listed, Vec::new()).await.unwrap();
        assert_eq!(found, keys, "{page}");
    }
    // The next mistake of a line, from any position.
    goto(&explorer, &browser, "/explore/ttt?played=b2+b1+a1+c3+a3").await;
    press(&browser, "n").await;
    arrives(&browser, "/explore/ttt?played=b2+b1+a1+c3+a3&at=1").await;
    // Moves are typed as letters and digits; a letter waits for the digit of its move.
    goto(&explorer, &browser, "/explore/ttt").await;
    press(&browser, "b2").await;
    arrives(&browser, "/explore/ttt?played=b2").await;
    press(&browser, "*").await;
    arrives(&browser, "/explore/ttt?played=b2+a1").await;
    // Keys typed into a field play no move.
    let field = "document.querySelector('details').open = true";
    browser.execute(field, Vec::new()).await.unwrap();
    let input = browser.find(Locator::Css("#position")).await.unwrap();
    input.send_keys("c3").await.unwrap();
    // The field shows the keys once the script has received them. A move would be played at once.
    let shows = "return document.querySelector('#position').value";
    let began = Instant::now();
    loop {
        let value = browser.execute(shows, Vec::new()).await.unwrap();
        if value.as_str().is_some_and(|value| value.ends_with("c3")) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{value}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    assert_eq!(path(&browser).await, "/explore/ttt?played=b2+a1");
    // The driver finishes loading a new page before it answers another command.
    let answered = "const done = arguments[arguments.length - 1];
                    fetch('../api/games').then(() => setTimeout(done, 0, true));";
    browser.execute_async(answered, Vec::new()).await.unwrap();
    assert_eq!(path(&browser).await, "/explore/ttt?played=b2+a1");
    browser.close().await.unwrap();
}

/// Checks that the program's moves follow each other once that is switched on.
#[tokio::test]
async fn the_program_plays_against_itself() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&explorer, &browser, "/play/ttt?as=none&seed=2").await;
    click(&browser, "a[data-watch] + button").await;
    let began = Instant::now();
    while !text(&browser).await.contains("The game is drawn") {
        assert!(began.elapsed() < Duration::from_secs(120));
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    // Only the script shows the button that copies the address.
    let button = browser.find(Locator::Css("button.copy")).await.unwrap();
    assert!(button.is_displayed().await.unwrap());
    browser.close().await.unwrap();
}

/// Loses a game: in Kalah(6,2) the second player loses to perfect moves.
async fn a_game_is_lost(sight: Sight) {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(sight).await;
    goto(&explorer, &browser, "/play/kalah-6-2").await;
    click(&browser, "input[name=as][value=second]").await;
    click(&browser, "select[name=level] option[value='10']").await;
    click(&browser, "form button").await;
    for choice in 0..200 {
        let seen = text(&browser).await;
        if seen.contains("You have") {
            assert!(seen.contains("You have lost by"), "{seen}");
            assert!(choice > 3);
            click(&browser, "#verdict a.button").await;
            let review = text(&browser).await;
            assert!(
                review.contains("The first player 0, the second player"),
                "{review}"
            );
            browser.close().await.unwrap();
            return;
        }
        assert!(seen.contains("It is your turn"), "{seen}");
        let here = path(&browser).await;
        let links = browser
            .find_all(Locator::Css("#moves a[data-key]"))
            .await
            .unwrap();
        links[(7 * choice + 1) % links.len()].click().await.unwrap();
        leaves(&browser, &here).await;
    }
    panic!("the game never ends");
}

#[tokio::test]
async fn the_perfect_player_wins_a_won_game() {
    a_game_is_lost(Sight::DESKTOP).await;
}

#[tokio::test]
async fn the_perfect_player_wins_without_a_script_too() {
    let sight = Sight {
        has_script: false,
        ..Sight::DESKTOP
    };
    a_game_is_lost(sight).await;
}

/// Clicks the moves of a puzzle until one is right, and returns the number of clicks.
async fn solve_puzzle(browser: &Client) -> usize {
    for tried in 0.. {
        let moves = browser.find_all(Locator::Css("svg a.move")).await.unwrap();
        let to = moves[tried].attr("href").await.unwrap().unwrap();
        moves[tried].click().await.unwrap();
        arrives(browser, &to).await;
        let seen = text(browser).await;
        if seen.contains("Right: ") {
            return tried + 1;
        }
        assert!(
            seen.contains("Not this one") && !seen.contains("wins by"),
            "{seen}"
        );
    }
    unreachable!();
}

/// Wrong tries leave the board as it is, and solved puzzles and streaks are counted in the browser.
#[tokio::test]
async fn puzzles_are_tried_until_they_are_solved_and_counted() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    let sheet = "/puzzles/kalah-6-2?level=medium&seed=3";
    let (mut tries, mut streak) = (0, 0);
    for number in 1..=3 {
        goto(&explorer, &browser, sheet).await;
        let seen = text(&browser).await;
        let before = format!("Solved: {} of 6 on this page, {0} in all.", number - 1);
        assert!(seen.contains(&before), "{seen}");
        click(&browser, &format!("li:nth-child({number}) h2 a")).await;
        let before = tries;
        tries += solve_puzzle(&browser).await;
        streak = if tries == before + 1 { streak + 1 } else { 0 };
    }
    assert!(tries > 3, "{tries}");
    goto(&explorer, &browser, sheet).await;
    let solved = browser.find_all(Locator::Css(".card.solved")).await;
    assert_eq!(solved.unwrap().len(), 3);
    // The next puzzles are solved at the first try. Another look at one counts nothing.
    click(&browser, "li:nth-child(4) h2 a").await;
    for _ in 0..3 {
        let solution = "return document.querySelector('details').textContent.match(/Pit (.)/)[1];";
        let solution = browser.execute(solution, Vec::new()).await.unwrap();
        let here = path(&browser).await;
        let board = "return document.querySelector('#board svg').dataset.position;";
        let before = browser.execute(board, Vec::new()).await.unwrap();
        let solution = solution.as_str().unwrap();
        click(&browser, &format!("#board a[href$='try={solution}']")).await;
        arrives(&browser, &format!("{here}&try={solution}")).await;
        assert_ne!(browser.execute(board, Vec::new()).await.unwrap(), before);
        streak += 1;
        browser.refresh().await.unwrap();
        let shown = format!("Solved at the first try, in a row: {streak}.");
        let seen = text(&browser).await;
        assert!(seen.contains(&shown), "{seen}");
        click(&browser, ".buttons a.strong").await;
    }
    // The sheet has six puzzles, so this one is of the next sheet.
    let last = path(&browser).await;
    assert!(last.ends_with("level=medium&seed=4"), "{last}");
    browser.close().await.unwrap();
}

/// The pages: one of each kind.
const PAGES: [&str; 24] = [
    "/",
    KALAH,
    "/explore/kalah-6-2?played=5+3+5",
    "/explore/ttt?played=b2",
    "/explore/ttt?played=a1+a2+b1+b2+c1",
    "/explore/connect4?played=4+4+4+4+4+4+2",
    "/explore/kalah-6-2?played=1&why=1",
    "/play/kalah-6-2",
    "/play/kalah-6-2?as=first&level=4&seed=3",
    "/explore/kalah-6-2?played=6+1+2&at=1&tree=2",
    "/explore/kalah-6-2?played=6+1+2&hide=1&flip=1",
    "/explore/ttt?text=b2+b2",
    "/play/ttt?as=both&played=b2+a1&hide=0",
    "/play/connect4?as=none&played=4+4+4+4+4+4",
    "/puzzles/kalah-6-2",
    "/puzzles/ttt",
    "/puzzles/kalah-6-2?level=hard",
    "/statistics/kalah-6-2",
    "/rules/kalah-6-2",
    "/explore/nothing",
    "/explore/lgame?through=c1&hide=1",
    "/explore/connect4-5-4?played=1+2&letters=1",
    "/search/ttt?position=XX.OO....&depth=3&step=6",
    "/explore/ttt?played=b2+b1&why=2",
];

#[tokio::test]
async fn nothing_is_cut_off_on_small_screens() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for width in [360, 400, 700, 1000, 1600] {
        let browser = driver
            .browser(Sight {
                width,
                ..Sight::PHONE
            })
            .await;
        for page in PAGES {
            goto(&explorer, &browser, page).await;
            let out = browser.execute(
                "const wide = document.documentElement.clientWidth;
                 const out = [...document.querySelectorAll('body *')].filter((element) => {
                     if (element.closest('.scroll, .unseen, .skip, pre')) return false;
                     const box = element.getBoundingClientRect();
                     return box.width > 0 && (box.left < -0.5 || box.right > wide + 0.5);
                 });
                 const scrolls = document.documentElement.scrollWidth > wide;
                 return [wide, scrolls, out.map((element) => element.outerHTML.slice(0, 200))];",
                Vec::new(),
            );
            let out = out.await.unwrap();
            assert_eq!(out, json!([width, false, []]), "{page} at {width}");
            let header = "return document.querySelector('header').offsetHeight;";
            let header = browser.execute(header, Vec::new()).await.unwrap();
            assert!(header.as_u64() <= Some(96), "{page} at {width}: {header}");
        }
        browser.close().await.unwrap();
    }
}

/// Checks that moves measure at least 24 CSS pixels for fingers (WCAG 2.2, 2.5.8).
#[tokio::test]
async fn moves_are_large_enough_for_a_finger() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver
        .browser(Sight {
            width: 360,
            ..Sight::PHONE
        })
        .await;
    for page in [KALAH, "/explore/ttt", "/explore/connect4"] {
        goto(&explorer, &browser, page).await;
        let sizes = browser.execute(
            "return [...document.querySelectorAll('#board a')].map((link) => {
                 const box = link.getBoundingClientRect();
                 return Math.min(box.width, box.height);
             });",
            Vec::new(),
        );
        let sizes = sizes.await.unwrap();
        let sizes: Vec<f64> = sizes
            .as_array()
            .unwrap()
            .iter()
            .map(|size| size.as_f64().unwrap())
            .collect();
        assert!(
            !sizes.is_empty() && sizes.iter().all(|&size| size >= 36.0),
            "{page}: {sizes:?}"
        );
    }
    browser.close().await.unwrap();
}

#[tokio::test]
async fn the_dark_is_dark() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for is_dark in [false, true] {
        let browser = driver
            .browser(Sight {
                is_dark,
                ..Sight::DESKTOP
            })
            .await;
        goto(&explorer, &browser, KALAH).await;
        let colour =
            "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);";
        let colour = browser.execute(colour, Vec::new()).await.unwrap();
        let sum: u64 = colour
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part.as_u64().unwrap())
            .sum();
        assert_eq!(sum < 200, is_dark, "{colour}");
        browser.close().await.unwrap();
    }
}

/// Checks that axe-core finds no fault on the page that a browser shows.
async fn has_no_fault(browser: &Client, axe: &str, page: &str) {
    browser.execute(axe, Vec::new()).await.unwrap();
    let found = browser.execute_async(
        "const done = arguments[arguments.length - 1];
         axe.run().then((found) => done(found.violations.map((of) =>
             [of.id, of.help, of.nodes.map((node) => node.html + ' ' + node.failureSummary).slice(0, 3)])));",
        Vec::new(),
    );
    assert_eq!(found.await.unwrap(), json!([]), "{page}");
}

/// Checks that axe-core finds no fault on any page: light, dark, wide and narrow.
#[tokio::test]
async fn everyone_can_read_it() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let axe = axe();
    for (is_dark, width) in [(false, 1400), (true, 1400), (false, 400)] {
        let browser = driver
            .browser(Sight {
                is_dark,
                width,
                ..Sight::DESKTOP
            })
            .await;
        for page in PAGES {
            goto(&explorer, &browser, page).await;
            has_no_fault(&browser, &axe, page).await;
        }
        browser.close().await.unwrap();
    }
}

/// Checks that a position can be set up by clicks: letters, numbers and the side to move.
#[tokio::test]
async fn a_position_is_set_up_by_clicks() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    let summary = "details:has(#position) > summary";
    goto(&explorer, &browser, "/explore/ttt").await;
    click(&browser, summary).await;
    let third = "button[aria-label^='row 1, 3']";
    let cell = browser.wait().for_element(Locator::Css(third)).await;
    let cell = cell.unwrap();
    cell.click().await.unwrap();
    cell.click().await.unwrap();
    // With O alone the position is impossible, which is said at once.
    let problem = "//p[@aria-live and contains(., 'turns alternate')]";
    let problem = browser.wait().for_element(Locator::XPath(problem)).await;
    problem.unwrap();
    click(&browser, "button[aria-label^='row 2, 2']").await;
    click(&browser, ".field button").await;
    arrives(&browser, "/explore/ttt?text=..O.X....").await;
    assert!(text(&browser).await.contains("You entered a position"));

    goto(&explorer, &browser, KALAH).await;
    click(&browser, summary).await;
    let pit = Locator::Css(".editor input[aria-label=\"first's pit 6\"]");
    let pit = browser.wait().for_element(pit).await.unwrap();
    pit.send_keys("1").await.unwrap();
    let store = Locator::Css(".editor input[aria-label=\"first's store\"]");
    let store = browser.find(store).await.unwrap();
    store.send_keys("1").await.unwrap();
    click(&browser, ".editor div:last-child button").await;
    let typed = browser.find(Locator::Css("#position")).await.unwrap();
    let typed = typed.prop("value").await.unwrap();
    let wanted = "2,2,2,2,2,1:1/2,2,2,2,2,2:0 second";
    assert_eq!(typed.as_deref(), Some(wanted));

    // A disc falls.
    goto(&explorer, &browser, "/explore/connect4?hide=1").await;
    click(&browser, summary).await;
    let top = Locator::Css("button[aria-label^='row 1, 3']");
    browser.wait().for_element(top).await.unwrap();
    // More clicks change it, and take it away.
    for disc in ["X", "O", "."] {
        click(&browser, "button[aria-label^='row 1, 3']").await;
        let typed = browser.find(Locator::Css("#position")).await.unwrap();
        let typed = typed.prop("value").await.unwrap().unwrap();
        let bottom = format!("/......./..{disc}....");
        assert!(typed.ends_with(&bottom), "{typed}");
    }
    browser.close().await.unwrap();
}

/// Checks that pages still load while programs send many requests.
#[tokio::test(flavor = "multi_thread")]
async fn pages_come_while_programs_ask() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    let (is_over, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    let local = &explorer;
    let (is_over, asked) = (&is_over, &asked);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                // Each thread sends a hundred requests per second.
                let mut next = Instant::now();
                while !is_over.load(Relaxed) {
                    let answer = local.api("/api/kalah-6-2");
                    assert_eq!(answer["score"], 6);
                    asked.fetch_add(1, Relaxed);
                    next += Duration::from_millis(10);
                    std::thread::sleep(next.saturating_duration_since(Instant::now()));
                }
            });
        }
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let began = Instant::now();
                let mut rounds = 0;
                // Continue until pages and programs both had enough requests, on any machine.
                while rounds < 2 || asked.load(Relaxed) <= 200 {
                    assert!(began.elapsed() < Duration::from_secs(600), "{asked:?}");
                    for page in PAGES {
                        goto(&explorer, &browser, page).await;
                        assert!(!text(&browser).await.is_empty(), "{page}");
                    }
                    rounds += 1;
                }
            });
        });
        is_over.store(true, Relaxed);
    });
    goto(&explorer, &browser, KALAH).await;
    has_the_scores_of_query(&explorer, &browser).await;
    browser.close().await.unwrap();
}

/// Checks that the page of a search updates itself, with and without a script.
#[tokio::test]
async fn what_is_searched_comes_by_itself() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for &has_script in explorer.scripts() {
        let browser = driver
            .browser(Sight {
                has_script,
                ..Sight::DESKTOP
            })
            .await;
        // A few moves before the end the search is short, but not instant on any machine.
        let page = "/explore/connect4?position=746336637473574166457736";
        goto(&explorer, &browser, page).await;
        let began = Instant::now();
        loop {
            let seen = text(&browser).await;
            if !seen.contains("hinking") {
                assert!(seen.contains("With best play"), "{seen}");
                assert!(!seen.contains("not known yet"), "{seen}");
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(300), "{seen}");
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        browser.close().await.unwrap();
    }
}

/// A student joins and solves a puzzle by clicks, and the teacher's page shows it by itself.
async fn a_teacher_sees_who_solves_what(sight: Sight) {
    let ((explorer, teacher), driver) = (Explorer::start_class(), Driver::start());
    let (teaching, learning) = (driver.browser(sight).await, driver.browser(sight).await);
    teaching.goto(&teacher).await.unwrap();
    arrives(&teaching, "/class/teacher").await;
    let sheet = "/puzzles/ttt?level=easy&seed=1";
    goto(&explorer, &teaching, sheet).await;
    click(&teaching, "button[name=task][value^=\"/puzzles\"]").await;
    shows(&teaching, "Task: Puzzles: Tic-tac-toe").await;
    goto(&explorer, &teaching, "/class/teacher").await;

    goto(&explorer, &learning, "/").await;
    let field = learning.find(Locator::Css("#name")).await.unwrap();
    field.send_keys("Ada <b>Lovelace</b>").await.unwrap();
    click(&learning, ".join button").await;
    shows(&learning, "You are Ada <b>Lovelace</b>.").await;
    shows(&learning, "The teacher has locked the scores.").await;
    if sight.has_script {
        shows(&teaching, "Ada <b>Lovelace</b> 1 0 0").await;
    }
    click(&learning, ".class a").await;
    arrives(&learning, sheet).await;
    click(&learning, "li:nth-child(2) h2 a").await;
    let tries = solve_puzzle(&learning).await;
    let row = format!("Ada <b>Lovelace</b> 1 1 {tries} \u{2713} {tries}");
    if !sight.has_script {
        goto(&explorer, &teaching, "/class/teacher").await;
    }
    shows(&teaching, &row).await;
    if sight.has_script {
        let axe = axe();
        has_no_fault(&teaching, &axe, "teacher").await;
        goto(&explorer, &learning, "/").await;
        has_no_fault(&learning, &axe, "student").await;
    }

    goto(&explorer, &learning, "/explore/ttt").await;
    shows(&learning, "Scores are hidden").await;
    click(&teaching, "button[name=scores]").await;
    shows(&teaching, "Everyone sees scores.").await;
    goto(&explorer, &learning, "/explore/ttt").await;
    shows(&learning, "With best play a draw").await;
    teaching.close().await.unwrap();
    learning.close().await.unwrap();
}

/// Waits until a page shows a text.
async fn shows(browser: &Client, wanted: &str) {
    let began = Instant::now();
    while !text(browser).await.contains(wanted) {
        let seen = text(browser).await;
        let waited = began.elapsed();
        assert!(waited < Duration::from_secs(60), "no {wanted}: {seen}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

#[tokio::test]
async fn a_class_is_taught() {
    a_teacher_sees_who_solves_what(Sight::DESKTOP).await;
    a_teacher_sees_who_solves_what(Sight::PHONE).await;
}

#[tokio::test]
async fn a_class_is_taught_without_a_script() {
    a_teacher_sees_who_solves_what(Sight {
        has_script: false,
        ..Sight::DESKTOP
    })
    .await;
}
