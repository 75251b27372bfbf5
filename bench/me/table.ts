import { percent, shown, table } from '../shared/markdown.ts';
import type { Figure, PeerSummary, Summaries } from './summary.ts';
import { type Work, works } from './work.ts';

const headings: Readonly<Record<Work, string>> = {
  seen: 'Tokens seen before (2,000 in turn)',
  new: 'Every token new',
};

/** Each figure with its ratio to bare in parentheses. */
export function workTable(peers: Summaries, work: Work): string {
  const columns = 'requests/s, p50 ms, p99 ms, CPU µs a request, its spread, memory MB, start to ready ms';
  const rows = Object.values(peers).map((peer) => {
    const own = peer[work];
    return [
      peer.title,
      cell(own.requestsPerSecond),
      cell(own.p50Ms),
      cell(own.p99Ms),
      cell(own.cpuMicroseconds),
      percent(own.cpuMicroseconds.spread),
      cell(own.residentMegabytes),
      shown(peer.readyMs),
    ];
  });
  return table(
    `**${headings[work]}** (in parentheses: the ratio to the bare server of the same round)`,
    columns.split(', '),
    rows,
  );
}

/** Vestibule against each of the others: above 1 it does more than they do. By CPU a request is the steadier way. */
export function findings(peers: Summaries): readonly string[] {
  const ours = peers.vestibule;
  if (ours === undefined) return [];
  const others = Object.entries(peers).filter(([name]) => !name.startsWith('vestibule'));
  const titled = 'Vestibule, request log off, against each of the others';
  return against(
    ours,
    others.map(([, other]) => other),
    titled,
  );
}

/** The verifier against each of the others on the same framework; the framework alone shows how much there is to gain. */
export function verifyFindings(peers: Summaries): readonly string[] {
  return ['express', 'fastify'].flatMap((framework) => {
    const ours = peers[`${framework}-verify`];
    if (ours === undefined) return [];
    const others = Object.entries(peers).filter(
      ([name]) => name.startsWith(`${framework}-`) && name !== `${framework}-verify`,
    );
    return against(
      ours,
      others.map(([, other]) => other),
      `${ours.title}, against each of the others`,
    );
  });
}

function against(ours: PeerSummary, others: readonly PeerSummary[], heading: string): readonly string[] {
  return [throughputAgainst(ours, others, heading), latencyAgainst(ours, others, heading)];
}

function latencyAgainst(ours: PeerSummary, others: readonly PeerSummary[], heading: string): string {
  const rows = others.map((other) => {
    const cells = works.flatMap((work) => {
      const [own, theirs] = [ours[work].p99Ms.value, other[work].p99Ms.value];
      return [shown(own), shown(theirs), (own / theirs).toFixed(2)];
    });
    return [other.title, ...cells];
  });
  const columns = ['p99 ms, seen before', 'theirs', 'ratio', 'p99 ms, every token new', 'theirs', 'ratio'];
  return table(`**${heading}, by p99** (below 1: it answers sooner)`, columns, rows);
}

function throughputAgainst(ours: PeerSummary, others: readonly PeerSummary[], heading: string): string {
  const rows = others.map((other) => {
    const cells = works.flatMap((work) => {
      const [own, theirs] = [ours[work], other[work]];
      const byRequests = own.requestsPerSecond.value / theirs.requestsPerSecond.value;
      const byCpu = theirs.cpuMicroseconds.value / own.cpuMicroseconds.value;
      return [byRequests.toFixed(2), byCpu.toFixed(2)];
    });
    return [other.title, ...cells];
  });
  const columns = ['seen before: by requests/s', 'by CPU', 'every token new: by requests/s', 'by CPU'];
  return table(`**${heading}** (above 1: it does more)`, columns, rows);
}

function cell({ value, ratio }: Figure): string {
  return `${shown(value)} (${ratio.toFixed(2)})`;
}
