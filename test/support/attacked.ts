import assert from 'node:assert/strict';
import type { ErrorCode } from '../../src/base/errors.ts';
import type { TestProvider } from './provider.ts';
import { assertRefused } from './refusals.ts';
import { type Reply, request, withToken } from './request.ts';
import type { Settings } from './service.ts';

/**
 * A server that lets in by a bearer token and by nothing else: the service itself, or another one with the verifier in
 * front. The cases of test/attack/forgeries are tried on all of them.
 */
export abstract class Attacked {
  readonly provider: TestProvider;
  /** A protected route that answers GET with the caller of the token. */
  readonly url: string;

  constructor(provider: TestProvider, url: string) {
    this.provider = provider;
    this.url = url;
  }

  /** The same without the origin. */
  get path(): string {
    return new URL(this.url).pathname;
  }

  /** The token is accepted; the caller that the server reports. */
  accepts(token: string): Promise<Record<string, unknown>> {
    return this.acceptsRequest(() => withToken(this.url, token));
  }

  async acceptsRequest(send: () => Promise<Reply>): Promise<Record<string, unknown>> {
    const reply = await send();
    assert.equal(reply.status, 200, reply.text);
    return reply.json();
  }

  /** One that does, whatever the settings ask for. */
  async acceptsGoodToken({ IDP_ISSUER, IDP_REQUIRED_SCOPES }: Settings): Promise<void> {
    const claims = {
      iss: IDP_ISSUER ?? this.provider.origin,
      scope: IDP_REQUIRED_SCOPES?.replaceAll(',', ' '),
    };
    await this.accepts(await this.provider.token(claims, { typ: 'at+jwt' }));
  }

  refuses(token: string, code: ErrorCode): Promise<Reply> {
    return this.refusesHeader(`Bearer ${token}`, code);
  }

  refusesHeader(authorization: string, code: ErrorCode): Promise<Reply> {
    return this.refusesRequest(() => request(this.url, { headers: { authorization } }), code, authorization);
  }

  /** In the right form, and at no cost to the provider. `sent` is what of the request must not come back. */
  async refusesRequest(send: () => Promise<Reply>, code: ErrorCode, sent: string): Promise<Reply> {
    const { fetches } = this.provider;
    const reply = await send();
    assertRefused(reply, code, sent);
    // Only the name of an unknown key may be worth a question to the provider; how many it was worth is counted at the end.
    if (code !== 'key_unknown')
      assert.equal(this.provider.fetches, fetches, 'a refused token costs the provider no request');
    return reply;
  }

  /** Bytes that are no request that anybody reads: the HTTP server itself refuses them. */
  abstract refusesBytes(bytes: string, status: number, code: ErrorCode): Promise<void>;
  /** All that it has written to any log or file so far. */
  abstract written(): Promise<string>;
}

export interface Preparation {
  /** In the words of the service's settings. */
  readonly settings?: Settings;
  /** Before the server starts. */
  readonly prepare?: (provider: TestProvider, settings: Settings) => void | Promise<void>;
}

/** Starts one such server for all tests of a suite or file. A good token has got in before the first of them. */
export type Attack = (preparation?: Preparation) => () => Attacked;
