import { percent, shown, table } from '../shared/markdown.ts';
import type { Middle } from '../shared/statistics.ts';
import type { Algorithm } from './signing-rate.ts';
import type { RefusalSummary, TokenPeerSummary, TokenSummaries } from './summary.ts';
import { tellsApart } from './welch.ts';

const signatures: Readonly<Record<Algorithm, string>> = {
  RS256: 'signatures alone, RSA 2048',
  ES256: 'signatures alone, ECDSA P-256',
};

export function tokenTable(peers: TokenSummaries): string {
  const rows = (['RS256', 'ES256'] as const).flatMap((algorithm) => {
    const own = Object.values(peers).filter((peer) => peer.algorithm === algorithm);
    return [...own.slice(0, 1).map(floor), ...own.map(peer)];
  });
  const columns = 'tokens/s, of the signatures alone, its spread, p50 ms, p99 ms, CPU ms a token, memory MB';
  return table('**POST /token for client credentials, on all cores**', columns.split(', '), rows);
}

function floor({ algorithm, signing }: TokenPeerSummary): string[] {
  const { perSecond, cpuMicroseconds } = signing;
  return [
    signatures[algorithm],
    shown(perSecond.value),
    '1.00',
    '',
    '',
    '',
    milliseconds(cpuMicroseconds),
    '',
  ];
}

function peer({ title, tokens: own }: TokenPeerSummary): string[] {
  return [
    title,
    shown(own.requestsPerSecond.value),
    own.ofSigningRate.value.toFixed(2),
    percent(own.ofSigningRate.spread),
    shown(own.p50Ms.value),
    shown(own.p99Ms.value),
    milliseconds(own.cpuMicroseconds),
    shown(own.residentMegabytes.value),
  ];
}

export function refusalTable({ meanMicroseconds, pairs }: RefusalSummary): string {
  const rows = pairs.map(({ kinds, differenceMicroseconds, t, tWithoutSlowest }) => [
    kinds.join(', '),
    differenceMicroseconds.value.toFixed(2),
    t.value.toFixed(2),
    tWithoutSlowest.value.toFixed(2),
  ]);
  const highest = Math.max(...pairs.flatMap(({ t, tWithoutSlowest }) => [t.value, tWithoutSlowest.value]));
  const finding = highest < tellsApart ? 'cannot tell them apart' : 'tells some of them apart';
  const heading = `**Refusals at POST /token by the time they take**: who measures it ${finding} (below ${tellsApart} is no difference)`;
  const columns = ['difference µs', "Welch's t", 't without the slowest tenth'];
  const means = Object.entries(meanMicroseconds).map(([kind, { value }]) => `${kind} ${shown(value)} µs`);
  return `${table(heading, columns, rows)}\nMeans: ${means.join(', ')}.\n`;
}

/** An elliptic signature takes so little that its hundredths count. */
function milliseconds({ value }: Middle): string {
  return (value / 1000).toFixed(value < 1000 ? 3 : 2);
}
