/** The one stylesheet of the reference page, in the colours of the reference frontend (web/src/style/tokens.css). */
export const referenceStyle = `:root {
  color-scheme: light dark;
  --paper: light-dark(#f5f1e8, #141816);
  --card: light-dark(#fffdf8, #1c2220);
  --inset: light-dark(#f0ebdf, #161b19);
  --ink: light-dark(#23211c, #ece8de);
  --soft: light-dark(#605b4f, #aeb0a4);
  --line: light-dark(#ddd5c5, #333b37);
  --edge: light-dark(#857d6c, #7d8881);
  --act: light-dark(#1d5b4a, #8fd3b6);
  --on-act: light-dark(#ffffff, #0d211a);
  --warm: light-dark(#a1451c, #f0a679);
  --bad: light-dark(#97281c, #ffab98);
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "URW Palladio L", "P052", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 var(--sans); overflow-wrap: anywhere; }
[hidden] { display: none !important; }
a { color: var(--act); text-underline-offset: 0.18em; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; border-radius: 0.3rem; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: 0.88em; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.9rem, 1.5rem + 1.6vw, 2.6rem); margin: 0 0 0.4rem; letter-spacing: -0.01em; }
h2 { font-size: 1.4rem; margin: 0 0 0.3rem; }
h3 { font-size: 1rem; font-weight: 600; margin: 0; }
h4 { font-size: 0.9rem; margin: 1.25rem 0 0.4rem; color: var(--soft); }
p { margin: 0 0 0.6rem; max-width: 46rem; }
dl, dd { margin: 0; }
small, .version, .headers, .note, .type { color: var(--soft); font-size: 0.88rem; font-weight: normal; }

.skip { position: absolute; left: -100vw; background: var(--card); padding: 0.75rem 1rem; z-index: 2; }
.skip:focus { left: 0; }
svg { flex: none; }
.wall { fill: light-dark(#1d5b4a, #3b7f69); }
.light { fill: light-dark(#f6e7c4, #ffdf9e); }
.door { fill: #c8663f; }

nav { padding: 0.75rem 1rem; background: var(--card); border-bottom: 1px solid var(--line); font-size: 0.92rem; }
nav p { margin: 0; }
.brand a { display: inline-flex; align-items: center; gap: 0.5rem; color: var(--ink); font: 600 1.15rem/1 var(--serif); text-decoration: none; }
.filter { display: grid; gap: 0.2rem; margin-top: 0.6rem; }
.contents { display: none; }
main { padding: 1.5rem 1rem 4rem; }
section { margin-top: 2rem; }
article { margin-top: 0.4rem; }

.operation { border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
article:has(h3:target) .operation { border-color: var(--act); }
.operation > summary { position: relative; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.75rem; padding: 0.55rem 0.9rem; }
.operation > summary h3 { display: flex; align-items: baseline; gap: 0.5rem; padding-right: 1.5rem; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary::after { content: "+"; position: absolute; top: 0.7rem; right: 0.9rem; color: var(--soft); font: 600 1.1rem/1 var(--mono); }
.operation[open] > summary::after { content: "\\2212"; }
.path { flex: 1 1 12rem; color: var(--soft); font-size: 0.8rem; }
.inner { padding: 0.25rem 0.9rem 1rem; border-top: 1px solid var(--line); }
.inner > :first-child { margin-top: 0.75rem; }
summary { cursor: pointer; }
.fold > summary { padding: 0.3rem 0; color: var(--act); font-weight: 600; font-size: 0.95rem; }

.method { flex: none; min-width: 3.4rem; font: 700 0.75rem/1.6 var(--mono); text-transform: uppercase; color: var(--soft); }
.post { color: var(--act); }
.put, .patch { color: var(--warm); }
.delete { color: var(--bad); }
.deprecated { color: var(--bad); border: 1px solid; border-radius: 1rem; padding: 0 0.6em; }

.rows > div { padding: 0.45rem 0; border-top: 1px solid var(--line); }
.rows > div:target { background: var(--inset); }
.rows .type { font-family: var(--mono); }
.answer { display: grid; grid-template-columns: 3.5rem minmax(0, 1fr); gap: 0.5rem; padding: 0.4rem 0; border-top: 1px solid var(--line); }
.answer p { margin-bottom: 0.15rem; }
.status { font: 700 0.95rem/1.6 var(--mono); color: var(--warm); }
.s2, .s3 { color: var(--act); }
.s5 { color: var(--bad); }
.codes { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; font-size: 0.9rem; }
pre { margin: 0 0 0.6rem; padding: 0.8rem 1rem; overflow-x: auto; background: var(--inset); border: 1px solid var(--line); border-radius: 0.6rem; line-height: 1.45; overflow-wrap: normal; }

input, textarea { width: 100%; padding: 0.45rem 0.7rem; border: 1px solid var(--edge); border-radius: 0.6rem; background: var(--card); color: var(--ink); font: 1rem/1.4 var(--sans); }
textarea { field-sizing: content; min-height: 6rem; max-height: 30rem; }
.none { margin-top: 1.5rem; }
textarea, .field input, #token { font-family: var(--mono); font-size: 0.9rem; }
::placeholder { color: var(--soft); opacity: 1; }
label { font-weight: 600; font-size: 0.92rem; }
button { min-height: 2.5rem; padding: 0.4rem 1.2rem; border: 1px solid var(--act); border-radius: 0.6rem; background: var(--act); color: var(--on-act); font: 600 1rem/1.2 var(--sans); cursor: pointer; }
button:disabled { opacity: 0.6; cursor: progress; }
.danger { border-color: var(--bad); background: transparent; color: var(--bad); }
.token { margin-top: 1rem; padding: 0.8rem 1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
.token p { display: grid; gap: 0.4rem; margin: 0; max-width: none; }
.token .note { margin-top: 0.3rem; }
.try form { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 14rem), 1fr)); gap: 0.6rem 1rem; padding: 0.5rem 0 0.75rem; }
.try p { margin: 0; max-width: none; }
.field { display: grid; gap: 0.4rem; align-content: start; }
.try p:not(.field) { grid-column: 1 / -1; }
.came-status { font: 700 1rem/1.6 var(--mono); }
.came-status.good { color: var(--act); }
.came-status.bad { color: var(--bad); }

@media (min-width: 46rem) {
  .rows > div { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 0 1.25rem; }
}
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-bottom: 0; border-right: 1px solid var(--line); }
  .contents, .contents ul { display: block; list-style: none; margin: 0; padding: 0; }
  .contents > li { margin-top: 0.9rem; }
  .contents > li > a { font-weight: 600; }
  .contents ul { margin-left: 0.4rem; padding-left: 0.6rem; border-left: 1px solid var(--line); }
  .contents a { display: block; padding: 0.12rem 0.25rem; color: inherit; text-decoration: none; }
  .contents ul a { display: flex; gap: 0.3rem; }
  .contents a:hover { color: var(--act); text-decoration: underline; }
  main { padding: 2.5rem 3rem 6rem; max-width: 64rem; }
}
@media print {
  nav, .skip, .token, .try { display: none; }
  .operation { break-inside: avoid; }
}
`;
