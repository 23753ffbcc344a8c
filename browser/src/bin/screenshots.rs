//! Takes screenshots of the explorer: `screenshots OUT` writes them to a directory.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use zermelo_browser::{Driver, Explorer, Sight, goto, text};

/// The screenshots: file name, address, width and height, and whether it is dark.
const PICTURES: [(&str, &str, (u32, u32), bool); 6] = [
    ("home", "/", (1000, 720), false),
    ("kalah", "/explore/kalah-6-2?played=6", (1000, 545), false),
    (
        "kalah-dark",
        "/explore/kalah-6-2?played=6",
        (1000, 545),
        true,
    ),
    (
        "connect4",
        "/play/connect4?played=4+4+4+4+4+2+2+2+6+6+6+4+2+2+2+6+6+6&as=first&level=10",
        (1000, 700),
        false,
    ),
    ("statistics", "/statistics/kalah-6-2", (1000, 800), false),
    (
        "review",
        "/explore/kalah-6-2?played=6+1+2+5+4+2&at=1",
        (1000, 545),
        false,
    ),
];

#[tokio::main]
async fn main() {
    let out = env::args_os().nth(1).map(PathBuf::from);
    let out = out.expect("the folder that the pictures go to");
    fs::create_dir_all(&out).expect("a folder");
    let (explorer, driver) = (Explorer::start(), Driver::start());
    for (name, path, (width, height), is_dark) in PICTURES {
        let sight = Sight {
            width,
            height,
            is_dark,
            ..Sight::DESKTOP
        };
        let browser = driver.browser(sight).await;
        goto(&explorer, &browser, path).await;
        // A page of a running search updates itself.
        while text(&browser).await.contains("hinking") {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let picture = browser.screenshot().await.expect("a picture");
        fs::write(out.join(format!("{name}.png")), picture).expect("a file");
        browser.close().await.expect("an end");
    }
}
