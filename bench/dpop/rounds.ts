import { percent, shown, table } from '../shared/markdown.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { measureInRounds } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import { middle, middles } from '../shared/statistics.ts';
import { callers, signToken, signTokens } from '../shared/tokens.ts';
import { type BearerRound, measureBearer } from './bearer.ts';
import { type BoundRound, measureBound } from './bound.ts';
import { boundCallers } from './proofs.ts';

/** Keys that are in use at once. */
const keys = 500;

/** Measures what a proof costs a request, and that bearer tokens cost the same as before (`--before`, another checkout). */
export async function measureDpop(stage: Stage): Promise<string> {
  const { repeat, seconds, newTokens, before } = stage.options;
  const bound = await boundCallers(keys, (caller, claims) => signToken(stage.provider, caller, claims));
  const proven = { name: 'bound tokens' };
  const boundRounds = await measureInRounds([proven], stage, () => measureBound(bound, stage), boundInShort);
  const plain = { name: 'bearer tokens' };
  const tokens = before === null ? [] : await signTokens(stage.provider, callers);
  const bearerRounds = await measureInRounds(
    before === null ? [] : [plain],
    stage,
    () => measureBearer(tokens, before ?? '', stage),
    bearerInShort,
  );
  const rounds = { bound: boundRounds.get(proven) ?? [], bearer: bearerRounds.get(plain) ?? [] };
  writeFigures('dpop', stage, { rounds: repeat, seconds, proofs: newTokens, keys }, rounds);
  const tables = [
    boundTable(rounds.bound),
    ...(rounds.bearer.length > 0 ? [bearerTable(rounds.bearer)] : []),
  ];
  return writeTables('dpop', stage, tables, '; the server on one core, the load on another');
}

function boundInShort({ checks, bare, bound, boundOfChecks, boundOfBare }: BoundRound): string {
  const [own, ...others] = [bound, bare, checks].map(({ perSecond }) => perSecond.toFixed(0));
  const of = [boundOfBare, boundOfChecks].map(({ byCpu }) => byCpu.toFixed(2));
  return `${own}/s, bare with a check ${others[0]}, checks alone ${others[1]}; by CPU ${of.join(' and ')} of those`;
}

function bearerInShort({ byRate, byCpu }: BearerRound): string {
  return `x ${byRate.toFixed(3)}, by CPU x ${byCpu.toFixed(3)}`;
}

function boundTable(rounds: readonly BoundRound[]): string {
  const row = (name: string, who: 'checks' | 'bare' | 'bound', ...ratios: ('' | RatioName)[]) => {
    const { perSecond, cpuMicroseconds } = middles(rounds.map((round) => round[who]));
    const shownRatios = ratios.flatMap((of) => (of === '' ? ['', '', ''] : ratioCells(rounds, of)));
    return [name, shown(perSecond.value), ...shownRatios, shown(cpuMicroseconds.value)];
  };
  const ratioColumns = (of: string) => [`of ${of}, by rate`, 'by CPU', 'its spread'];
  return table(
    '**Requests with a DPoP proof, on one core**',
    ['a second', ...ratioColumns('the checks alone'), ...ratioColumns('node:http and a check'), 'CPU µs'],
    [
      row('ES256 checks alone', 'checks', '', ''),
      row('node:http, bare, and one ES256 check', 'bare', 'bareOfChecks', ''),
      row(
        'GET /me, bound tokens seen before, a new proof each time',
        'bound',
        'boundOfChecks',
        'boundOfBare',
      ),
    ],
  );
}

type RatioName = 'bareOfChecks' | 'boundOfChecks' | 'boundOfBare';

function ratioCells(rounds: readonly BoundRound[], name: RatioName): string[] {
  const { byRate, byCpu } = middles(rounds.map((round) => round[name]));
  return [byRate.value.toFixed(2), byCpu.value.toFixed(2), percent(byCpu.spread)];
}

function bearerTable(rounds: readonly BearerRound[]): string {
  const byRate = middle(rounds.map((round) => round.byRate));
  const byCpu = middle(rounds.map((round) => round.byCpu));
  const row = [
    byRate.value.toFixed(3),
    percent(byRate.spread),
    byCpu.value.toFixed(3),
    percent(byCpu.spread),
  ];
  return table(
    '**Bearer tokens seen before, against the other checkout** (above 1: it does more)',
    ['by requests/s', 'its spread', 'by CPU', 'its spread'],
    [['GET /me', ...row]],
  );
}
