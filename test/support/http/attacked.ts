import assert from 'node:assert/strict';
import type { ErrorCode } from '../../../src/base/errors.ts';
import type { Settings } from '../services/service.ts';
import type { TestProvider } from '../tokens/provider.ts';
import { assertRefused } from './refusals.ts';
import { type Reply, request, withToken } from './request.ts';

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

  /** Checks that the server accepts a good token, whatever its settings. */
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

  /** Checks the form of a refusal, and that it cost no fetch. `sent` must not occur in the answer. */
  async refusesRequest(send: () => Promise<Reply>, code: ErrorCode, sent: string): Promise<Reply> {
    const { fetches } = this.provider;
    const reply = await send();
    assertRefused(reply, code, sent);
    // Only an unknown key id may cause a fetch from the provider; the fetches are counted at the end.
    if (code !== 'key_unknown')
      assert.equal(this.provider.fetches, fetches, 'a refused token costs the provider no request');
    return reply;
  }

  /** Sends malformed bytes, which the HTTP server itself refuses. */
  abstract refusesBytes(bytes: string, status: number, code: ErrorCode): Promise<void>;
  /** Everything that the server has logged or written so far. */
  abstract written(): Promise<string>;
}

export interface Preparation {
  /** Settings, in the names of the service. */
  readonly settings?: Settings;
  readonly prepare?: (provider: TestProvider, settings: Settings) => void | Promise<void>;
}

/** Starts one server for all tests of a suite or file, and checks that it accepts a good token. */
export type Attack = (preparation?: Preparation) => () => Attacked;
