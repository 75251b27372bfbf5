import { readCollections } from '../../src/collections/read-collections.ts';
import { succeeded } from '../support/commands/outcome.ts';
import { send } from '../support/http/request.ts';
import type { Person } from '../support/people/person.ts';
import { runVestibule, type Settings } from '../support/services/service.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';
import { declarationFiles } from './stage.ts';

export interface Answer {
  readonly status: number;
  readonly etag?: string;
  readonly body: unknown;
}

/** By caller and path. */
export type Answers = Readonly<Record<string, Readonly<Record<string, Answer>>>>;

const publicPaths = ['/api/consumer/v1', '/.well-known/jwks.json', '/.well-known/oauth-authorization-server'];
const ownPaths = ['me', 'me/usage', 'me/export', 'events?after=0'];
const partsOfRecords = ['', '/members', '/invitations', '/history'];

/** Everything that these callers can read, and each record that any of them has seen, asked for by all of them. */
export async function askAll(
  url: string,
  callers: Readonly<Record<string, Person>>,
  folder: string,
): Promise<Answers> {
  const answers: Record<string, Record<string, Answer>> = {};
  const ask = async (name: string, path: string): Promise<Answer> => {
    const token = callers[name]?.caller.token;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await send(token === undefined ? url + path : `${url}/api/consumer/v1/${path}`, {
      headers,
    });
    const answer = answerOf(reply);
    answers[name] = { ...answers[name], [path]: answer };
    return answer;
  };
  for (const path of publicPaths) await ask('everybody', path);
  for (const name of Object.keys(callers)) for (const path of ownPaths) await ask(name, path);
  const seen = new Map<string, Set<string>>();
  for (const { name: collection, parent } of parentsFirst(folder)) {
    const ids = new Set<string>();
    seen.set(collection, ids);
    const above = [...(seen.get(parent?.collection ?? '') ?? [])].map((id) => `${parent?.field}=${id}`);
    for (const name of Object.keys(callers))
      for (const query of ['', ...above]) {
        const { body } = await ask(name, `${collection}?limit=200&${query}`);
        await ask(name, `${collection}/count?${query}`);
        for (const { id } of (body as { items?: readonly { id: string }[] }).items ?? []) ids.add(id);
      }
    for (const name of Object.keys(callers))
      for (const id of ids) for (const part of partsOfRecords) await ask(name, `${collection}/${id}${part}`);
  }
  return answers;
}

/** What the commands of the operator show. They run by the real time, so nothing that depends on it is among them. */
export async function askOperator(settings: Settings): Promise<Readonly<Record<string, unknown>>> {
  const run = async (...parameters: string[]) =>
    JSON.parse(succeeded(await runVestibule(settings, ...parameters, '--json')));
  const webhooks = await webhookCommand<readonly { readonly webhook_id: string }[]>(settings, 'list');
  const deliveries = [];
  for (const { webhook_id: id } of webhooks) deliveries.push(await run('webhook', 'deliveries', id));
  return {
    clients: await run('client', 'list'),
    keys: await run('keys', 'list'),
    audit: await run('audit'),
    webhooks,
    deliveries,
  };
}

function parentsFirst(folder: string) {
  const all = readCollections(declarationFiles(folder));
  return all.toSorted((one, other) => Number(one.parent !== null) - Number(other.parent !== null));
}

function answerOf({ status, headers, text }: Awaited<ReturnType<typeof send>>): Answer {
  const etag = headers.get('etag');
  const lines = headers.get('content-type')?.startsWith('application/x-ndjson');
  const body = lines ? text.trim().split('\n').map(read) : read(text);
  return { status, ...(etag === null ? {} : { etag }), body };
}

const read = (text: string): unknown => (text === '' ? null : JSON.parse(text, withoutRequestTime));

/** Leaves out the times of the token, and the window of an unused budget, which begins with the request. */
function withoutRequestTime(key: string, value: unknown): unknown {
  if (key === 'token') return undefined;
  if (!(value instanceof Object) || !('resets_at' in value && 'used' in value) || value.used !== 0)
    return value;
  const { resets_at: _resets, ...rest } = value;
  return rest;
}

/** What was there and is not, or is different. What a later release adds to an object is no difference. */
export function differences(was: unknown, now: unknown, path = ''): readonly string[] {
  if (!(was instanceof Object))
    return Object.is(was, now) ? [] : [`${path}: ${JSON.stringify(was)} became ${JSON.stringify(now)}`];
  if (!(now instanceof Object) || (Array.isArray(was) && was.length !== (now as unknown[]).length))
    return [`${path}: ${JSON.stringify(was)} became ${JSON.stringify(now)}`];
  const present = now as Readonly<Record<string, unknown>>;
  return Object.entries(was).flatMap(([key, value]) => differences(value, present[key], `${path}/${key}`));
}
