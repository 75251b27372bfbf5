import type { PeerSummary, Summaries } from './summary.ts';
import { type Work, works } from './work.ts';

const width = 760;
const labelWidth = 290;
const valueWidth = 130;
const rowHeight = 24;
const panelGap = 34;

const headings: Readonly<Record<Work, string>> = {
  seen: 'Tokens seen before: requests a second on one core',
  new: 'Every token new: requests a second on one core',
};

/** A bar chart as SVG text: a panel for each work, readable on light and on dark. */
export function chart(peers: Summaries): string {
  const rows = Object.entries(peers);
  const panelHeight = panelGap + rows.length * rowHeight;
  const panels = works.map((work, index) => panel(rows, work, index * panelHeight));
  const height = works.length * panelHeight + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Requests a second of Vestibule and its peers, each on one core</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.heading { font-weight: 600; }
.bar { fill: #8c959f; }
.ours { fill: #0969da; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .bar { fill: #6e7681; } .ours { fill: #4493f8; } }
</style>
${panels.join('\n')}
</svg>
`;
}

function panel(rows: readonly (readonly [string, PeerSummary])[], work: Work, top: number): string {
  const max = Math.max(...rows.map(([, peer]) => peer[work].requestsPerSecond.value));
  const lines = rows.map(([name, peer], index) => {
    const { value, ratio } = peer[work].requestsPerSecond;
    const y = top + panelGap + index * rowHeight;
    const bar = ((value / max) * (width - labelWidth - valueWidth)).toFixed(1);
    const style = name.startsWith('vestibule') ? 'bar ours' : 'bar';
    const said = `${Math.round(value).toLocaleString('en')}  (${ratio.toFixed(2)})`;
    return `<text x="${labelWidth - 10}" y="${y + 13}" text-anchor="end">${escaped(peer.title)}</text>
<rect class="${style}" x="${labelWidth}" y="${y}" width="${bar}" height="${rowHeight - 6}" rx="2"/>
<text x="${(labelWidth + Number(bar) + 8).toFixed(1)}" y="${y + 13}">${said}</text>`;
  });
  return [`<text class="heading" x="10" y="${top + 20}">${headings[work]}</text>`, ...lines].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
