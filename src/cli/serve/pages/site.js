// The script of a static site: shows the position that the address names, "#game/move/move".
"use strict";

const zermelo = (() => {
    const games = new Map();
    let waiting = "";

    const page = document.getElementById("page");
    const address = (game, line) => "#" + [game, ...line].map(encodeURIComponent).join("/");

    const button = (text, rel, href) => {
        const link = document.createElement("a");
        Object.assign(link, { className: "button", textContent: text, rel, href });
        return link;
    };

    const show = () => {
        const parts = location.hash.slice(1).split("/").map(decodeURIComponent);
        const game = parts[0] || decodeURIComponent(document.querySelector("nav a").hash.slice(1));
        const data = games.get(game);
        if (!data) {
            if (waiting !== game) {
                waiting = game;
                const script = document.createElement("script");
                script.src = encodeURIComponent(game) + ".js";
                script.onerror = () => { page.textContent = `There is no file ${script.src}.`; };
                document.head.append(script);
            }
            return;
        }
        let number = 0;
        const line = [];
        for (const move of parts.slice(1)) {
            const next = data.pages[number][1][move];
            if (next === undefined) {
                break;
            }
            number = next;
            line.push(move);
        }
        const hadFocus = page.contains(document.activeElement);
        page.innerHTML = data.pages[number][0].map((part) => data.parts[part]).join("");
        for (const link of page.querySelectorAll("a[href^='#']")) {
            const move = link.getAttribute("href").slice(1);
            link.setAttribute("href", address(game, [...line, move]));
        }
        const steps = document.createElement("nav");
        steps.className = "steps";
        steps.setAttribute("aria-label", "Back and forth");
        if (line.length > 0) {
            steps.append(
                button("\u21e4 Start", "first", address(game, [])),
                button("\u2190 Back", "prev", address(game, line.slice(0, -1))),
            );
        }
        const played = document.createElement("p");
        played.className = "soft";
        played.textContent = line.length > 0 ? `Moves so far: ${line.join(" ")}` : "";
        page.firstElementChild.append(steps, played);
        document.title = `${data.title} \u00b7 Zermelo`;
        document.querySelector("h1").textContent = data.title;
        if (hadFocus) {
            page.querySelector("a")?.focus();
        }
    };

    addEventListener("hashchange", show);
    addEventListener("keydown", (event) => {
        if (event.key === "ArrowLeft" && !event.ctrlKey && !event.altKey && !event.metaKey) {
            page.querySelector("a[rel=prev]")?.click();
        }
    });
    addEventListener("load", show);
    return {
        loaded: (data) => {
            games.set(waiting, data);
            show();
        },
    };
})();
