//! Tests of `zermelo serve --ai`: AIs that are programs, as opponents on pages.

use crate::check_external::FIRST;
use crate::check_hostile::inhabitants;
use crate::http::{Reply, Server};
use crate::run::{Home, PATIENT, TTT, wait_until};
use crate::serve_pages::{attributes, follow, moves, text};

/// Starts a server of tic-tac-toe whose AIs run `each` for each line; `$m` is a legal move.
fn server(ais: &[(&str, &str)], options: &[&str]) -> (Home, Server) {
    let home = Home::new();
    let mut args: Vec<String> = ["--table", TTT].map(str::to_owned).into();
    for (name, each) in ais {
        let script = format!("while read -r p; do {FIRST} {each}\ndone");
        std::fs::write(home.path(name), script).unwrap();
        args.extend(["--ai".to_owned(), format!("{name}=sh {name}")]);
    }
    let args: Vec<&str> = args
        .iter()
        .map(|arg| &**arg)
        .chain(options.iter().copied())
        .collect();
    let server = Server::start_in(&home.path(""), &args);
    (home, server)
}

/// The time limit of tests that don't wait for it.
const LONG: [&str; 2] = ["--timeout", PATIENT];

/// Follows redirects, and reloads the page while an AI thinks.
fn when_ready(server: &Server, path: &str) -> (String, Reply) {
    let mut found = None;
    wait_until("the AI's move", || {
        let mut here = path.to_owned();
        let mut page = server.get(&here);
        while page.status == 303 {
            here = page.header("location").to_owned();
            page = server.get(&here);
        }
        let is_ready = !page.body.contains("is thinking");
        found = Some((here, page));
        is_ready
    });
    found.unwrap()
}

#[test]
fn an_ai_is_played_against_from_the_setup_to_the_end() {
    let (_home, server) = server(&[("ada", "echo $m")], &LONG);
    let setup = server.get("/play/ttt").succeeds().body;
    assert!(
        attributes(&setup, "value").contains(&"ada".to_owned()),
        "{setup}"
    );
    let (mut path, mut page) = when_ready(&server, "/play/ttt?as=second&level=ada&seed=1");
    assert!(
        path.contains("played=a1") && path.contains("level=ada"),
        "{path}"
    );
    // The last legal move each time: c3, b3, a3.
    for played in ["c3", "b3", "a3"] {
        let said = text(&page.body);
        assert!(said.contains("It is your turn"), "{said}");
        assert!(said.contains("Ada played"), "{said}");
        assert!(!said.contains("The program plays at level"), "{said}");
        let links = moves(&page.body);
        let to = links.iter().find(|link| link.0 == played).unwrap();
        (path, page) = when_ready(&server, &to.1);
        if page.body.contains("You have lost") {
            break;
        }
    }
    let said = text(&page.body);
    assert!(said.contains("You have lost"), "{path}: {said}");
}

#[test]
fn moves_of_an_ai_are_shown_with_regret_and_escaped_standard_error() {
    let speak = r"printf '<b>sees %s\033[31m\n' $p >&2; echo $m";
    let (_home, server) = server(&[("ada", speak)], &LONG);
    // The centre draws against the corner, and b1 loses against the centre: a draw thrown away.
    let (path, page) = when_ready(&server, "/play/ttt?as=first&level=ada&seed=1&played=b2");
    assert!(path.contains("played=b2+a1"), "{path}");
    assert!(
        text(&page.body).contains("Move 2: ada played square a1, regret 0."),
        "{}",
        page.body
    );
    let (path, page) = when_ready(&server, "/play/ttt?as=first&level=ada&seed=1&played=a1");
    assert!(path.contains("played=a1+b1"), "{path}");
    let said = text(&page.body);
    let regret = "Move 2: ada played square b1, regret 2: a draw turned into a loss";
    assert!(said.contains(regret), "{said}");
    // The text may arrive after the move, and is then shown with a later one.
    let mut seed = 1;
    wait_until("standard error", || {
        seed += 1;
        let path = format!("/play/ttt?as=first&level=ada&seed={seed}&played=a1");
        let (_, page) = when_ready(&server, &path);
        assert!(!page.body.contains("<b>sees") && !page.body.contains('\u{1b}'));
        page.body.contains(r"&lt;b&gt;sees X........\u{1b}[31m")
    });
}

#[test]
fn faults_of_an_ai_are_told_and_the_next_game_works() {
    let ais = [
        (
            "crash",
            "echo lost >&2; [ $p = X........ ] && exit 3; echo $m",
        ),
        ("cheat", "[ $p = X........ ] && m=a1; echo $m"),
        ("gone", "echo $m"),
    ];
    let (home, server) = server(&ais, &LONG);
    std::fs::remove_file(home.path("gone")).unwrap();
    for (name, fault) in [
        ("crash", "crash exited with code 3"),
        ("cheat", "cheat answered a1, but the legal moves are"),
        ("gone", "gone exited with code"),
    ] {
        let game = format!("/play/ttt?as=first&level={name}&seed=1");
        let (_, page) = when_ready(&server, &format!("{game}&played=a1"));
        assert_eq!(page.status, 502, "{}", page.body);
        let said = text(&page.body);
        assert!(said.to_lowercase().contains(fault), "{said}");
        assert!(said.contains("Try again"), "{said}");
        assert_eq!(
            page.body.contains("class=\"stderr\""),
            name != "cheat",
            "{said}"
        );
        if name != "gone" {
            let (path, page) = when_ready(&server, &format!("{game}&played=b2"));
            assert!(path.contains("played=b2+a1"), "{path}: {}", page.body);
        }
    }
    server
        .get("/play/ttt?as=first&level=bob")
        .fails_with(400, "no AI called");
    let (path, _) = follow(&server, "/play/ttt?as=second&level=4");
    assert!(path.contains("played="), "{path}");
}

#[test]
fn an_ai_without_an_answer_times_out_while_others_are_served() {
    let ais = [
        ("mute", "[ $p = X........ ] || echo $m"),
        ("ada", "echo $m"),
    ];
    let (_home, server) = server(&ais, &["--timeout", "0.5", "--startup", "60"]);
    // Its start is over.
    when_ready(&server, "/play/ttt?as=second&level=mute&seed=1");
    let slow = "/play/ttt?as=first&level=mute&seed=1&played=a1";
    server.get(slow);
    let (path, _) = when_ready(&server, "/play/ttt?as=first&level=ada&seed=1&played=a1");
    assert!(path.contains("played=a1+b1"), "{path}");
    server.get("/explore/ttt").succeeds();
    let (_, page) = when_ready(&server, slow);
    assert_eq!(page.status, 502, "{}", page.body);
    assert!(
        page.body.contains("gave no answer within 0.5 s"),
        "{}",
        page.body
    );
}

#[test]
fn two_visitors_play_against_one_process() {
    let (home, server) = server(&[("ada", "echo $m")], &LONG);
    let games = ["a1", "b2"].map(|mv| {
        let server = &server;
        move || {
            when_ready(
                server,
                &format!("/play/ttt?as=first&level=ada&seed=1&played={mv}"),
            )
            .0
        }
    });
    let paths = std::thread::scope(|scope| {
        let games = games.map(|game| scope.spawn(game));
        games.map(|game| game.join().unwrap())
    });
    assert!(paths[0].contains("played=a1+b1"), "{}", paths[0]);
    assert!(paths[1].contains("played=b2+a1"), "{}", paths[1]);
    let ais = |home: &Home| {
        let all = inhabitants(home).into_iter();
        all.filter(|name| name.starts_with("sh ada")).count()
    };
    assert_eq!(ais(&home), 1);
    drop(server);
    wait_until("the end of the AI", || ais(&home) == 0);
}

#[test]
fn two_ais_are_watched() {
    let (_home, server) = server(&[("ada", "echo $m"), ("bob", "echo $m")], &LONG);
    let (_, page) = when_ready(&server, "/play/ttt?as=none&level=ada&other=bob&seed=1");
    let said = text(&page.body);
    assert!(said.contains("Ada plays against bob."), "{said}");
    assert!(said.contains("X: ada; O: bob."), "{said}");
    let next = page.body.split("data-watch").nth(1).unwrap();
    let next = attributes(next, "href").remove(0);
    assert!(next.contains("played=a1"), "{next}");
    let (_, page) = when_ready(&server, &next);
    let said = text(&page.body);
    assert!(
        said.contains("Move 1: ada played square a1, regret 0."),
        "{said}"
    );
}

#[test]
fn names_and_commands_are_checked_before_the_server_starts() {
    let home = Home::new();
    for (ais, text) in [
        (&["ada"][..], "write a name, = and a command"),
        (&["ada=a", "ada=b"], "two AIs are called ada"),
        (&["4=a"], "can't be called 4"),
        (&["ada=a | b"], "no shell runs"),
        (&["ada=builtin:none"], "no builtin AI"),
    ] {
        let options = ais.iter().flat_map(|ai| ["--ai", ai]);
        let args: Vec<&str> = ["serve", "--port", "0", "--table", TTT]
            .into_iter()
            .chain(options)
            .collect();
        let done = home.zermelo(&args);
        assert_eq!(done.code, Some(2), "{ais:?}: {}", done.err);
        assert!(done.err.contains(text), "{ais:?}: {}", done.err);
    }
}
