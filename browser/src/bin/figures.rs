//! Measures a site: how long a first visit takes, answers from tables, and the search of Connect Four.
//!
//! `ZERMELO_TABLES` needs tables of `kalah-6-2`, `ttt`, `connect4-5-4` and `kalah-4-3`.

use fantoccini::Client;
use serde_json::{Value, json};
use std::time::Instant;
use zermelo_browser::{Driver, Explorer, Sight};

/// Number of first visits to each page.
const VISITS: usize = 5;

/// Returns the value of a script's promise.
async fn run(browser: &Client, script: &str, args: Vec<Value>) -> Value {
    let script = format!(
        "const args = [...arguments];
         const done = args.pop();
         (async () => {{ {script} }})().then(done, (error) => done(String(error)));"
    );
    browser.execute_async(&script, args).await.expect("a value")
}

/// Prints how long first visits take until a board can be clicked.
async fn visits(driver: &Driver, site: &Explorer, page: &str) {
    let mut seconds = Vec::new();
    for _ in 0..VISITS {
        let browser = driver.browser(Sight::DESKTOP).await;
        let began = Instant::now();
        browser.goto(&site.address(page)).await.expect("a page");
        let is_shown = "return Boolean(document.querySelector('#board a'));";
        while browser.execute(is_shown, Vec::new()).await.ok() != Some(Value::Bool(true)) {}
        seconds.push(began.elapsed().as_secs_f64());
        browser.close().await.expect("an end");
    }
    seconds.sort_by(f64::total_cmp);
    println!("first visit to {page}: {seconds:.2?} s");
}

/// Prints the times of answers about the positions of a random game, again and again.
async fn answers(browser: &Client, site: &Explorer, game: &str) {
    let script = "const [address] = args, times = [];
        const ask = async (query) => {
            const began = performance.now();
            const reply = await fetch(`${address}?${query}moves=true`);
            const answer = await reply.json();
            times.push(performance.now() - began);
            return answer;
        };
        while (!(await fetch(`${address}/statistics`)).ok) await new Promise((later) => setTimeout(later, 50));
        await ask('');
        times.length = 0;
        for (let position = '', number = 1; times.length < 300; number += 1) {
            const { moves } = await ask(position);
            const next = moves[(number * number) % moves.length]?.position;
            position = next ? `position=${encodeURIComponent(next)}&` : '';
        }
        times.sort((one, other) => one - other);
        return [0.5, 0.9, 0.99].map((part) => Number(times[Math.floor(part * times.length)].toFixed(2)));";
    let address = json!(site.address(&format!("/api/{game}")));
    let times = run(browser, script, vec![address]).await;
    println!("answer from the table of {game}, 50, 90 and 99 %: {times} ms");
}

/// Prints how long the first answer about Connect Four takes, with the time of the book.
async fn connect4(driver: &Driver, site: &Explorer) {
    let browser = driver.browser(Sight::DESKTOP).await;
    browser
        .goto(&site.address("/explore/ttt"))
        .await
        .expect("a page");
    zermelo_browser::text(&browser).await;
    let script = "const began = performance.now();
        let reply;
        do reply = await fetch(`${args[0]}?moves=true`); while (reply.status === 202);
        const answer = await reply.json();
        return [(performance.now() - began) / 1000, answer.moves.map((of) => of.score).join()];";
    let address = json!(site.address("/api/connect4"));
    let found = run(&browser, script, vec![address]).await;
    println!("Connect Four 7×6, first move, with the book's arrival: {found} s and scores");
    browser.close().await.expect("an end");
}

#[tokio::main]
async fn main() {
    let (site, driver) = (Explorer::site(), Driver::start());
    for page in [
        "/explore/ttt",
        "/explore/kalah-6-4",
        "/play/connect4?as=first&level=10",
    ] {
        visits(&driver, &site, page).await;
    }
    let browser = driver.browser(Sight::DESKTOP).await;
    browser.goto(&site.address("/")).await.expect("a page");
    zermelo_browser::text(&browser).await;
    for game in ["ttt", "connect4-5-4", "kalah-4-3"] {
        answers(&browser, &site, game).await;
    }
    browser.close().await.expect("an end");
    connect4(&driver, &site).await;
}
