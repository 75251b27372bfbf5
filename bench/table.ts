import type { Work } from './measure.ts';
import type { Figure, PeerSummary } from './summary.ts';

const headings: Readonly<Record<Work, string>> = {
  seen: 'Tokens seen before (2,000 in turn)',
  new: 'Every token new',
};

type Summaries = Readonly<Record<string, PeerSummary>>;

/** The figures as Markdown: a table for each work, each figure with its ratio to bare in parentheses. */
export function tables(peers: Summaries): string {
  return (['seen', 'new'] as const).map((work) => table(peers, work)).join('\n');
}

function table(peers: Summaries, work: Work): string {
  const rows = Object.values(peers).map((peer) => {
    const own = peer[work];
    const cells = [
      peer.title,
      cell(own.requestsPerSecond),
      cell(own.p50Ms),
      cell(own.p99Ms),
      cell(own.cpuMicroseconds),
      `${Math.round(own.cpuMicroseconds.spread * 100)} %`,
      cell(own.residentMegabytes),
      shown(peer.readyMs),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `**${headings[work]}**

| | requests/s | p50 ms | p99 ms | CPU µs a request | its spread | memory MB | start to ready ms |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
}

function cell({ value, ratio }: Figure): string {
  return `${shown(value)} (${ratio.toFixed(2)})`;
}

export function shown(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/**
 * Vestibule against each of the others: above 1 it does more than they do. By CPU a request is the steadier way.
 */
export function findings(peers: Summaries): string {
  const ours = peers.vestibule;
  if (ours === undefined) return '';
  const others = Object.entries(peers).filter(([name]) => !name.startsWith('vestibule'));
  const rows = others.map(([, other]) => {
    const cells = (['seen', 'new'] as const).flatMap((work) => {
      const [own, theirs] = [ours[work], other[work]];
      const byRequests = own.requestsPerSecond.value / theirs.requestsPerSecond.value;
      const byCpu = theirs.cpuMicroseconds.value / own.cpuMicroseconds.value;
      return [byRequests.toFixed(2), byCpu.toFixed(2)];
    });
    return `| ${other.title} | ${cells.join(' | ')} |`;
  });
  return `**Vestibule, request log off, against each of the others** (above 1: it does more)

| | seen before: by requests/s | by CPU | every token new: by requests/s | by CPU |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}
`;
}
