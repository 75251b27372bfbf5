import assert from 'node:assert/strict';
import { me } from '../services/service.ts';
import { type Reply, request } from './request.ts';

const prefix = me.slice(0, -'/me'.length);

export interface WireRecord {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

type RequestHeaders = Readonly<Record<string, string>>;

/** A caller with a token at one process: its requests to `/api/consumer/v1`. */
export class ApiCaller {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  at({ url }: { readonly url: string }): ApiCaller {
    return new ApiCaller(url, this.token);
  }

  send(method: string, path: string, body?: object, headers: RequestHeaders = {}): Promise<Reply> {
    const authorization = `Bearer ${this.token}`;
    const type: RequestHeaders = body === undefined ? {} : { 'content-type': 'application/json' };
    return request(`${this.url}${prefix}${path}`, {
      method,
      headers: { authorization, ...type, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  get(path: string, headers?: RequestHeaders): Promise<Reply> {
    return this.send('GET', path, undefined, headers);
  }

  /** A record that was made, and the version it has. */
  async make(collection: string, fields: object) {
    const reply = await this.send('POST', `/${collection}`, fields);
    assert.equal(reply.status, 201, reply.text);
    return { record: reply.json<WireRecord>(), etag: String(reply.headers.get('etag')) };
  }

  /** Every record of a list, from its first page to its last. */
  async all(collection: string, query = ''): Promise<WireRecord[]> {
    const found: WireRecord[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const reply = await this.get(`/${collection}?limit=200${query}${from}`);
      assert.equal(reply.status, 200, reply.text);
      const page = reply.json<{ items: WireRecord[]; next: string | null }>();
      found.push(...page.items);
      cursor = page.next;
    }
    return found;
  }

  async usage(collection: string): Promise<WireUsage> {
    const reply = await this.get('/me/usage');
    assert.equal(reply.status, 200, reply.text);
    const { collections } = reply.json<{ collections: WireUsage[] }>();
    const line = collections.find(({ name }) => name === collection);
    return line ?? assert.fail(`${collection} is not in ${reply.text}`);
  }
}

interface WireBudget {
  readonly used: number;
  readonly allowed: number;
  readonly window_seconds: number;
  readonly resets_at: string;
}

export interface WireUsage {
  readonly name: string;
  readonly records: { readonly used: number; readonly allowed: number };
  readonly writes: WireBudget;
  readonly newcomer: (WireBudget & { readonly until: string }) | null;
}

/** Sends a body unchanged, JSON or not. */
export function sendBytes(
  { url, token }: ApiCaller,
  method: string,
  path: string,
  body: string | Uint8Array,
  {
    contentType = 'application/json',
    headers = {},
  }: { contentType?: string | null; headers?: RequestHeaders } = {},
): Promise<Reply> {
  const type = contentType === null ? {} : { 'content-type': contentType };
  return request(`${url}${prefix}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...type, ...headers },
    // fetch would add a content type to a string.
    body: new Uint8Array(Buffer.from(body)),
  });
}
