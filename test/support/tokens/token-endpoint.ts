import { type Reply, request } from '../http/request.ts';

export type Credentials = { readonly id: string; readonly secret: string };

/** POST /token as section 4.1 of the specification writes it. */
export function postToken(
  url: string,
  body: string | Uint8Array,
  contentType = 'application/json',
): Promise<Reply> {
  const headers = { 'content-type': contentType };
  return request(`${url}/token`, { method: 'POST', headers, body: Buffer.from(body) });
}

export function credentialsBody({ id, secret }: Credentials, more: object = {}): string {
  return JSON.stringify({ client_id: id, client_secret: secret, ...more });
}

/** The right credentials beside a member whose value is any text, JSON or not. */
export function bodyWith({ id, secret }: Credentials, value: string | Buffer): Buffer {
  const start = `{"client_id":${JSON.stringify(id)},"client_secret":${JSON.stringify(secret)},"extra":`;
  return Buffer.concat([Buffer.from(start), Buffer.from(value), Buffer.from('}')]);
}

export async function tokenOf(url: string, credentials: Credentials): Promise<string> {
  const reply = await postToken(url, credentialsBody(credentials));
  if (reply.status !== 200) throw new Error(`POST /token answered ${reply.status} ${reply.text}`);
  return reply.json<{ token: string }>().token;
}
