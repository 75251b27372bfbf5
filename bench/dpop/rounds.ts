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

/** What a proof costs a request, and that bearer tokens cost what they did (`--before`, another checkout). */
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

function boundInShort({ bound, verifying, ofVerifyingRate, ofVerifyingCpu, ofBoth }: BoundRound): string {
  const rates = `${bound.requestsPerSecond.toFixed(0)}/s of ${verifying.perSecond.toFixed(0)}`;
  return `${rates} (${ofVerifyingRate.toFixed(2)}), by CPU ${ofVerifyingCpu.toFixed(2)}, of a bearer request and a check ${ofBoth.toFixed(2)}`;
}

function bearerInShort({ byRate, byCpu }: BearerRound): string {
  return `x ${byRate.toFixed(3)}, CPU x ${byCpu.toFixed(3)}`;
}

function boundTable(rounds: readonly BoundRound[]): string {
  const verifying = middles(rounds.map((round) => round.verifying));
  const bound = middles(rounds.map((round) => round.bound));
  const ratio = middle(rounds.map((round) => round.ofVerifyingRate));
  const byCpu = middle(rounds.map((round) => round.ofVerifyingCpu));
  const alone = ['ES256 checks alone', shown(verifying.perSecond.value), '1.00', '', '1.00', ''];
  const ours = [
    'GET /me, bound tokens seen before, a new proof each time',
    shown(bound.requestsPerSecond.value),
    ratio.value.toFixed(2),
    percent(ratio.spread),
    byCpu.value.toFixed(2),
    middle(rounds.map((round) => round.ofBoth)).value.toFixed(2),
  ];
  return table(
    '**Requests with a DPoP proof, on one core**',
    ['a second', 'of the checks alone', 'its spread', 'by CPU', 'of a bearer request and a check', 'CPU µs'],
    [
      [...alone, shown(verifying.cpuMicroseconds.value)],
      [...ours, shown(bound.cpuMicroseconds.value)],
    ],
  );
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
    '**Bearer tokens seen before, beside the other checkout**',
    ['by requests/s', 'its spread', 'CPU a request', 'its spread'],
    [['GET /me', ...row]],
  );
}
