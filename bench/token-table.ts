import { mePerSecond } from './me-latency.ts';
import type { Algorithm } from './signing-rate.ts';
import { shown } from './table.ts';
import type { Middle, TokenPeerSummary, TokenSummary } from './token-summary.ts';
import { tellsApart } from './welch.ts';

const signatures: Readonly<Record<Algorithm, string>> = {
  RS256: 'signatures alone, RSA 2048',
  ES256: 'signatures alone, ECDSA P-256',
};

/** The figures as Markdown: tokens, GET /me beside them, and refusals by time. */
export function tokenTables(summary: TokenSummary): string {
  return [tokens(summary), me(summary), refusals(summary)].join('\n');
}

function tokens({ peers }: TokenSummary): string {
  const all = Object.values(peers);
  const rows = (['RS256', 'ES256'] as const).flatMap((algorithm) => {
    const own = all.filter((peer) => peer.algorithm === algorithm);
    return [...own.slice(0, 1).map(floor), ...own.map(peer)];
  });
  return `**POST /token for client credentials, on all cores**

| | tokens/s | of the signatures alone | its spread | p50 ms | p99 ms | CPU ms a token | memory MB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(row).join('\n')}
`;
}

function floor({ algorithm, signing }: TokenPeerSummary): string[] {
  const { perSecond, cpuMilliseconds } = signing;
  return [
    signatures[algorithm],
    shown(perSecond.value),
    '1.00',
    '',
    '',
    '',
    milliseconds(cpuMilliseconds),
    '',
  ];
}

function peer({ title, tokens: own }: TokenPeerSummary): string[] {
  return [
    title,
    shown(own.tokensPerSecond.value),
    own.ofSigningRate.value.toFixed(2),
    `${Math.round(own.ofSigningRate.spread * 100)} %`,
    shown(own.p50Ms.value),
    shown(own.p99Ms.value),
    milliseconds(own.cpuMilliseconds),
    shown(own.residentMegabytes.value),
  ];
}

function me({ peers }: TokenSummary): string {
  const rows = Object.values(peers).flatMap(({ title, me: own }) => {
    if (own === null) return [];
    const times = [own.aloneP50Ms, own.loadedP50Ms, own.aloneP99Ms, own.loadedP99Ms];
    const cells = times.map(({ value }) => shown(value));
    const lost = `${own.lost} of ${own.sent.toLocaleString('en')}`;
    return [[title, ...cells, own.p99Ratio.value.toFixed(2), lost, shown(own.tokensPerSecond.value)]];
  });
  return `**GET /me on the same process, ${mePerSecond} a second, without and with that load**

| | p50 ms without | with | p99 ms without | with | ratio of p99 | lost | tokens/s meanwhile |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${rows.map(row).join('\n')}
`;
}

function refusals({ refusals: { meanMicroseconds, pairs } }: TokenSummary): string {
  const rows = pairs.map(({ kinds, differenceMicroseconds, t, tWithoutSlowest }) => [
    kinds.join(', '),
    differenceMicroseconds.value.toFixed(2),
    t.value.toFixed(2),
    tWithoutSlowest.value.toFixed(2),
  ]);
  const highest = Math.max(...pairs.flatMap(({ t, tWithoutSlowest }) => [t.value, tWithoutSlowest.value]));
  const finding = highest < tellsApart ? 'cannot tell them apart' : 'tells some of them apart';
  const means = Object.entries(meanMicroseconds).map(([kind, { value }]) => `${kind} ${shown(value)} µs`);
  return `**Refusals at POST /token by the time they take**: who measures it ${finding} (below ${tellsApart} is no difference)

| | difference µs | Welch's t | t without the slowest tenth |
| --- | ---: | ---: | ---: |
${rows.map(row).join('\n')}

Means: ${means.join(', ')}.
`;
}

/** An elliptic signature takes so little that its hundredths count. */
function milliseconds({ value }: Middle): string {
  return value.toFixed(value < 1 ? 3 : 2);
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
