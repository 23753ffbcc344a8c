// Optional script of the pages: moves without a new page and as motion, keyboard shortcuts, and
// updates while a search is running.
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
    // Where a line goes on by itself, it does so until the reader follows a link.
    const watching = "watch";
    const followed = (link) => {
        if (link.dataset.step === "why") {
            sessionStorage.setItem(watching, "on");
        } else if (document.querySelector("a[data-watch]")) {
            sessionStorage.setItem(watching, "off");
        }
    };
    const slow = 700;
    let typed = "";
    let timer = 0;

    const moves = () => [...document.querySelectorAll("a[data-key]")];
    const go = (selector) => {
        const link = document.querySelector(selector);
        if (link) {
            followed(link);
            link.click();
        }
    };

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
    // A streak is the number of puzzles in a row that were solved at the first try.
    const countStreak = ({ dataset: { game, solved, missed } }, isNew) => {
        try {
            const name = `zermelo streak ${game}`;
            const [before, last] = (localStorage.getItem(name) ?? "0").split(" ");
            const count = missed ? 0 : Number(before) + (isNew && last !== solved ? 1 : 0);
            localStorage.setItem(name, `${count} ${solved ?? missed}`);
            const shown = document.getElementById("streak");
            if (shown && count > 0) {
                shown.textContent = `Solved at the first try, in a row: ${count}.`;
                shown.hidden = false;
            }
        } catch {
            // The browser stores nothing, so nothing is counted.
        }
    };
    const countSolved = () => {
        const right = document.querySelector("[data-solved]");
        if (right) {
            const solved = solvedOf(right.dataset.game);
            countStreak(right, !solved.has(right.dataset.solved));
            solved.add(right.dataset.solved);
            try {
                localStorage.setItem(key(right.dataset.game), JSON.stringify([...solved]));
            } catch {
                // The browser stores nothing, so nothing is counted.
            }
        }
        const wrong = document.querySelector("[data-missed]");
        if (wrong) {
            countStreak(wrong, false);
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
    };

    // While a position is searched, the page reloads the parts that may have changed.
    // Most scores come soon, so it looks sooner at first.
    const parts = ["board", "verdict", "moves", "best-play", "steps", "story", "students"];
    let waiting = 0;
    const again = (soon) => {
        const look = document.querySelector("[data-again]");
        if (!look) {
            return;
        }
        const wait = Math.min(1000 * Number(look.dataset.again), soon);
        waiting = setTimeout(async () => {
            try {
                const mine = waiting;
                const reply = await fetch(location.href);
                if (mine !== waiting) {
                    return;
                }
                // The program has made its move.
                if (reply.redirected) {
                    const remember = (address) => history.replaceState(null, "", address);
                    await show(reply, remember, { isMotion: true });
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
            again(2 * soon);
        }, wait);
    };

    // A move is shown as motion: from one board to the next, for so many milliseconds.
    const duration = 300;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)");
    const placesOf = (board) => new Map([...board.querySelectorAll("[data-place]")].map((node) => {
        const [x, y] = node.dataset.at.split(" ").map(Number);
        const place = { x, y, word: node.dataset.piece, piece: node.querySelector(".piece") };
        return [node.dataset.place, place];
    }));
    const moved = (node, from, to) => node.animate(
        [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` })),
        { duration, easing: "ease-in-out" },
    );
    // Seeds fly from the pits that lost some to those that gained some.
    const sow = (old, before, places, changed) => {
        const amount = (name) => Number(places.get(name).word) - Number(before.get(name).word);
        const given = changed.filter((name) => amount(name) < 0).sort((a, b) => amount(a) - amount(b));
        const from = given.flatMap((name) => Array(-amount(name)).fill(name));
        const to = changed.filter((name) => amount(name) > 0)
            .flatMap((name) => Array(amount(name)).fill(name));
        for (const name of given) {
            before.get(name).piece.style.visibility = "hidden";
        }
        return to.slice(0, from.length).map((target, number) => {
            const seed = document.createElementNS(old.namespaceURI, "circle");
            seed.setAttribute("class", "seed s2 flying");
            seed.setAttribute("r", "5");
            old.append(seed);
            return moved(seed, places.get(from[number]), places.get(target));
        });
    };
    // Pieces slide from an empty place to the one where they are now, drop, turn over, or appear.
    const slide = (now, before, places, changed) => {
        const left = changed.filter((name) => places.get(name).word === "");
        const top = Math.min(...[...places.values()].map((place) => place.y)) - 44;
        return changed.filter((name) => places.get(name).piece).map((name) => {
            const [place, was] = [places.get(name), before.get(name)?.word ?? ""];
            const from = left.findIndex((other) => before.get(other).word === place.word);
            const here = { x: 0, y: 0 };
            if (from >= 0) {
                const { x, y } = places.get(left.splice(from, 1)[0]);
                return moved(place.piece, { x: x - place.x, y: y - place.y }, here);
            }
            if (now.classList.contains("rack")) {
                return moved(place.piece, { x: 0, y: top - place.y }, here);
            }
            const scale = was === "" ? "scale(.2)" : "scaleX(0)";
            return place.piece.animate([{ transform: scale }, { transform: "none" }], { duration });
        });
    };
    const animate = async (holder, now) => {
        const old = holder.querySelector("svg");
        const [before, places] = [placesOf(old), placesOf(now)];
        const changed = [...places.keys()].filter((name) => before.get(name)?.word !== places.get(name).word);
        const isSown = now.classList.contains("wood") && changed.every((name) => before.has(name));
        const flying = isSown ? sow(old, before, places, changed) : [];
        await Promise.allSettled(flying.map((flight) => flight.finished));
        holder.replaceChildren(now);
        const sliding = isSown ? [] : slide(now, before, places, changed);
        await Promise.allSettled(sliding.map((motion) => motion.finished));
    };
    // Shows the boards that lead from one to another, unless another page comes meanwhile.
    const showMoves = async (old) => {
        const holder = document.getElementById("board");
        const now = holder?.querySelector("svg");
        if (isStill.matches || !now || !old || old.dataset.position === now.dataset.position) {
            return;
        }
        const between = [...(document.getElementById("before")?.content.children ?? [])];
        const known = between.findIndex((board) => board.dataset.position === old.dataset.position);
        holder.replaceChildren(old);
        holder.setAttribute("aria-busy", "true");
        for (const board of [...between.slice(known + 1), now]) {
            await animate(holder, board);
        }
        holder.removeAttribute("aria-busy");
    };

    // A link to another position changes this page, which keeps its place on the screen.
    const onBoard = () => [...document.querySelectorAll("#board a.move")];
    const nameOf = (link) => link?.getAttribute("aria-label")?.split(":")[0];
    let asked = 0;
    let shown = location.href;
    const show = async (reply, remember, options = {}) => {
        const page = new DOMParser().parseFromString(await reply.text(), "text/html");
        const [main, fresh] = [document, page].map((of) => of.querySelector("main"));
        if (!fresh?.querySelector(".look")) {
            location.assign(reply.url);
            return;
        }
        remember(reply.url);
        clearTimeout(waiting);
        waiting = 0;
        const old = document.querySelector("#board svg");
        shown = location.href;
        main.replaceChildren(...fresh.childNodes);
        document.title = page.title;
        document.getElementById("said").textContent = [".turn", "#happened", "#verdict"]
            .map((part) => main.querySelector(part)?.textContent ?? "").join(" ");
        start();
        const holder = main.firstElementChild;
        if (options.isMotion) {
            await showMoves(old);
        }
        if (options.focused !== undefined && document.activeElement === document.body) {
            const same = onBoard().find((link) => nameOf(link) === options.focused);
            const next = same ?? onBoard()[0] ?? document.querySelector(".steps a[href]");
            next?.focus({ preventScroll: true });
        }
        if (holder.isConnected && waiting === 0) {
            again(250);
        }
    };
    const visit = async (address, remember, options) => {
        asked += 1;
        const mine = asked;
        try {
            const reply = await fetch(address);
            if (mine === asked) {
                await show(reply, remember, options);
            }
        } catch {
            // The browser tells why.
            location.assign(address);
        }
    };
    // On a site without a server, games are solved beside the page, one at a time.
    let solving = Promise.resolve();
    const solve = ({ worker, ...game }) => new Promise((resolve) => {
        const solver = new Worker(worker);
        solver.onerror = resolve;
        solver.onmessage = ({ data }) => {
            navigator.serviceWorker.controller?.postMessage(data);
            if (data.table) {
                resolve();
            }
        };
        solver.postMessage(game);
    });
    navigator.serviceWorker?.addEventListener("message", ({ data }) => {
        solving = solving.then(() => solve(data));
    });
    navigator.serviceWorker?.startMessages();

    document.addEventListener("click", (event) => {
        const link = event.target instanceof Element ? event.target.closest("main .look a[href]") : null;
        const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
        const address = link && new URL(link.getAttribute("href"), location.href);
        if (isPlain && link && event.isTrusted) {
            followed(link);
        }
        if (!isPlain || !address || link.hasAttribute("target") || address.pathname !== location.pathname || address.hash) {
            return;
        }
        event.preventDefault();
        const isBack = link.matches("[rel=prev], [rel=first], [rel=last], [data-step=undo]");
        const remember = (to) => history.pushState(null, "", to);
        // After a move by keyboard, the focus is on the board again, on the same square.
        const focused = event.detail === 0 ? nameOf(link) ?? "" : undefined;
        visit(address.href, remember, { isMotion: !isBack, focused });
    });
    window.addEventListener("popstate", () => {
        // Not for another part of the same page.
        if (location.href.split("#")[0] !== shown.split("#")[0]) {
            sessionStorage.removeItem(watching);
            visit(location.href, () => {});
        }
    });

    // Moves of the program against itself, and of refutations, follow each other while this is
    // switched on.
    const watch = () => {
        const watched = document.querySelector("a[data-watch]");
        if (watched) {
            const button = document.createElement("button");
            button.type = "button";
            const show = () => {
                const isOn = sessionStorage.getItem(watching) === "on";
                button.textContent = isOn ? "Stop" : "Go on by itself";
                if (isOn) {
                    setTimeout(() => sessionStorage.getItem(watching) === "on" && watched.isConnected && watched.click(), 1200);
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
    };

    // Sets up a position by clicks, which change the text in the field square by square. The letters
    // are those of the position and of the positions after the game's first two moves.
    const sides = [["first", "second"], ["B", "W"]];
    const isCounted = (board) => /^\d[\d,:]*\/[\d,:]+$/.test(board);
    const lettersOf = async (text) => {
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
    const setUp = (text, letters) => {
        const editor = made("div", "The position, square by square", { className: "editor" });
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
    const offerToSetUp = () => {
        const text = document.getElementById("position");
        text?.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && !event.shiftKey) {
                event.preventDefault();
                text.form.requestSubmit();
            }
        });
        const open = async () => setUp(text, await lettersOf(text));
        if (text?.closest("details").open) {
            open();
        } else {
            text?.closest("details").addEventListener("toggle", open, { once: true });
        }
    };

    // Copies the address; browsers allow the first way only over https and on this machine.
    const offerToCopy = () => {
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
    };

    // Prepares a page that has come.
    const start = () => {
        listKeys();
        countSolved();
        watch();
        offerToSetUp();
        offerToCopy();
    };
    start();
    again(250);
})();
