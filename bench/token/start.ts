import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { ask } from '../shared/ask.ts';
import { allCores, type RunningServer } from '../shared/processes.ts';
import { startReady } from '../shared/ready.ts';
import { type Stage, surroundingsFor } from '../shared/stage.ts';
import { audience } from '../shared/tokens.ts';
import type { Credentials, Post, TokenPeer } from './line-up.ts';

export interface ReadyTokenPeer {
  readonly server: RunningServer;
  readonly origin: string;
  readonly folder: string;
  readonly credentials: Credentials;
}

/** Starts a peer on all cores, and waits until it gives tokens. */
export async function startTokenPeer(peer: TokenPeer, stage: Stage): Promise<ReadyTokenPeer> {
  const surroundings = await surroundingsFor(peer.name, stage);
  const { program, credentials } = await peer.prepare(surroundings);
  const { port, folder } = surroundings;
  const origin = `http://127.0.0.1:${port}`;
  const isReady = async () => (await askToken(origin, peer.post(credentials))).status === 200;
  const server = await startReady(peer.name, program, folder, isReady, allCores);
  return { server, origin, folder, credentials };
}

/** Checks that each peer does the work: each token is new and verifies with its keys, and a wrong secret is refused. */
export async function checkTokenPeer(peer: TokenPeer, ready: ReadyTokenPeer): Promise<void> {
  const { origin, credentials } = ready;
  const tokens = [await takeToken(peer, ready), await takeToken(peer, ready)] as const;
  if (tokens[0] === tokens[1]) throw new Error(`${peer.name} gave the same token twice.`);
  const keys = JSON.parse((await ask(`${origin}${peer.keysPath}`)).body).keys as readonly PublishedKey[];
  for (const token of tokens) checkToken(peer, token, keys);
  const wrong = { ...credentials, clientSecret: `${credentials.clientSecret.slice(0, -4)}0000` };
  const { status } = await askToken(origin, peer.post(wrong));
  if (status !== 401) throw new Error(`${peer.name} answered a wrong secret with ${status}.`);
}

async function takeToken(peer: TokenPeer, { origin, credentials }: ReadyTokenPeer): Promise<string> {
  const { status, body } = await askToken(origin, peer.post(credentials));
  if (status !== 200) throw new Error(`${peer.name} answered a good secret with ${status}.`);
  const { token, access_token: accessToken } = JSON.parse(body);
  return token ?? accessToken;
}

type PublishedKey = webcrypto.JsonWebKey & { readonly kid: string };

function checkToken({ name, algorithm }: TokenPeer, token: string, keys: readonly PublishedKey[]): void {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { alg, kid } = decode(header);
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== algorithm || jwk === undefined) throw new Error(`${name} gave a token of ${alg}, key ${kid}.`);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = Buffer.from(`${header}.${payload}`);
  const by = { key, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', signed, by, Buffer.from(signature, 'base64url'))) {
    throw new Error(`${name} gave a token that its key does not verify.`);
  }
  const { aud, exp } = decode(payload);
  if (aud !== audience || Number(exp) * 1000 < Date.now()) {
    throw new Error(`${name} gave a token for ${aud} until ${exp}.`);
  }
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function askToken(origin: string, { contentType, body }: Post) {
  return ask(`${origin}/token`, { 'content-type': contentType }, body);
}
