import { decodeProtectedHeader, type JWK } from 'jose';
import { request } from '../http/request.ts';
import { until } from '../run/polling.ts';
import type { Credentials } from '../tokens/token-endpoint.ts';
import type { Deployment } from './deployment.ts';

/** A signing key as `vestibule keys list --json` shows it. */
export interface ListedKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly use: 'signs' | 'next' | 'published' | 'retired';
  readonly created_at: string;
  readonly signs_from: string;
  readonly retires_at: string | null;
}

export function listedKeys(deployment: Deployment): Promise<ListedKey[]> {
  return deployment.jsonOf('keys', 'list');
}

/** The keys that all processes sign with now, without repetition. */
export async function signingKids(deployment: Deployment, credentials: Credentials): Promise<unknown[]> {
  const tokens = await deployment.tokens(credentials);
  return [...new Set(tokens.map((token) => decodeProtectedHeader(token).kid))];
}

export function published({ services }: Deployment): Promise<JWK[][]> {
  return Promise.all(
    services.map(async ({ url }) => {
      const reply = await request(`${url}/.well-known/jwks.json`);
      return reply.json<{ keys: JWK[] }>().keys;
    }),
  );
}

export async function publishedKids(deployment: Deployment): Promise<unknown[][]> {
  return (await published(deployment)).map((keys) => keys.map(({ kid }) => kid));
}

/** Waits until all processes publish so many keys; their names, oldest first. */
export async function untilPublished(deployment: Deployment, count: number): Promise<string[]> {
  const [kids] = await until(
    () => publishedKids(deployment),
    (all) => all.every(({ length }) => length === count),
    `not all processes publish ${count} keys`,
  );
  return kids as string[];
}
