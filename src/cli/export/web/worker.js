// The explorer as a service worker: it answers this site's requests by the WebAssembly module. Started
// by a page, the same script solves a game beside it.
//
// `site`, in a line before this one, has the names of the files beside it and their tables.
"use strict";

const scope = new URL(".", self.location).pathname;
const isService = "registration" in self;
// Other sites of the same origin have caches of their own.
const cacheOwner = `zermelo ${scope} `;
const cacheName = cacheOwner + site.module;
const { encode, decode } = ((coder, decoder) => ({
    encode: (text) => coder.encode(text),
    decode: (bytes) => decoder.decode(bytes),
}))(new TextEncoder(), new TextDecoder());

// Files are stored when they first arrive, and then need no network.
const stored = async (name) => {
    const cache = await caches.open(cacheName);
    const known = await cache.match(name);
    if (known) {
        return known;
    }
    const reply = await fetch(name);
    if (!reply.ok) {
        throw new Error(`${name}: ${reply.status} ${reply.statusText}`);
    }
    await cache.put(name, reply.clone());
    return reply;
};

// What the module needs of a system: clocks, random numbers, and a place for its last words.
const system = (memory, print) => {
    const view = () => new DataView(memory().buffer);
    const own = {
        clock_time_get: (clock, _, at) => {
            const now = clock === 0 ? Date.now() : performance.now();
            view().setBigUint64(at, BigInt(Math.round(now * 1e6)), true);
            return 0;
        },
        random_get: (at, length) => {
            crypto.getRandomValues(new Uint8Array(memory().buffer, at, length));
            return 0;
        },
        environ_sizes_get: (count, bytes) => {
            view().setUint32(count, 0, true);
            view().setUint32(bytes, 0, true);
            return 0;
        },
        environ_get: () => 0,
        fd_write: (file, parts, count, written) => {
            const say = file === 1 ? print : console.error;
            let length = 0;
            for (let part = parts; part < parts + 8 * count; part += 8) {
                const [at, bytes] = [view().getUint32(part, true), view().getUint32(part + 4, true)];
                say(decode(new Uint8Array(memory().buffer, at, bytes)));
                length += bytes;
            }
            view().setUint32(written, length, true);
            return 0;
        },
        proc_exit: (code) => {
            throw new Error(`the module ended with code ${code}`);
        },
    };
    // There are no files: 8 is "bad file descriptor".
    const none = () => 8;
    return { wasi_snapshot_preview1: new Proxy(own, { get: (of, name) => of[name] ?? none }) };
};

const start = async (print) => {
    const packed = (await stored(site.module)).body;
    const module = packed.pipeThrough(new DecompressionStream("gzip"));
    const headers = { "Content-Type": "application/wasm" };
    let calls = null;
    const made = await WebAssembly.instantiateStreaming(
        new Response(module, { headers }),
        system(() => calls.memory, print),
    );
    calls = made.instance.exports;
    calls._initialize();
    // Both sides write into one buffer of the module.
    const put = (...parts) => {
        let at = calls.room(parts.reduce((sum, part) => sum + part.length, 0));
        for (const part of parts) {
            new Uint8Array(calls.memory.buffer, at, part.length).set(part);
            at += part.length;
        }
    };
    const taken = (length) => new Uint8Array(calls.memory.buffer, calls.room(length), length).slice();
    const check = (length) => {
        if (length > 0) {
            throw new Error(decode(taken(length)));
        }
    };
    return {
        begin: () => {
            const tables = site.tables.map((table) => [table.id, table.rules]);
            put(encode(JSON.stringify({ prefix: scope.slice(0, -1), tables })));
            check(calls.begin());
        },
        answer: (method, address, body) => {
            put(encode(JSON.stringify({ method, address, body })));
            const reply = taken(calls.answer());
            const end = reply.indexOf(10);
            return { ...JSON.parse(decode(reply.subarray(0, end))), body: reply.subarray(end + 1) };
        },
        addTable: (id, bytes) => {
            put(encode(`${id}\n`), bytes);
            check(calls.add_table());
        },
        noteProgress: (...news) => {
            put(encode(JSON.stringify(news)));
            calls.note_progress();
        },
        wanted: () => JSON.parse(decode(taken(calls.wanted()))),
        solve: (rules) => {
            put(encode(rules));
            return taken(calls.solve());
        },
        step: () => calls.step() !== 0,
    };
};

let engine = null;
const begin = async () => {
    try {
        const explorer = await start(console.log);
        explorer.begin();
        return explorer;
    } catch (error) {
        engine = null;
        throw error;
    }
};
const ready = () => (engine ??= begin());

// Tables come when somebody first asks for them, and so does the opening book, whose id is empty.
const loading = new Map();
const load = async (explorer, { id, file, bytes }) => {
    const parts = [];
    let length = 0;
    const reader = (await stored(file)).body.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            break;
        }
        parts.push(value);
        length += value.length;
        explorer.noteProgress(id, "loading its table", "bytes", length, bytes);
    }
    const table = new Uint8Array(length);
    parts.reduce((at, part) => {
        table.set(part, at);
        return at + part.length;
    }, 0);
    explorer.addTable(id, table);
};
// Returns when the table that an address needs is there, or has taken a second if the page can do
// without.
const prepare = async (explorer, game, isNeeded) => {
    const solved = solvedName(game);
    const isSolved = async () => (await (await caches.open(cacheName)).match(solved)) !== undefined;
    const needed = [...site.tables, ...site.books].find((table) => table.game === game)
        ?? ((await isSolved()) && { id: game, file: solved });
    if (!needed) {
        return;
    }
    if (!loading.has(needed.file)) {
        const done = load(explorer, needed).catch((error) => {
            // Without its table a game is searched. The next request tries again.
            console.error(error);
            loading.delete(needed.file);
        });
        loading.set(needed.file, done);
    }
    const loaded = loading.get(needed.file);
    await (isNeeded ? loaded : Promise.race([loaded, pause(1000)]));
};

// Pages solve the games that they show, in workers of their own, and send progress and tables.
const solves = new Map();
const solvedName = (id) => `solved/${encodeURIComponent(id)}`;
const offer = async (explorer, page) => {
    for (const [id, rules] of explorer.wanted()) {
        solves.set(id, { rules, page: "" });
    }
    for (const [id, solve] of solves) {
        const isLost = solve.page === "" || !(await self.clients.get(solve.page));
        const client = isLost && await self.clients.get(page);
        if (client) {
            solve.page = page;
            client.postMessage({ worker: `${scope}worker.js`, id, rules: solve.rules });
        }
    }
};
const receive = async ({ id, progress, table }) => {
    const explorer = await ready();
    if (progress) {
        explorer.noteProgress(id, ...progress);
        return;
    }
    solves.delete(id);
    if (table.length > 0) {
        explorer.addTable(id, table);
        await (await caches.open(cacheName)).put(solvedName(id), new Response(table));
    } else {
        // There was not enough memory, so it is searched.
        explorer.noteProgress(id, "", "", 0, 0);
    }
};

// A module that has failed begins anew.
const forget = (error) => {
    console.error(error);
    engine = null;
    loading.clear();
};

// Searches go on step by step, so that requests are answered in between. The first step can take a
// second, so a new page loads its style and script before.
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
let isWorking = false;
const work = async (explorer, isNewPage) => {
    if (isWorking) {
        return;
    }
    isWorking = true;
    try {
        await pause(isNewPage ? 300 : 0);
        while (explorer.step()) {
            await pause(0);
        }
    } catch (error) {
        forget(error);
    } finally {
        isWorking = false;
    }
};

const unanswered = (error) => {
    const text = error instanceof WebAssembly.RuntimeError
        ? `The explorer has failed, perhaps for lack of memory: ${error.message}\nReload the page.`
        : `The explorer can't be loaded: ${error.message}\nReload the page when you are online.`;
    return new Response(text, { status: 503, headers: { "Content-Type": "text/plain; charset=utf-8" } });
};

// The explorer itself refuses what can't be decoded.
const decoded = (part) => {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
};

const answer = async (event, url) => {
    try {
        const explorer = await ready();
        // A server of files leads to folders, whose addresses end with a slash.
        const path = url.pathname === scope ? scope : url.pathname.replace(/\/$/, "");
        const [, game = ""] = path.slice(scope.length).match(/^(?:api\/(?:v1\/)?|[^/]+\/)([^/]+)/) ?? [];
        const isNeeded = /^(?:puzzles|statistics|api)\//.test(path.slice(scope.length));
        await prepare(explorer, decoded(game), isNeeded);
        const body = event.request.method === "POST" ? await event.request.text() : "";
        const reply = explorer.answer(event.request.method, path + url.search, body);
        const isNewPage = event.request.mode === "navigate";
        event.waitUntil(Promise.all([work(explorer, isNewPage), offer(explorer, event.clientId)]));
        const isEmpty = [204, 304].includes(reply.status) || event.request.method === "HEAD";
        return new Response(isEmpty ? null : reply.body, reply);
    } catch (error) {
        forget(error);
        return unanswered(error);
    }
};

if (isService) {
    self.addEventListener("install", (event) => {
        self.skipWaiting();
        const needed = site.tables.filter((table) => table.bytes < 100_000).map((table) => table.file);
        event.waitUntil(Promise.all([ready(), ...needed.map(stored)]));
    });

    self.addEventListener("activate", (event) => {
        const old = async () => {
            const names = await caches.keys();
            const others = names.filter((name) => name.startsWith(cacheOwner) && name !== cacheName);
            await Promise.all(others.map((name) => caches.delete(name)));
            const cache = await caches.open(cacheName);
            const known = [...site.files.map((file) => scope + file), `${scope}solved/`];
            const isOld = (file) => !known.some((name) => new URL(file.url).pathname.startsWith(name));
            const files = (await cache.keys()).filter(isOld);
            await Promise.all(files.map((file) => cache.delete(file)));
            await cache.delete("worker.js");
            await self.clients.claim();
        };
        event.waitUntil(old());
    });

    self.addEventListener("fetch", (event) => {
        const url = new URL(event.request.url);
        const isFile = site.files.includes(url.pathname.slice(scope.length));
        if (url.origin !== self.location.origin || !url.pathname.startsWith(scope)) {
            return;
        }
        event.respondWith(isFile ? stored(url.pathname).catch(unanswered) : answer(event, url));
    });
    self.addEventListener("message", (event) => event.waitUntil(receive(event.data)));
} else {
    self.addEventListener("message", async ({ data: { id, rules } }) => {
        const print = (lines) => {
            const [phase, unit, done, total] = lines.trim().split("\n").at(-1).split("\t");
            self.postMessage({ id, progress: [phase, unit, Number(done), Number(total)] });
        };
        const table = (await start(print)).solve(rules);
        self.postMessage({ id, table }, [table.buffer]);
        self.close();
    });
}
