import { mkdirSync } from 'node:fs';
import { get, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, ours, type Peer } from './line-up.ts';
import type { Answer } from './peers/given.ts';
import { freePort, type RunningServer, startServer } from './processes.ts';
import type { Provider } from './provider.ts';
import { audience } from './tokens.ts';

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
  const { issuer, jwksUri, jwksPath, publicKeyPem } = provider;
  const program = peer.start({
    ...{ port, opsPort, folder, path, audience, answer },
    ...{ issuer, jwksUri, jwksPath, publicKeyPem },
  });
  if (program === null) return null;
  const startedAt = performance.now();
  const server = startServer(program, join(folder, 'output.log'));
  const url = `http://127.0.0.1:${port}${path}`;
  const probe = peer.hasReadyz ? `http://127.0.0.1:${opsPort}/readyz` : url;
  while ((await ask(probe, goodToken).catch(() => null))?.status !== 200) {
    const words = server.lastWords();
    if (words !== null) throw new Error(`${peer.name} ended before it was ready: ${words}`);
    if (performance.now() - startedAt > 20_000)
      throw new Error(`${peer.name} is not ready after 20 seconds.`);
    await sleep(5);
  }
  return { server, url, readyMs: performance.now() - startedAt };
}

/** Whoever is measured does the work: a good token gets the full answer, and each bad one is refused. */
export async function check(peer: Peer, url: string, stage: Stage): Promise<void> {
  const good = await ask(url, stage.goodToken);
  if (good.status !== 200) throw new Error(`${peer.name} answered a good token with ${good.status}.`);
  if (good.body.length !== stage.answer.body.length) {
    throw new Error(
      `${peer.name} answered ${good.body.length} bytes, not ${stage.answer.body.length}: ${good.body}`,
    );
  }
  if (!peer.verifies) return;
  for (const [which, token] of [['missing', undefined] as const, ...Object.entries(stage.badTokens)]) {
    const { status } = await ask(url, token);
    if (![400, 401, 403].includes(status)) {
      throw new Error(`${peer.name} answered a token that is ${which} with ${status}.`);
    }
  }
}

/** Vestibule's answer to a good token: the bytes that all others answer too. */
export async function takeAnswer(stage: Omit<Stage, 'answer'>): Promise<Answer> {
  const ready = await startPeer(ours, { ...stage, answer: { headers: {}, body: '' } });
  if (ready === null) throw new Error(`${ours.name} cannot be started, and ${bare.name} needs its answer.`);
  const { status, headers, body } = await ask(ready.url, stage.goodToken);
  await ready.server.stop();
  if (status !== 200) throw new Error(`${ours.name} answered a good token with ${status}: ${body}`);
  // These are the server's own to say.
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...kept } = headers;
  return { headers: kept as Record<string, string>, body };
}

function ask(url: string, token: string | undefined) {
  type Reply = { status: number; headers: IncomingHttpHeaders; body: string };
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // A connection for each question, so that none is left open into the measurement.
  const request = get(url, { agent: false, headers, timeout: 5_000 }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      body += chunk;
    });
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
  });
  request.on('timeout', () => request.destroy(new Error(`No answer from ${url}.`)));
  request.on('error', reject);
  return promise;
}
