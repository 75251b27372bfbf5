import { ask, bearer, ownHeaders } from '../shared/ask.ts';
import type { RunningServer } from '../shared/processes.ts';
import { answers, startReady } from '../shared/ready.ts';
import { mePath, type Stage, surroundingsFor } from '../shared/stage.ts';
import { ours, type Peer } from './line-up.ts';
import type { Answer } from './peers/given.ts';

/** The shared parts of all peers: the bytes they answer, and the tokens they must refuse. */
export interface MeStage extends Stage {
  readonly answer: Answer;
  readonly badTokens: Readonly<Record<string, string>>;
}

export interface ReadyPeer {
  readonly server: RunningServer;
  readonly origin: string;
  /** From the start of the process to the first moment it would answer a good token. */
  readonly readyMs: number;
}

export async function startPeer(peer: Peer, stage: Stage, answer: Answer): Promise<ReadyPeer> {
  const surroundings = await surroundingsFor(peer.name, stage);
  const { port, opsPort, folder } = surroundings;
  const { publicKeyPem } = stage.provider;
  const program = peer.start({ ...surroundings, path: mePath, publicKeyPem, answer });
  const origin = `http://127.0.0.1:${port}`;
  const probe = peer.hasReadyz ? `http://127.0.0.1:${opsPort}/readyz` : `${origin}${mePath}`;
  const startedAt = performance.now();
  const server = await startReady(peer.name, program, folder, answers(probe, bearer(stage.goodToken)));
  return { server, origin, readyMs: performance.now() - startedAt };
}

/** Checks that each peer does the work: a good token gets the full answer, and each bad one is refused. */
export async function checkPeer(peer: Peer, origin: string, stage: MeStage): Promise<void> {
  const url = `${origin}${mePath}`;
  const good = await ask(url, bearer(stage.goodToken));
  if (good.status !== 200) throw new Error(`It answered a good token with ${good.status}.`);
  if (good.body.length !== stage.answer.body.length) {
    throw new Error(`It answered ${good.body.length} bytes, not ${stage.answer.body.length}: ${good.body}`);
  }
  if (!peer.verifies) return;
  for (const [which, token] of [['missing', undefined] as const, ...Object.entries(stage.badTokens)]) {
    const { status } = await ask(url, bearer(token));
    if (![400, 401, 403].includes(status)) {
      throw new Error(`It answered a token that is ${which} with ${status}.`);
    }
  }
}

/** Vestibule's answer to a good token: the bytes that all others answer too. */
export async function takeAnswer(stage: Stage): Promise<Answer> {
  const { server, origin } = await startPeer(ours, stage, { headers: {}, body: '' });
  const reply = await ask(`${origin}${mePath}`, bearer(stage.goodToken));
  await server.stop();
  const { status, body } = reply;
  if (status !== 200) throw new Error(`${ours.name} answered a good token with ${status}: ${body}`);
  return { headers: ownHeaders(reply), body };
}
