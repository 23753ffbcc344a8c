//! How the page looks.

pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--paper:#f6f7f9;--card:#fff;--edge:#dfe3e9;--good:#0a9e6a;--fair:#e0a100;--bad:#d9480f}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--paper:#14181f;--card:#1d232c;--edge:#313a46;--good:#2fc78f;--fair:#e8b93a;--bad:#ff7a45}}\
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\
main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}h1{font-size:1.7rem;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:40px 0 12px}\
.soft{color:var(--soft)}.verdict{display:inline-block;padding:2px 14px;border-radius:99px;color:#fff;font-weight:700;letter-spacing:.02em}\
.perfect{background:#0a855a}.imperfect{background:#a87400}.faulty{background:#c33f0c}\
.grid{display:grid;gap:14px;grid-template-columns:repeat(auto-fit,minmax(200px,1fr))}.wide{grid-template-columns:repeat(auto-fit,minmax(320px,1fr))}\
.card{background:var(--card);border:1px solid var(--edge);border-radius:14px;padding:16px;overflow-x:auto}\
.big{font-size:1.7rem;font-weight:650;line-height:1.2}code,pre{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere}pre{white-space:pre-wrap;margin:8px 0 0}\
table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:4px 10px;border-bottom:1px solid var(--edge)}th:first-child,td:first-child{text-align:left}th{font-weight:600;color:var(--soft)}\
svg{max-width:100%;height:auto;display:block}.film{display:grid;gap:12px;grid-template-columns:repeat(auto-fill,minmax(170px,1fr))}.film .card{padding:10px;font-size:.85rem}\
.marked{border:2px solid var(--bad)}.bad{color:var(--bad);font-weight:650}.good{color:var(--good);font-weight:650}.track{height:8px;border-radius:4px;background:var(--edge);margin-top:8px;overflow:hidden}.track i{display:block;height:100%;background:var(--good)}";
