//! Browser tests of what `export --site` and `serve --allow-embed` put into other places.
#![allow(missing_docs)]

use fantoccini::{Client, Locator};
use std::time::{Duration, Instant};
use zermelo_browser::{Driver, Sight, click, export_site, text};

async fn waits_for(browser: &Client, words: &str) {
    let began = Instant::now();
    while !text(browser).await.contains(words) {
        let seen = text(browser).await;
        assert!(began.elapsed() < Duration::from_secs(60), "{seen}");
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

#[tokio::test]
async fn a_static_site_opens_from_the_disk() {
    let (site, driver) = (export_site(), Driver::start());
    let browser = driver.browser(Sight::DESKTOP).await;
    let page = format!("file://{}/index.html", site.path().display());
    browser.goto(&page).await.unwrap();
    waits_for(&browser, "X to move").await;
    // By the board, by the list of moves, and back.
    click(&browser, "svg a.move[aria-label^='Cell b2']").await;
    waits_for(&browser, "Moves so far: b2").await;
    waits_for(&browser, "O to move").await;
    click(&browser, ".moves a[data-key=a1]").await;
    waits_for(&browser, "Moves so far: b2 a1").await;
    click(&browser, "a[rel=prev]").await;
    waits_for(&browser, "Moves so far: b2").await;
    // An address names a whole line, here to the end of the game.
    browser
        .goto(&format!("{page}#ttt/a1/a2/b1/b2/c1"))
        .await
        .unwrap();
    waits_for(&browser, "X has won").await;
    assert_eq!(
        browser
            .find_all(Locator::Css(".moves a"))
            .await
            .unwrap()
            .len(),
        0
    );
    browser.close().await.unwrap();
}
