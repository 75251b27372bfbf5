import { mutate } from '../support/faults/mutations.ts';
import { exchange, head } from '../support/http/raw-http.ts';
import { Caller } from '../support/load/caller.ts';
import { compact, rs256 } from '../support/tokens/forged-token.ts';
import { makeKey } from '../support/tokens/provider.ts';
import { credentialsBody, postToken } from '../support/tokens/token-endpoint.ts';
import { agent, type Round } from './work.ts';
import type { World } from './world.ts';

const people = 100;

/** People who only look, and callers who should not have called: one request after the other, by chance. */
export async function runStrangers({ provider, client, processes }: World, round: Round): Promise<void> {
  const { random, tally } = round;
  const origin = processes.origin(0);
  const { privateKey } = await makeKey();
  const anyToken = () => provider.token({ sub: `stranger ${random.below(people)}` });
  const send = async (token: string, method: string, path: string, body?: object) =>
    (await new Caller(origin, token, agent).send(method, path, body)).status;
  const askToken = async (secret: string) =>
    (await postToken(origin, credentialsBody({ ...client, secret }))).status;
  const readHead = async (path: string, ...lines: string[]) =>
    head('GET', `/api/consumer/v1${path}`, `authorization: Bearer ${await anyToken()}`, ...lines);
  const requests: readonly (readonly [what: string, request: () => Promise<number | string>])[] = [
    ['GET /me', async () => send(await anyToken(), 'GET', '/me')],
    ['nowhere', async () => send(await anyToken(), 'GET', '/nowhere')],
    ['a wrong body', async () => send(await anyToken(), 'POST', '/notes', { text: 5, more: {} })],
    ['POST /token', () => askToken(client.secret)],
    ['POST /token', () => askToken('wrong')],
    [
      'a forged token',
      () => {
        const header = { alg: 'RS256', kid: provider.key.kid };
        return send(compact(header, provider.claims(), rs256(privateKey)), 'GET', '/me');
      },
    ],
    [
      'a stream that is read for a moment',
      async () => {
        const request = await readHead('/events', 'accept: text/event-stream');
        return (await exchange(origin, request, 'when answered')).slice(9, 12);
      },
    ],
    [
      'broken bytes',
      async () => {
        const bytes = mutate(Buffer.from(await readHead('/me')), random);
        return (await exchange(origin, bytes, 'at once')).slice(9, 12);
      },
    ],
  ];
  return round.repeat(async () => {
    await round.turn();
    const [what, request] = random.pick(requests);
    const answer = await request().catch((error: Error) => `without an answer (${error.name})`);
    tally.count(`${what} ${answer}`);
    if (Number(answer) >= 500 && Number(answer) !== 503) tally.find('answer', `${what}: ${answer}`);
    return true;
  });
}
