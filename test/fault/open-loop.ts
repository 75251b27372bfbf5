import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Claims, TestProvider } from '../support/tokens/provider.ts';

/** Tokens with these claims that each name a key of their own invention. */
export async function inventedKids(provider: TestProvider, count: number, claims: Claims = {}) {
  const good = await provider.token(claims);
  const rest = good.slice(good.indexOf('.'));
  const headers = Array.from({ length: count }, () => JSON.stringify({ alg: 'RS256', kid: randomUUID() }));
  return headers.map((header) => `${Buffer.from(header).toString('base64url')}${rest}`);
}

/**
 * Sends requests at a pace, whether or not the earlier ones are answered, as a flood does. A machine that cannot keep
 * the pace sends as many, only later. How often each status came back; 0 stands for no answer.
 */
export async function openLoop(
  url: string,
  perSecond: number,
  tokens: readonly string[],
): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const counts = new Map<number, number>();
  const replies: Promise<void>[] = [];
  const startedAt = performance.now();
  for (const [index, token] of tokens.entries()) {
    const dueAt = startedAt + (index * 1_000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 1) await pause(early);
    replies.push(
      statusOf(url, token, agent).then((status) => {
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }),
    );
  }
  await Promise.all(replies);
  agent.destroy();
  return counts;
}

function statusOf(url: string, token: string, agent: Agent): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume();
    response.on('end', () => resolve(Number(response.statusCode)));
  })
    .on('error', () => resolve(0))
    .end();
  return promise;
}
