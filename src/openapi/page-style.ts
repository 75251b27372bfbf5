/** The one stylesheet of the reference page: light and dark, phone and desk, screen and paper. */
export const referenceStyle = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fff, #14171c);
  --raised: light-dark(#f5f6f8, #1d2128);
  --ink: light-dark(#1a1f29, #e4e7ec);
  --quiet: light-dark(#565e6b, #a3abb8);
  --line: light-dark(#dde1e7, #343a45);
  --link: light-dark(#0b57b8, #8ab9ff);
  --good: light-dark(#12693a, #7fd3a2);
  --wait: light-dark(#7a5200, #ecc06d);
  --bad: light-dark(#a3231f, #ff9d96);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
}
*, ::before, ::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
}
a { color: var(--link); text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
code, pre { font-family: var(--mono); font-size: 0.9em; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 0.5rem; }
h2 { font-size: 1.5rem; margin: 0 0 0.5rem; }
h3 { font-size: 1.15rem; margin: 0 0 0.5rem; }
h4 { font-size: 0.95rem; margin: 1.25rem 0 0.5rem; color: var(--quiet); }
p { margin: 0 0 0.75rem; max-width: 70ch; }
small, .version, .headers { color: var(--quiet); font-size: 0.85rem; font-weight: normal; }

.skip { position: absolute; left: -100vw; background: var(--paper); padding: 0.75rem 1rem; z-index: 1; }
.skip:focus { left: 0; }

nav { background: var(--raised); border-bottom: 1px solid var(--line); padding: 1rem; font-size: 0.9rem; max-height: 40vh; overflow-y: auto; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav > ul > li { margin-top: 0.75rem; font-weight: 600; }
nav ul ul { font-weight: normal; }
nav a { display: block; padding: 0.2rem 0.25rem; color: inherit; text-decoration: none; }
nav a:hover { color: var(--link); text-decoration: underline; }
main { padding: 1.5rem 1rem 4rem; }
section { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
article { margin-top: 2rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.5rem; }
article:has(h3:target) { border-color: var(--link); }

.method {
  display: inline-block;
  min-width: 3.6rem;
  font: 600 0.75rem/1.6 var(--mono);
  text-transform: uppercase;
  color: var(--link);
}
.post { color: var(--good); }
.put, .patch { color: var(--wait); }
.delete { color: var(--bad); }
.deprecated { color: var(--bad); border: 1px solid; border-radius: 1rem; padding: 0 0.6em; }

.scroll { overflow-x: auto; margin-bottom: 0.75rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; }
tbody th { font-weight: normal; }
tr:target { background: var(--raised); }

dl { margin: 0; }
.answer { display: grid; grid-template-columns: 3.5rem 1fr; gap: 0.5rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
.answer p { margin-bottom: 0.25rem; }
.status { font: 600 0.95rem/1.55 var(--mono); }
.s2, .s3 { color: var(--good); }
.s4 { color: var(--wait); }
.s5 { color: var(--bad); }
dd { margin: 0; min-width: 0; }
.codes { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.15rem 0.9rem; font-size: 0.85rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
pre {
  margin: 0 0 0.75rem;
  padding: 0.9rem 1rem;
  overflow-x: auto;
  background: var(--raised);
  border: 1px solid var(--line);
  border-radius: 0.4rem;
  line-height: 1.45;
}
pre code { overflow-wrap: normal; }

@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; max-height: none; border-bottom: 0; border-right: 1px solid var(--line); }
  main { padding: 2.5rem 3rem 6rem; max-width: 64rem; }
}
@media print {
  nav, .skip { display: none; }
  article { break-inside: avoid; border: 0; padding: 0; }
}
`;
