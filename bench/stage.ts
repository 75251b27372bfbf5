import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ask, bearer } from './ask.ts';
import { bare, ours, type Peer } from './line-up.ts';
import type { Answer } from './peers/given.ts';
import { freePort, type RunningServer, startServer } from './processes.ts';
import type { Provider } from './provider.ts';
import { audience } from './tokens.ts';
import { untilReady } from './until-ready.ts';

const path = '/api/consumer/v1/me';

/** What all peers of a run share. */
export interface Stage {
  readonly folder: string;
  readonly provider: Provider;
  readonly goodToken: string;
  readonly badTokens: Readonly<Record<string, string>>;
  readonly answer: Answer;
}

export interface ReadyPeer {
  readonly server: RunningServer;
  readonly url: string;
  /** From the start of the process to the first moment it would answer a good token. */
  readonly readyMs: number;
}

let started = 0;

/** Starts a peer in a folder of its own and waits until it is ready; null when this machine does not have it. */
export async function startPeer(peer: Peer, stage: Stage): Promise<ReadyPeer | null> {
  const { provider, answer, goodToken } = stage;
  const folder = join(stage.folder, `${++started}-${peer.name}`);
  mkdirSync(folder);
  const [port, opsPort] = [await freePort(), await freePort()];
  const { issuer, algorithm, jwksUri, jwksPath, publicKeyPem } = provider;
  const program = peer.start({
    ...{ port, opsPort, folder, path, audience, answer },
    ...{ issuer, algorithm, jwksUri, jwksPath, publicKeyPem },
  });
  if (program === null) return null;
  const startedAt = performance.now();
  const server = startServer(program, join(folder, 'output.log'));
  const url = `http://127.0.0.1:${port}${path}`;
  const probe = peer.hasReadyz ? `http://127.0.0.1:${opsPort}/readyz` : url;
  await untilReady(peer.name, server, async () => (await ask(probe, bearer(goodToken))).status === 200);
  return { server, url, readyMs: performance.now() - startedAt };
}

/** Whoever is measured does the work: a good token gets the full answer, and each bad one is refused. */
export async function check(peer: Peer, url: string, stage: Stage): Promise<void> {
  const good = await ask(url, bearer(stage.goodToken));
  if (good.status !== 200) throw new Error(`${peer.name} answered a good token with ${good.status}.`);
  if (good.body.length !== stage.answer.body.length) {
    throw new Error(
      `${peer.name} answered ${good.body.length} bytes, not ${stage.answer.body.length}: ${good.body}`,
    );
  }
  if (!peer.verifies) return;
  for (const [which, token] of [['missing', undefined] as const, ...Object.entries(stage.badTokens)]) {
    const { status } = await ask(url, bearer(token));
    if (![400, 401, 403].includes(status)) {
      throw new Error(`${peer.name} answered a token that is ${which} with ${status}.`);
    }
  }
}

/** Vestibule's answer to a good token: the bytes that all others answer too. */
export async function takeAnswer(stage: Omit<Stage, 'answer'>): Promise<Answer> {
  const ready = await startPeer(ours, { ...stage, answer: { headers: {}, body: '' } });
  if (ready === null) throw new Error(`${ours.name} cannot be started, and ${bare.name} needs its answer.`);
  const { status, headers, body } = await ask(ready.url, bearer(stage.goodToken));
  await ready.server.stop();
  if (status !== 200) throw new Error(`${ours.name} answered a good token with ${status}: ${body}`);
  // These are the server's own to say.
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...kept } = headers;
  return { headers: kept as Record<string, string>, body };
}
