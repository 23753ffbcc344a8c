// The explorer as a service worker: it answers this site's requests by the WebAssembly module.
//
// `site`, in a line before this one, has the names of the files beside it and their tables.
"use strict";

const scope = new URL(self.registration.scope).pathname;
const cacheName = `zermelo ${site.module}`;
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
const system = (memory) => {
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
        fd_write: (_, parts, count, written) => {
            let length = 0;
            for (let part = parts; part < parts + 8 * count; part += 8) {
                const [at, bytes] = [view().getUint32(part, true), view().getUint32(part + 4, true)];
                console.error(decode(new Uint8Array(memory().buffer, at, bytes)));
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

const start = async () => {
    const packed = (await stored(site.module)).body;
    const module = packed.pipeThrough(new DecompressionStream("gzip"));
    const headers = { "Content-Type": "application/wasm" };
    let calls = null;
    const made = await WebAssembly.instantiateStreaming(
        new Response(module, { headers }),
        system(() => calls.memory),
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
    const tables = site.tables.map((table) => [table.id, table.rules]);
    put(encode(JSON.stringify({ prefix: scope.slice(0, -1), tables })));
    check(calls.begin());
    return {
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
        noteArrived: (id, bytes, of) => {
            put(encode(`${id}\n`));
            calls.note_arrived(bytes, of);
        },
        step: () => calls.step() !== 0,
    };
};

let engine = null;
const ready = () => {
    engine ??= start().catch((error) => {
        engine = null;
        throw error;
    });
    return engine;
};

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
        explorer.noteArrived(id, length, bytes);
    }
    const table = new Uint8Array(length);
    parts.reduce((at, part) => {
        table.set(part, at);
        return at + part.length;
    }, 0);
    explorer.addTable(id, table);
};
// Returns when the table that an address needs is there, or has taken a second.
const prepare = async (explorer, game) => {
    const needed = [...site.tables, ...site.books].find((table) => (table.game ?? table.id) === game);
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
    const second = new Promise((resolve) => setTimeout(resolve, 1000));
    await Promise.race([loading.get(needed.file), second]);
};

// Searches go on step by step, so that requests are answered in between.
let isWorking = false;
const work = async (explorer) => {
    if (isWorking) {
        return;
    }
    isWorking = true;
    try {
        while (explorer.step()) {
            await new Promise((resolve) => setTimeout(resolve));
        }
    } finally {
        isWorking = false;
    }
};

const unanswered = (error) => {
    const text = `The explorer can't be loaded: ${error.message}\nReload the page when you are online.`;
    return new Response(text, { status: 503, headers: { "Content-Type": "text/plain; charset=utf-8" } });
};

const answer = async (event, url) => {
    try {
        const explorer = await ready();
        // A server of files leads to folders, whose addresses end with a slash.
        const path = url.pathname === scope ? scope : url.pathname.replace(/\/$/, "");
        const parts = path.slice(scope.length).split("/");
        await prepare(explorer, decodeURIComponent(parts[0] === "api" ? (parts[1] ?? "") : (parts[1] ?? "")));
        const body = event.request.method === "POST" ? await event.request.text() : "";
        const reply = explorer.answer(event.request.method, path + url.search, body);
        event.waitUntil(work(explorer));
        const isEmpty = [204, 304].includes(reply.status) || event.request.method === "HEAD";
        return new Response(isEmpty ? null : reply.body, reply);
    } catch (error) {
        // A module that has failed begins anew.
        engine = null;
        loading.clear();
        return unanswered(error);
    }
};

self.addEventListener("install", (event) => {
    self.skipWaiting();
    const needed = site.tables.filter((table) => table.bytes < 100_000).map((table) => table.file);
    event.waitUntil(Promise.all([ready(), ...needed.map(stored)]));
});

self.addEventListener("activate", (event) => {
    const old = async () => {
        const names = await caches.keys();
        const others = names.filter((name) => name.startsWith("zermelo ") && name !== cacheName);
        await Promise.all(others.map((name) => caches.delete(name)));
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
