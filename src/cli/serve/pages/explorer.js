// Optional script of the pages: keyboard shortcuts, and updates while a search is running.
"use strict";

(() => {
    // Typing a move's name plays it. The other keys follow links of the page.
    const steps = {
        ArrowLeft: "a[rel=prev][href]",
        ArrowRight: "a[rel=next][href]",
        Home: "a[rel=first][href]",
        End: "a[rel=last][href]",
        n: "a[data-step=mistake]",
        "*": "a[data-step=best]",
    };
    const slow = 700;
    let typed = "";
    let timer = 0;

    const moves = () => [...document.querySelectorAll("a[data-key]")];
    const go = (selector) => document.querySelector(selector)?.click();

    const settle = () => {
        clearTimeout(timer);
        const exact = moves().find((link) => link.dataset.key.toLowerCase() === typed);
        const step = steps[typed];
        typed = "";
        if (exact) {
            exact.click();
        } else if (step) {
            go(step);
        }
    };

    // The page may have got its moves meanwhile.
    const listKeys = () => {
        for (const key of document.querySelectorAll("#keys [data-for]")) {
            key.hidden = !document.querySelector(key.dataset.for);
        }
    };
    document.getElementById("keys")?.addEventListener("toggle", listKeys);
    listKeys();

    document.addEventListener("keydown", (event) => {
        const target = event.target;
        const isWriting = target instanceof Element && target.closest("input, select, textarea");
        if (isWriting || event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        if (event.key === "?") {
            const keys = document.getElementById("keys");
            if (keys) {
                keys.open = !keys.open;
                keys.querySelector("summary").focus();
                keys.scrollIntoView({ block: "nearest" });
            }
            return;
        }
        if (event.key.length > 1 && steps[event.key] && document.querySelector(".steps")) {
            event.preventDefault();
            go(steps[event.key]);
            return;
        }
        if (!/^[a-z0-9*-]$/i.test(event.key)) {
            return;
        }
        const key = event.key.toLowerCase();
        const names = moves().map((link) => link.dataset.key.toLowerCase());
        const begins = (text) => names.filter((name) => name.startsWith(text));
        if (begins(typed + key).length === 0) {
            typed = "";
        }
        typed += key;
        clearTimeout(timer);
        const longer = begins(typed).filter((name) => name !== typed);
        if (longer.length === 0) {
            settle();
        } else {
            timer = setTimeout(settle, slow);
        }
    });

    // Solved puzzles are counted in this browser.
    const key = (game) => `zermelo solved ${game}`;
    const solvedOf = (game) => {
        try {
            const ids = JSON.parse(localStorage.getItem(key(game)) ?? "[]");
            return new Set(Array.isArray(ids) ? ids : []);
        } catch {
            return new Set();
        }
    };
    const right = document.querySelector("[data-solved]");
    if (right) {
        const solved = solvedOf(right.dataset.game).add(right.dataset.solved);
        try {
            localStorage.setItem(key(right.dataset.game), JSON.stringify([...solved]));
        } catch {
            // The browser stores nothing, so nothing is counted.
        }
    }
    const count = document.getElementById("solved");
    if (count) {
        const solved = solvedOf(count.dataset.game);
        const cards = [...document.querySelectorAll("[data-puzzle]")];
        const here = cards.filter((card) => solved.has(card.dataset.puzzle));
        for (const card of here) {
            card.classList.add("solved");
        }
        count.textContent = `Solved: ${here.length} of ${cards.length} on this page, ${solved.size} in all.`;
        count.hidden = false;
    }

    // While a position is searched, the page reloads the parts that may have changed.
    // Most scores come soon, so it looks sooner at first.
    const parts = ["board", "verdict", "moves", "best-play", "steps", "story"];
    let soon = 250;
    const again = () => {
        const look = document.querySelector("[data-again]");
        if (!look) {
            return;
        }
        const wait = Math.min(1000 * Number(look.dataset.again), soon);
        soon *= 2;
        setTimeout(async () => {
            try {
                const reply = await fetch(location.href);
                // The program has made its move.
                if (reply.redirected) {
                    location.replace(reply.url);
                    return;
                }
                const page = new DOMParser().parseFromString(await reply.text(), "text/html");
                const fresh = page.querySelector(".look");
                if (!fresh) {
                    location.reload();
                    return;
                }
                const focused = document.activeElement?.getAttribute("href");
                for (const id of parts) {
                    const [old, now] = [document.getElementById(id), page.getElementById(id)];
                    if (old && now && old.innerHTML !== now.innerHTML) {
                        old.replaceChildren(...now.childNodes);
                    }
                }
                const [best, newBest] = [document, page].map((of) => of.querySelector("[data-step=best]"));
                if (!best && newBest) {
                    document.getElementById("ways")?.prepend(newBest);
                }
                if (focused && document.activeElement === document.body) {
                    document.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
                }
                if (fresh.dataset.again) {
                    look.dataset.again = fresh.dataset.again;
                } else {
                    delete look.dataset.again;
                }
            } catch {
                // The server may be restarting, so the page tries again.
            }
            again();
        }, wait);
    };
    again();

    // After a move by keyboard, the next page's focus is on the board again, on the same square.
    const board = document.getElementById("board");
    const remembered = "move";
    const places = () => [...(board?.querySelectorAll("a.move") ?? [])];
    document.addEventListener("click", (event) => {
        const link = event.target instanceof Element ? event.target.closest("a") : null;
        const place = places().indexOf(link);
        if (event.detail === 0 && link && (place >= 0 || link.dataset.key || link.closest(".steps"))) {
            const name = link.getAttribute("aria-label")?.split(":")[0];
            sessionStorage.setItem(remembered, place >= 0 ? name : "");
        }
    });
    const moved = sessionStorage.getItem(remembered);
    sessionStorage.removeItem(remembered);
    if (moved !== null) {
        const same = places().find((link) => link.getAttribute("aria-label").split(":")[0] === moved);
        (same ?? places()[0] ?? document.querySelector(".steps a[href]"))?.focus({ preventScroll: true });
    }

    // Where the program plays both sides, its moves follow each other while this is switched on.
    const watched = document.querySelector("a[data-watch]");
    const watching = "watch";
    if (watched) {
        const button = document.createElement("button");
        button.type = "button";
        const show = () => {
            const isOn = sessionStorage.getItem(watching) === "on";
            button.textContent = isOn ? "Stop" : "Go on by itself";
            if (isOn) {
                setTimeout(() => sessionStorage.getItem(watching) === "on" && watched.click(), 1500);
            }
        };
        button.addEventListener("click", () => {
            const isOn = sessionStorage.getItem(watching) === "on";
            sessionStorage.setItem(watching, isOn ? "off" : "on");
            show();
        });
        watched.after(" ", button);
        show();
    } else if (!document.querySelector("[data-again]")) {
        sessionStorage.removeItem(watching);
    }

    // Sets up a position by clicks, which change the text in the field cell by cell. The letters
    // are those of the position and of the positions after the game's first two moves.
    const text = document.getElementById("position");
    text?.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            text.form.requestSubmit();
        }
    });
    const sides = [["first", "second"], ["B", "W"]];
    const isCounted = (board) => /^\d[\d,:]*\/[\d,:]+$/.test(board);
    const lettersOf = async () => {
        if (isCounted(text.dataset.position.split(" ")[0])) {
            return [];
        }
        const letters = new Set(["."]);
        const add = (position) => [...position.split(" ")[0]].forEach((letter) => letters.add(letter));
        add(text.dataset.position);
        let place = `${location.pathname}?hide=1`;
        for (let ply = 0; place && ply < 3; ply += 1) {
            const reply = await fetch(place);
            const page = new DOMParser().parseFromString(await reply.text(), "text/html");
            add(page.getElementById("position")?.value ?? "");
            place = page.querySelector("a[data-key]")?.getAttribute("href");
        }
        letters.delete("/");
        return [...letters];
    };
    const made = (name, words, properties = {}) => {
        const node = Object.assign(document.createElement(name), properties);
        if (words) {
            node.setAttribute("aria-label", words);
        }
        return node;
    };
    const setUp = (letters) => {
        const editor = made("div", "The position, cell by cell", { className: "editor" });
        editor.setAttribute("role", "group");
        const said = made("p", "", { className: "soft" });
        said.setAttribute("aria-live", "polite");
        const shown = made("img", "", { alt: "", className: "set-up" });
        let asked = 0;
        const look = async () => {
            asked += 1;
            const mine = asked;
            const place = location.pathname.replace("/explore/", "/api/");
            const query = `${place}/board.svg?position=${encodeURIComponent(text.value)}`;
            const reply = await fetch(query);
            const problem = reply.ok ? "" : (await reply.json()).error;
            if (mine === asked) {
                shown.hidden = !reply.ok;
                shown.src = reply.ok ? query : "";
                said.textContent = problem && `${problem[0].toUpperCase()}${problem.slice(1)}.`;
            }
        };
        const button = (words, clicked) => {
            const node = made("button", "", { type: "button", textContent: words });
            node.addEventListener("click", () => clicked(node));
            return node;
        };
        // Words of the field, or of the position on the board if it holds something else.
        const words = () => {
            // Fewer letters are no board.
            const isLetters = (board) => board.length > 3
                && [...board].every((letter) => letter === "/" || letters.includes(letter));
            for (const position of [text.value, text.dataset.position]) {
                const [board, ...rest] = position.trim().split(/\s+/);
                if (isCounted(board) || isLetters(board)) {
                    return { board, rest };
                }
            }
            return undefined;
        };
        const draw = () => {
            editor.replaceChildren();
            const found = words();
            if (!found) {
                return;
            }
            const { board, rest } = found;
            const counts = isCounted(board);
            const parts = counts ? board.split(/(\d+)/) : [...board];
            const change = () => {
                text.value = [parts.join(""), ...rest].join(" ");
                look();
            };
            const both = sides.find((side) => side.includes(rest.at(-1)));
            const side = Math.sqrt(parts.length);
            // Discs fall to the lowest empty place of their column.
            const falls = document.querySelector("#board .rack") !== null;
            const cells = [];
            let line = editor.appendChild(made("div"));
            let [row, column] = [1, 0];
            const name = () => counts && both && line.append(made("span", "", { textContent: both[row - 1] }));
            name();
            parts.forEach((part, number) => {
                // A square board may be written without marks between its rows.
                const isFull = !board.includes("/") && column === side;
                if (part.includes("/") || isFull) {
                    line = made("div");
                    // The second player sits above.
                    counts ? editor.prepend(line) : editor.append(line);
                    line.classList.toggle("across", counts);
                    [row, column] = [row + 1, 0];
                    name();
                }
                if (!counts && part !== "/") {
                    column += 1;
                    const cell = { number, row, column };
                    cells.push(cell);
                    cell.button = button("", () => {
                        const column = cells.filter((of) => of.column === cell.column);
                        const isEmpty = (of) => parts[of.number] === ".";
                        let put = cell;
                        if (falls && isEmpty(cell)) {
                            // Another click on the same place changes the disc that fell.
                            const top = column.find((of) => !isEmpty(of));
                            put = top && top === cell.fell ? top : column.findLast(isEmpty);
                            cell.fell = put;
                        }
                        parts[put.number] = letters[(letters.indexOf(parts[put.number]) + 1) % letters.length];
                        put.show();
                        change();
                    });
                    cell.show = () => {
                        cell.button.textContent = parts[number];
                        cell.button.setAttribute("aria-label", `row ${cell.row}, ${cell.column}: ${parts[number]}`);
                    };
                    cell.show();
                    line.append(cell.button);
                } else if (/^\d+$/.test(part)) {
                    column += 1;
                    const what = parts[number - 1].includes(":") ? "store" : `pit ${column}`;
                    const owner = both ? `${both[row - 1]}'s ` : "";
                    const input = made("input", owner + what, { type: "number", min: 0, value: part, title: what });
                    input.addEventListener("focus", () => input.select());
                    input.addEventListener("change", () => {
                        input.value = parts[number];
                    });
                    input.addEventListener("input", () => {
                        parts[number] = String(Math.max(0, Math.trunc(Number(input.value))));
                        change();
                    });
                    line.append(input);
                }
            });
            if (both) {
                line = editor.appendChild(made("div"));
                line.append(button(`${rest.at(-1)} to move`, (cell) => {
                    rest.push(both.find((other) => other !== rest.at(-1)));
                    rest.splice(-2, 1);
                    cell.textContent = `${rest.at(-1)} to move`;
                    change();
                }));
            }
        };
        text.addEventListener("input", () => {
            draw();
            look();
        });
        text.closest("form").append(editor, said, shown);
        draw();
    };
    const open = async () => setUp(await lettersOf());
    if (text?.closest("details").open) {
        open();
    } else {
        text?.closest("details").addEventListener("toggle", open, { once: true });
    }

    // Copies the address; browsers allow the first way only over https and on this machine.
    for (const button of document.querySelectorAll("button.copy")) {
        button.hidden = false;
        button.addEventListener("click", async () => {
            try {
                await navigator.clipboard.writeText(location.href);
            } catch {
                const field = document.createElement("textarea");
                field.value = location.href;
                document.body.append(field);
                field.select();
                document.execCommand("copy");
                field.remove();
            }
            button.textContent = "Copied";
        });
    }
})();
