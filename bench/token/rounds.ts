import { meInShort } from '../me-under-load/sample.ts';
import { measureInRounds } from '../shared/rounds.ts';
import type { Stage } from '../shared/stage.ts';
import { lineUp } from './line-up.ts';
import { measureRefusals, type RefusalRound } from './refusal-timing.ts';
import { writeTokenReport } from './report.ts';
import { measureTokenPeer, type TokenRound } from './work.ts';

/** POST /token: how many, what that does to /me, and what a refusal tells by its time. */
export async function measureToken(stage: Stage): Promise<string> {
  const peers = await measureInRounds(lineUp, stage, (peer) => measureTokenPeer(peer, stage), tokensInShort);
  // Each looks for one client in the database.
  const samples = stage.options.partial ? 100 : 1_000;
  const refused = { name: 'refusals' };
  const timed = await measureInRounds([refused], stage, () => measureRefusals(stage, samples), timesInShort);
  return writeTokenReport(peers, timed.get(refused) ?? [], samples, stage);
}

function tokensInShort({ tokens, signing, me }: TokenRound): string {
  const { requestsPerSecond, ofSigningRate } = tokens;
  const rates = `${requestsPerSecond.toFixed(0)}/s of ${signing.perSecond.toFixed(0)} (${ofSigningRate.toFixed(2)})`;
  return me === null ? rates : `${rates}  ${meInShort(me)}`;
}

function timesInShort({ pairs }: RefusalRound): string {
  return `told apart by time: t ${pairs.map(({ t }) => t.toFixed(1)).join(', ')}`;
}
