import { exchange } from '../http/raw-http.ts';
import { type Reply, request, withToken } from '../http/request.ts';
import { me, type Service } from '../services/service.ts';
import type { TestProvider } from '../tokens/provider.ts';
import { postToken } from '../tokens/token-endpoint.ts';
import { canaryClaims, canaryWords } from './canaries.ts';

/** Requests that fail in every way, each full of what must not be kept; the answers. */
export async function provokeRefusals(service: Service, provider: TestProvider): Promise<Reply[]> {
  const canaries = canaryWords.join(' ');
  const query = new URLSearchParams({ access_token: 'query-snorkelfinch', q: canaries });
  const token = await provider.token();
  const changed = `${token.slice(0, -4)}${token.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
  const at = (path: string, authorization: string, init: RequestInit = {}) =>
    request(service.url + path, { ...init, headers: { authorization, ...init.headers } });
  const post = (body: object | string) =>
    postToken(service.url, typeof body === 'string' ? body : JSON.stringify(body));
  const tokens = [
    provider.token({ exp: 1 }),
    provider.token({ aud: canaryClaims.email }),
    provider.token({ iss: canaryClaims.picture }),
    provider.token({ scope: canaries, sub: 7 }),
    provider.token({ nbf: canaryClaims.name }),
    provider.token({}, { kid: canaryClaims.sub }),
    provider.token({}, { typ: canaryClaims.name }),
    provider.token({}, { jku: canaryClaims.picture, kid: 'cookie-gingerquoll' }),
  ].map(async (bad) => withToken(service.url + me, await bad));
  const replies = await Promise.all([
    ...tokens,
    withToken(service.url + me, changed),
    withToken(service.url + me, Buffer.from(canaries).toString('base64url')),
    at(me, `Basic ${Buffer.from(`quixotella:secret-thistledrake`).toString('base64')}`),
    at(me, `Bearer ${encodeURIComponent(canaries)}`),
    at(`/path-mistlewombat/${canaryClaims.preferred_username}?${query}`, `Bearer ${token}`),
    at(`/%zz/path-mistlewombat?${query}`, `Bearer ${token}`),
    at(`${me}?${query}`, 'Bearer query-snorkelfinch', {
      headers: { 'x-forwarded-for': 'path-mistlewombat' },
    }),
    at(`/token?${query}`, `Bearer ${token}`, { method: 'PUT', body: canaries }),
    at('/token', `Bearer ${token}`, { method: 'POST', body: new URLSearchParams({ q: canaries }) }),
    post({ client_id: 'fluttermouse', client_secret: 'secret-thistledrake' }),
    post({ client_id: 'privacy-client', client_secret: 'secret-thistledrake' }),
    post({ client_id: canaryClaims.email, client_secret: canaryClaims }),
    post(`{"client_id":"fluttermouse","client_secret":"secret-thistledrake"`),
    post(`${canaries} `.repeat(2000)),
  ]);
  for (const bytes of [
    `GET /path-mistlewombat HTTP/9.9\r\nuser-agent: agent-wobblefish\r\n\r\n`,
    `${canaries}\r\n\r\n`,
    `GET ${me} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    `GET ${me} HTTP/1.1\r\nhost: x\r\nx-large: ${`${canaryClaims.email} `.repeat(1000)}\r\n\r\n`,
  ]) {
    const text = await exchange(service.url, bytes);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
    replies.push({ status, text, headers: new Headers(), json: () => JSON.parse(text) });
  }
  return replies;
}
