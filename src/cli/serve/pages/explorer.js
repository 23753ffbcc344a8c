// Optional script of the pages: keyboard shortcuts, and updates while a search is running.
"use strict";

(() => {
    // Typing a move's name plays it, the left arrow takes a move back, and b plays the best move.
    const slow = 700;
    let typed = "";
    let timer = 0;

    const moves = () => [...document.querySelectorAll("a[data-key]")];
    const go = (selector) => document.querySelector(selector)?.click();

    const settle = () => {
        clearTimeout(timer);
        const exact = moves().find((link) => link.dataset.key.toLowerCase() === typed);
        const best = typed === "b";
        typed = "";
        if (exact) {
            exact.click();
        } else if (best) {
            go("a[rel=next]");
        }
    };

    document.addEventListener("keydown", (event) => {
        const target = event.target;
        const isWriting = target instanceof Element && target.closest("input, select, textarea");
        if (isWriting || event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        if (event.key === "ArrowLeft") {
            event.preventDefault();
            go("a[rel=prev]");
            return;
        }
        if (!/^[a-z0-9-]$/i.test(event.key)) {
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

    // While a position is searched, the page reloads the parts that may have changed.
    const parts = ["board", "verdict", "moves", "best-play"];
    const again = () => {
        const look = document.querySelector("[data-again]");
        if (!look) {
            return;
        }
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
                document.querySelector(".steps")?.replaceWith(page.querySelector(".steps") ?? "");
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
        }, 1000 * Number(look.dataset.again));
    };
    again();
})();
