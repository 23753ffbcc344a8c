//! Tests of `zermelo serve --class`: a teacher locks scores, sets tasks, and sees who solves what.
#![allow(missing_docs)]

use crate::http::{Reply, Server, encoded};
use crate::run::{TTT, wait_until};

/// A server in class mode, whose scores are locked at first, and the teacher's cookie.
struct Class {
    server: Server,
    teacher: String,
}

impl Class {
    fn start() -> Class {
        let mut server = Server::start(&["--table", TTT, "--memory", "300M", "--class"]);
        let address = server.line("Teacher: ");
        let path = address.strip_prefix(&format!("http://{}", server.address));
        let reply = server.get(path.expect(&address));
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, "/class/teacher")
        );
        let cookie = reply.header("set-cookie");
        let (teacher, rest) = cookie.split_once(';').unwrap();
        assert!(teacher.starts_with("zermelo-teacher="), "{cookie}");
        assert_eq!(rest, " Path=/; SameSite=Lax; HttpOnly");
        let teacher = teacher.to_owned();
        Class { server, teacher }
    }

    fn get(&self, cookie: &str, path: &str) -> Reply {
        self.server.request("GET", path, &[("Cookie", cookie)], b"")
    }

    /// Sends a form as a browser does.
    fn post(&self, cookie: &str, form: &str) -> Reply {
        let origin = format!("http://{}", self.server.address);
        let headers = [("Cookie", cookie), ("Origin", &*origin)];
        self.server
            .request("POST", "/class", &headers, form.as_bytes())
    }

    #[track_caller]
    fn teach(&self, form: &str) {
        let reply = self.post(&self.teacher, form);
        assert_eq!(reply.status, 303, "{form}: {}", reply.body);
    }

    /// Returns the rows of the table of students as the teacher sees them.
    fn rows(&self) -> Vec<Vec<String>> {
        let page = self.get(&self.teacher, "/class/teacher").succeeds().body;
        let rows = page.split("<tr>").skip(2);
        rows.map(|row| {
            let cells = row.split("<t").skip(1);
            let cells = cells.map(|cell| cell.split_once('>').unwrap().1);
            let cells = cells.map(|cell| cell.split('<').next().unwrap().to_owned());
            cells.collect()
        })
        .collect()
    }
}

fn student(number: usize) -> String {
    format!("zermelo={number:x}")
}

/// Returns all routes of the server, with a game and a puzzle, in the order of the sources.
fn routes() -> Vec<String> {
    let of = |prefix: &str, source: &str| -> Vec<String> {
        let routes = source.split(".route(").skip(1);
        let named = |rest: &str| match rest.trim_start().strip_prefix('"') {
            Some(route) => route.split('"').next().unwrap().to_owned(),
            None if rest.starts_with("TEACHER") => "/class/teacher".to_owned(),
            None => {
                assert!(rest.starts_with("FORMS"), "{rest}");
                "/class".to_owned()
            }
        };
        routes
            .map(|rest| format!("{prefix}{}", named(rest)))
            .collect()
    };
    let api = include_str!("../src/cli/serve/api/mod.rs");
    [
        of("/api", api),
        of("/api/v1", api),
        of("", include_str!("../src/cli/serve/pages/mod.rs")),
        of("", include_str!("../src/cli/serve/class/routes.rs")),
    ]
    .concat()
}

/// Routes that students may use while scores are locked. Each was checked: it shows no score.
const HARMLESS: [&str; 18] = [
    "/api/openapi.json",
    "/api/{game}/board.svg",
    "/api/{game}/rules",
    "/api/v1/openapi.json",
    "/api/v1/{game}/board.svg",
    "/api/v1/{game}/rules",
    "/",
    "/boards",
    "/explore/{game}",
    "/embed/{game}",
    "/play/{game}",
    "/puzzles/{game}",
    "/puzzles/{game}/{id}",
    "/puzzles/{game}/{id}/next",
    "/rules/{game}",
    "/assets/{file}",
    "/class",
    "/class/teacher",
];

/// Parts of pages and of JSON that show scores or best moves.
const SCORES: [&str; 12] = [
    "class=\"pill win",
    "class=\"pill draw",
    "class=\"pill loss",
    "\u{2605}",
    "With best play",
    "Best play",
    "Best move",
    "Scores of the line",
    "Mistakes",
    "The answer",
    "\"score\"",
    "Show scores",
];

fn shows_scores(body: &str) -> bool {
    SCORES.iter().any(|part| body.contains(part))
        || body.contains("wins in")
        || body.contains("draws")
}

/// Addresses that show scores unless they are locked: some are refused, some hide them.
const TELLING: [(&str, bool); 12] = [
    ("/", false),
    ("/explore/ttt?position=XX.OO....", false),
    ("/explore/ttt?position=XX.OO....&hide=0&tree=3", false),
    ("/explore/ttt?played=a1+b1+b2+c3", false),
    ("/play/ttt?as=both&hide=0&played=a1+b1+b2", false),
    ("/play/ttt?as=both&played=a1+a2+b1+b2+c1", false),
    ("/embed/ttt?position=XX.OO....", false),
    ("/puzzles/ttt?level=easy&seed=1", false),
    ("/api/ttt?position=XX.OO....&moves=true", true),
    ("/api/v1/ttt/puzzles?level=easy", true),
    ("/statistics/ttt", true),
    ("/search/ttt?position=XX.OO....&depth=4", true),
];

#[test]
fn a_class_of_25_gets_no_score_while_scores_are_locked() {
    let class = Class::start();
    let puzzles = class.get(&class.teacher, "/api/ttt/puzzles").succeeds();
    let id = puzzles.json()["puzzles"][0]["id"].clone();
    let id = id.as_str().unwrap();
    for number in 1..=25 {
        let student = student(number);
        let name = format!("name=Student+{number}");
        assert_eq!(class.post(&student, &name).status, 303);
        for (path, is_refused) in TELLING {
            let reply = class.get(&student, path);
            assert_eq!(reply.status, if is_refused { 403 } else { 200 }, "{path}");
            assert!(!shows_scores(&reply.body), "{path}: {}", reply.body);
            if number == 1 && path != "/" && !path.starts_with("/search") {
                let seen = class.get(&class.teacher, path).succeeds().body;
                assert!(shows_scores(&seen), "{path} shows the teacher no score");
            }
        }
        let batch = [("Cookie", &*student)];
        let batch = class
            .server
            .request("POST", "/api/ttt/batch", &batch, b"XX.OO....\n");
        let refused = batch.fails_with(403, "the teacher has locked the scores");
        assert_eq!(refused.json()["code"], "scores_locked");
        let tries = ["", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"];
        let pages = tries.map(|mv| {
            let path = format!("/puzzles/ttt/{id}?try={mv}");
            let page = class.get(&student, &path).succeeds().body;
            assert!(!shows_scores(&page) && !page.contains("Why?"), "{page}");
            page
        });
        let right = |page: &&String| page.contains("it is the only move that wins.");
        assert_eq!(pages.iter().filter(right).count(), 1);
    }
    assert_eq!(class.rows().len(), 25);
}

/// A new route is refused by default, and this test names it.
#[test]
fn every_route_is_locked_or_harmless() {
    let class = Class::start();
    let routes = routes();
    assert!(routes.len() > 25, "{routes:?}");
    for harmless in HARMLESS {
        assert!(routes.iter().any(|route| route == harmless), "{harmless}");
    }
    for route in routes {
        let path = route.replace("{game}", "ttt").replace("{id}", "0");
        let path = path.replace("{file}", "style.css");
        let method = match &*path {
            "/api/ttt/batch" | "/api/v1/ttt/batch" | "/class" => "POST",
            _ => "GET",
        };
        let cookie = [("Cookie", "zermelo=1")];
        let reply = class.server.request(method, &path, &cookie, b"");
        let is_locked = reply.status == 403 && reply.body.contains("locked the scores");
        let is_harmless = HARMLESS.contains(&&*route);
        assert_ne!(is_locked, is_harmless, "{route}: {reply:?}");
        assert!(
            !shows_scores(&reply.body) || path.starts_with("/assets") || path.contains("openapi"),
            "{path}"
        );
    }
}

/// The program still moves, also in games that it searches for its moves.
#[test]
fn the_program_plays_while_scores_are_locked() {
    let class = Class::start();
    for game in ["ttt", "connect4-5-4"] {
        let path = format!("/play/{game}?as=second&level=10&seed=1");
        wait_until("the program's move", || {
            let reply = class.get("zermelo=1", &path);
            assert!([200, 303].contains(&reply.status), "{reply:?}");
            reply.header("location").contains("played=")
        });
    }
}

#[test]
fn unlocking_works_at_once_and_locking_again_too() {
    let class = Class::start();
    for (scores, status) in [("open", 200), ("locked", 403), ("open", 200)] {
        class.teach(&format!("scores={scores}"));
        assert_eq!(class.get("zermelo=1", "/api/ttt").status, status);
        let page = class.get("zermelo=1", "/explore/ttt").succeeds().body;
        assert_eq!(shows_scores(&page), scores == "open");
        let says = page.contains("The teacher has locked the scores.");
        assert_eq!(says, scores == "locked");
    }
}

#[test]
fn only_the_code_opens_the_teachers_page() {
    let class = Class::start();
    for cookie in [
        "zermelo=1",
        "zermelo-teacher=",
        "zermelo-teacher=0123456789abcdef",
    ] {
        for path in [
            "/class/teacher",
            "/class/teacher?code=",
            "/class/teacher?code=0",
        ] {
            let reply = class.get(cookie, path);
            assert!(!reply.header("set-cookie").contains("teacher"), "{reply:?}");
            reply.fails_with(403, "This page is for the teacher");
        }
        class
            .post(cookie, "scores=open")
            .fails_with(403, "for the teacher");
    }
    // Not even with the code may pages of other sites send forms.
    for origin in ["http://evil.example", "null"] {
        let headers = [("Cookie", &*class.teacher), ("Origin", origin)];
        let reply = class
            .server
            .request("POST", "/class", &headers, b"scores=open");
        reply.fails_with(403, "other sites");
    }
    assert_eq!(class.get("zermelo=1", "/api/ttt").status, 403);
    // Browsers name the origin of a form only under this policy.
    let page = class.get(&class.teacher, "/class/teacher").succeeds();
    assert_eq!(page.header("referrer-policy"), "same-origin");
}

#[test]
fn solved_puzzles_are_shown_to_the_teacher_with_their_tries() {
    let class = Class::start();
    let task = "/puzzles/ttt?level=easy&seed=1";
    class.teach(&format!("task={}", encoded(task)));
    let puzzles = class.get(&class.teacher, "/api/ttt/puzzles?level=easy&seed=1");
    let puzzle = &puzzles.succeeds().json()["puzzles"][1];
    let (id, solution) = (
        puzzle["id"].as_str().unwrap(),
        puzzle["solution"].as_str().unwrap(),
    );
    let cells = puzzle["position"].as_str().unwrap().char_indices();
    let free: Vec<String> = cells
        .filter(|(_, cell)| *cell == '.')
        .map(|(place, _)| format!("{}{}", ["a", "b", "c"][place % 3], place / 3 + 1))
        .collect();
    let wrong: Vec<&String> = free.iter().filter(|mv| *mv != solution).collect();
    for (number, name) in [(1, "Ada"), (2, "Alan"), (3, "Grace")] {
        class.post(&student(number), &format!("name={name}"));
    }
    let attempt = |number: usize, mv: &str| {
        let path = format!("/puzzles/ttt/{id}?try={mv}");
        class.get(&student(number), &path)
    };
    for mv in [wrong[0], wrong[0], "z9", solution, wrong[1]] {
        attempt(1, mv);
    }
    attempt(2, wrong[0]);
    // Nobody knows this client's name.
    attempt(4, solution);
    assert_eq!(
        class.rows(),
        [
            ["Ada", "1", "1", "2", "", "\u{2713} 2"],
            ["Alan", "2", "0", "1", "", "1"],
            ["Grace", "3", "0", "0", "", ""],
        ]
        .map(|row| {
            let mut row = row.map(str::to_owned).to_vec();
            row.resize(4 + 6, String::new());
            row
        })
    );
    // Students see the task on all pages, and may open it.
    for page in ["/", "/explore/ttt", "/rules/ttt"] {
        let page = class.get("zermelo=1", page).succeeds().body;
        assert!(page.contains(
            "<a href=\"/puzzles/ttt?level=easy&amp;seed=1\">Puzzles: Tic-tac-toe, easy, sheet 1"
        ));
    }
    class.get("zermelo=1", task).succeeds();
    class.teach("task=");
    assert_eq!(class.rows()[0].len(), 4);
    class.teach("remove=2");
    assert_eq!(class.rows().len(), 2);
    class.teach("remove=all");
    assert_eq!(class.rows().len(), 0);
}

#[test]
fn tasks_are_pages_of_this_server_that_students_may_open() {
    let class = Class::start();
    for (task, link) in [
        (
            "/explore/ttt?position=XX.OO....",
            "/explore/ttt?position=XX.OO....",
        ),
        (
            "http://192.168.1.7:8080/play/ttt?as=first",
            "/play/ttt?as=first",
        ),
        ("/puzzles/ttt/0", "/puzzles/ttt/0"),
        ("/rules/connect4", "/rules/connect4"),
    ] {
        class.teach(&format!("task={}", encoded(task)));
        let page = class.get("zermelo=1", "/").succeeds().body;
        assert!(page.contains(&format!("<a href=\"{link}\"")), "{page}");
    }
    for task in [
        "http://evil.example",
        "//evil.example/explore/ttt",
        "javascript:alert(1)",
        "/search/ttt",
        "/statistics/ttt",
        "/explore/nothing",
        "/explore",
        "/\\evil.example/explore/ttt",
        "\"><script>",
    ] {
        let reply = class.post(&class.teacher, &format!("task={}", encoded(task)));
        assert_eq!(reply.status, 400, "{task}: {reply:?}");
        assert!(!reply.body.contains("<script>"), "{task}");
    }
    let back = class.post(
        &class.teacher,
        "scores=open&back=%2Fexplore%2Fttt%3Fhide%3D1",
    );
    assert_eq!(back.header("location"), "/explore/ttt?hide=1");
}

#[test]
fn names_of_students_are_escaped() {
    let class = Class::start();
    let attack = "\"'><script>alert(1)</script>\u{202e}\0";
    let form = format!("name={}", encoded(attack));
    assert_eq!(class.post("zermelo=1", &form).status, 303);
    for (cookie, path) in [
        ("zermelo=1", "/"),
        ("zermelo=1", "/explore/ttt"),
        (&*class.teacher, "/class/teacher"),
    ] {
        let page = class.get(cookie, path).succeeds().body;
        assert!(page.contains("&gt;&lt;script&gt;alert(1)"), "{page}");
        assert!(!page.contains("<script>alert") && !page.contains('\u{202e}'));
    }
    for form in ["name=", "name=%00", "name=%ff", "nothing", ""] {
        let reply = class.post("zermelo=2", form);
        assert!([400, 403].contains(&reply.status), "{form}: {reply:?}");
    }
    let long = format!("name={}", "x".repeat(100_000));
    assert_eq!(class.post("zermelo=2", &long).status, 400);
    assert_eq!(class.rows().len(), 1);
}

#[test]
fn without_class_mode_there_is_no_class() {
    let server = Server::start(&["--table", TTT]);
    server
        .get("/class")
        .fails_with(404, "nothing at this address");
    for path in ["/class/teacher", "/class/teacher?code="] {
        server.get(path).fails_with(404, "There is no class here");
    }
    for path in ["/", "/explore/ttt", "/puzzles/ttt"] {
        let page = server.get(path).succeeds();
        assert!(!page.body.contains("lass=\"class") && !page.body.contains("Your name"));
        assert_eq!(page.header("referrer-policy"), "no-referrer");
    }
}
