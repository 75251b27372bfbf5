import { join } from 'node:path';
import { writeRequests } from '../shared/load.ts';
import { counted } from '../shared/markdown.ts';
import { measureInRounds } from '../shared/rounds.ts';
import { mePath, type Stage } from '../shared/stage.ts';
import { badTokens, signTokens } from '../shared/tokens.ts';
import { chooseMePeers } from './line-up.ts';
import { writeMeReport } from './report.ts';
import { takeAnswer } from './start.ts';
import { measurePeer, partsOf, type Round, works } from './work.ts';

/** GET /me of Vestibule beside its peers. */
export async function measureMe(shared: Stage): Promise<string> {
  const { options, provider, folder, say } = shared;
  const peers = chooseMePeers(options, say);
  const stage = { ...shared, answer: await takeAnswer(shared), badTokens: await badTokens(provider) };
  const { total } = partsOf(options.newTokens);
  say(`Signing ${counted(total)} tokens.`);
  const tokens = await signTokens(provider, total);
  const requests = writeRequests(
    join(folder, 'me.txt'),
    tokens.map((token) => ({ method: 'GET', path: mePath, token })),
  );
  const measure = (peer: (typeof peers)[number]) => measurePeer(peer, stage, requests);
  return writeMeReport(await measureInRounds(peers, stage, measure, inShort), stage);
}

function inShort(round: Round): string {
  const each = works.map((work) => {
    const { requestsPerSecond, cpuMicroseconds } = round[work];
    const rate = requestsPerSecond.toFixed(0).padStart(6);
    return `${work} ${rate}/s ${cpuMicroseconds.toFixed(1).padStart(6)} us`;
  });
  return each.join('  ');
}
