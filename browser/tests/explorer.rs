//! Browser tests of the explorer.
#![allow(missing_docs)]

use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zermelo_browser::{Driver, Explorer, Sight, axe, click, text};

const KALAH: &str = "/explore/kalah-6-2";

async fn path(browser: &Client) -> String {
    let address = browser.current_url().await.unwrap();
    let query = address
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    format!("{}{query}", address.path())
}

/// Opens an address of the explorer.
async fn goto(explorer: &Explorer, browser: &Client, path: &str) {
    let address = format!("{}{path}", explorer.origin);
    browser.goto(&address).await.unwrap();
}

/// Returns whether a move is shown as motion now.
async fn is_moving(browser: &Client) -> bool {
    browser.find(Locator::Css("[aria-busy]")).await.is_ok()
}

/// Waits until the browser is at the address and its board is at rest.
async fn arrives(browser: &Client, wanted: &str) {
    let began = Instant::now();
    while path(browser).await != wanted || is_moving(browser).await {
        let here = path(browser).await;
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{here}, not {wanted}"
        );
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

async fn press(browser: &Client, key: &str) {
    let body = browser.find(Locator::Css("body")).await.unwrap();
    body.send_keys(key).await.unwrap();
}

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
    goto(&explorer, &browser, "").await;
    click(&browser, &format!("a.card[href=\"{KALAH}\"]")).await;
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
                    fetch('/api/games').then(() => setTimeout(done, 0, true));";
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
        while path(&browser).await == here || is_moving(&browser).await {
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
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

/// Clicks a place of the board, and waits until the page is at an address.
async fn click_place(browser: &Client, place: &str, wanted: &str) {
    click(browser, &format!("#board [data-place='{place}']")).await;
    arrives(browser, wanted).await;
}

/// Its moves have names such as "c1c2d1c3+a1-a2", which nobody wants to look for in a list.
#[tokio::test]
async fn the_l_game_is_played_by_clicks_on_its_squares() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for has_script in [true, false] {
        let sight = Sight {
            has_script,
            ..Sight::PHONE
        };
        let browser = driver.browser(sight).await;
        let game = "/explore/lgame";
        goto(&explorer, &browser, &format!("{game}?hide=1")).await;
        // A second click takes a choice back.
        click_place(&browser, "d1", &format!("{game}?through=d1&hide=1")).await;
        click_place(&browser, "d1", &format!("{game}?hide=1")).await;
        // The squares have no order.
        let mut through = String::new();
        for place in ["c3", "d1", "c1", "c2"] {
            through = match &*through {
                "" => place.to_owned(),
                before => format!("{before}+{place}"),
            };
            click_place(&browser, place, &format!("{game}?through={through}&hide=1")).await;
        }
        // No neutral piece has to move.
        let only = browser.find_all(Locator::LinkText("c1d1c2c3")).await;
        assert_eq!(only.unwrap().len(), 2, "{}", text(&browser).await);
        through.push_str("+a1");
        click_place(&browser, "a1", &format!("{game}?through={through}&hide=1")).await;
        let name = "c1d1c2c3%252Ba1-a2";
        click_place(&browser, "a2", &format!("{game}?played={name}&hide=1")).await;
        browser.close().await.unwrap();
    }
}

/// Counts elements that come into a page from now on.
const COUNT: &str = "window.came = 0;
    new MutationObserver((changes) => {
        const nodes = changes.flatMap((change) => [...change.addedNodes]);
        window.came += nodes.filter((node) => node.matches?.(arguments[0])).length;
    }).observe(document.body, { childList: true, subtree: true });";

async fn counted(browser: &Client) -> Value {
    let came = browser.execute("return window.came;", Vec::new()).await;
    came.unwrap()
}

#[tokio::test]
async fn moves_are_seen() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    // Pit 5 has two seeds.
    goto(&explorer, &browser, KALAH).await;
    browser
        .execute(COUNT, vec![json!(".flying")])
        .await
        .unwrap();
    click(&browser, "#board [data-place=\"first's pit 5\"]").await;
    arrives(&browser, &format!("{KALAH}?played=5")).await;
    assert_eq!(counted(&browser).await, 2);
    // A step back and another page of the browser's history are not moves.
    click(&browser, "a[rel=prev]").await;
    arrives(&browser, &format!("{KALAH}?played=5&at=0")).await;
    browser.back().await.unwrap();
    arrives(&browser, &format!("{KALAH}?played=5")).await;
    assert_eq!(counted(&browser).await, 2);
    let calm = Sight {
        has_motion: false,
        ..Sight::DESKTOP
    };
    let other = driver.browser(calm).await;
    goto(&explorer, &other, KALAH).await;
    other.execute(COUNT, vec![json!(".flying")]).await.unwrap();
    click(&other, "#board [data-place=\"first's pit 5\"]").await;
    arrives(&other, &format!("{KALAH}?played=5")).await;
    assert_eq!(counted(&other).await, 0);
    other.close().await.unwrap();
    // Discs drop and turn over, and pieces slide and appear.
    let motions = "window.moved = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...args) {
            window.moved += 1;
            return animate.apply(this, args);
        };";
    for (page, place, moved) in [
        ("/explore/connect4-5-4?hide=1", "3.1", 1),
        ("/explore/reversi4-cross?hide=1", "a2", 2),
        (
            "/explore/morris3-orthogonal?played=a1+b1+a2+b2+c1+c2&through=a2&hide=1",
            "a3",
            1,
        ),
        ("/explore/ttt?hide=1", "b2", 1),
    ] {
        goto(&explorer, &browser, page).await;
        browser.execute(motions, Vec::new()).await.unwrap();
        click(&browser, &format!("#board [data-place='{place}']")).await;
        while path(&browser).await == page || is_moving(&browser).await {
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        let seen = browser.execute("return window.moved;", Vec::new()).await;
        assert_eq!(seen.unwrap(), moved, "{page}");
    }
    // First one's own move, then the program's: the board between them is shown, too.
    goto(&explorer, &browser, "/play/ttt?as=first&level=10&seed=1").await;
    let boards = "svg[data-position]";
    browser.execute(COUNT, vec![json!(boards)]).await.unwrap();
    click(&browser, "#board [data-place=a1]").await;
    arrives(&browser, "/play/ttt?played=a1+b2&as=first&level=10&seed=1").await;
    assert_eq!(counted(&browser).await, 3);
    let pieces = browser.find_all(Locator::Css("#board .piece")).await;
    assert_eq!(pieces.unwrap().len(), 2);
    browser.close().await.unwrap();
}

/// Opens the refutation of a mistake, which is shown move by move until the reader follows a link.
#[tokio::test]
async fn refutations_play_by_themselves_until_a_click() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(&explorer, &browser, "/explore/ttt?played=b2+b1+a1+c3").await;
    click(&browser, ".mistakes a[data-step=why]").await;
    // The last move of the line has no parameter "at".
    let began = Instant::now();
    let is_over = |path: &str| path.contains("why=2") && !path.contains("at=");
    while !is_over(&path(&browser).await) {
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let end = path(&browser).await;
    assert!(text(&browser).await.contains("completes a row"));
    // A step back stops it, and the button starts it again.
    click(&browser, "a[rel=first]").await;
    arrives(&browser, &end.replace("&why", "&at=0&why")).await;
    let stopped = "return document.querySelector('a[data-watch] + button').textContent;";
    let stopped = browser.execute(stopped, Vec::new()).await.unwrap();
    assert_eq!(stopped, "Go on by itself");
    click(&browser, "a[data-watch] + button").await;
    while path(&browser).await.contains("&at=0&") {
        assert!(began.elapsed() < Duration::from_secs(120));
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    click(&browser, "a[rel=first]").await;
    arrives(&browser, &end.replace("&why", "&at=0&why")).await;
    let on = "return sessionStorage.getItem('watch');";
    assert_ne!(browser.execute(on, Vec::new()).await.unwrap(), "on");
    // An address that somebody shares stands still.
    let other = driver.browser(Sight::DESKTOP).await;
    goto(&explorer, &other, &end.replace("&why", "&at=2&why")).await;
    let on = other.execute(on, Vec::new()).await.unwrap();
    assert!(on.is_null(), "{on}");
    other.close().await.unwrap();
    browser.close().await.unwrap();
}

#[tokio::test]
async fn a_move_leaves_the_page_where_it_is() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver
        .browser(Sight {
            height: 390,
            ..Sight::PHONE
        })
        .await;
    goto(&explorer, &browser, KALAH).await;
    let scrolled = "window.scrollTo(0, 120);";
    browser.execute(scrolled, Vec::new()).await.unwrap();
    // By the script, since the driver would scroll to the link.
    let clicked = "document.querySelector('#moves a[data-key]').click();";
    browser.execute(clicked, Vec::new()).await.unwrap();
    arrives(&browser, &format!("{KALAH}?played=5")).await;
    let place = "return window.scrollY;";
    assert_eq!(browser.execute(place, Vec::new()).await.unwrap(), 120);
    browser.close().await.unwrap();
}

/// On a laptop, and on a telephone that lies on its side.
#[tokio::test]
async fn a_board_and_its_scores_need_no_scrolling() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let bottoms = "return arguments[0].map((part) => {
        const box = document.querySelector(part).getBoundingClientRect();
        return Math.max(0, box.bottom - window.innerHeight);
    });";
    for ((width, height), parts) in [
        ((1280, 800), &["#board svg", "#verdict", "#moves"][..]),
        ((844, 390), &["#board svg", "#verdict"]),
    ] {
        let browser = driver
            .browser(Sight {
                width,
                height,
                ..Sight::DESKTOP
            })
            .await;
        for page in [
            KALAH,
            "/explore/kalah-6-2?played=5+3",
            "/explore/ttt?played=a1",
            "/explore/connect4-5-4?played=1+2",
        ] {
            goto(&explorer, &browser, page).await;
            let below = browser.execute(bottoms, vec![json!(parts)]).await.unwrap();
            assert_eq!(below, json!(vec![0; parts.len()]), "{page} at {width}");
        }
        browser.close().await.unwrap();
    }
}

#[tokio::test]
async fn the_tree_of_a_search_is_printed() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    goto(
        &explorer,
        &browser,
        "/search/ttt?position=XX.OO....&depth=2&step=3",
    )
    .await;
    // The screen takes the rules for paper.
    let heights = "for (const sheet of document.styleSheets) {
            for (const rule of sheet.cssRules) {
                if (rule.media?.mediaText === 'print') rule.media.mediaText = 'all';
            }
        }
        const high = (selector) => [...document.querySelectorAll(selector)].map((node) => node.getBoundingClientRect().height);
        return [high('.search-tree .visit'), high('header')];";
    let heights = browser.execute(heights, Vec::new()).await.unwrap();
    let nodes = heights[0].as_array().unwrap();
    assert!(
        nodes.len() > 2 && nodes.iter().all(|high| high.as_f64() > Some(0.0)),
        "{heights}"
    );
    assert_eq!(heights[1], json!([0]), "the header isn't printed");
    browser.close().await.unwrap();
}

/// The pages: one of each kind.
const PAGES: [&str; 20] = [
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
    assert!(text(&browser).await.contains("Read a position"));

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
    for has_script in [true, false] {
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
