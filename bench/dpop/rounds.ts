import { percent, shown, table } from '../shared/markdown.ts';
import { writeFigures, writeTables } from '../shared/report.ts';
import { measureInRounds } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import { middles } from '../shared/statistics.ts';
import { signToken } from '../shared/tokens.ts';
import { type BoundRound, measureBound } from './bound.ts';
import { boundCallers } from './proofs.ts';

/** Keys that are in use at once. */
const keys = 500;

/** Measures what a proof costs a request. */
export async function measureDpop(stage: Stage): Promise<string> {
  const { repeat, seconds, newTokens } = stage.options;
  const bound = await boundCallers(keys, (caller, claims) => signToken(stage.provider, caller, claims));
  const proven = { name: 'bound tokens' };
  const boundRounds = await measureInRounds([proven], stage, () => measureBound(bound, stage), boundInShort);
  const rounds = boundRounds.get(proven) ?? [];
  writeFigures('dpop', stage, { rounds: repeat, seconds, proofs: newTokens, keys }, { bound: rounds });
  return writeTables('dpop', stage, [boundTable(rounds)], '; the server on one core, the load on another');
}

function boundInShort({ checks, bare, bound, boundOfChecks, boundOfBare }: BoundRound): string {
  const [own, ...others] = [bound, bare, checks].map(({ perSecond }) => perSecond.toFixed(0));
  const of = [boundOfBare, boundOfChecks].map(({ byCpu }) => byCpu.toFixed(2));
  return `${own}/s, bare with a check ${others[0]}, checks alone ${others[1]}; by CPU ${of.join(' and ')} of those`;
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
