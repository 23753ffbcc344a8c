//! Browser tests of moves on the board, and of the layout around it.
#![allow(missing_docs)]

use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use zermelo_browser::{Driver, Explorer, Sight, arrives, click, goto, leaves, path, text};

const KALAH: &str = "/explore/kalah-6-2";

/// Clicks a place of the board, and waits until the page is at an address.
async fn click_place(browser: &Client, place: &str, wanted: &str) {
    click(browser, &format!("#board [data-place='{place}']")).await;
    arrives(browser, wanted).await;
}

/// Its moves have names such as "c1c2d1c3+a1-a2", which nobody wants to look for in a list.
#[tokio::test]
async fn the_l_game_is_played_by_clicks_on_its_squares() {
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for &has_script in explorer.scripts() {
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
        leaves(&browser, page).await;
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
