import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as forExpress from '../../packages/verify/src/express.ts';
import * as forFastify from '../../packages/verify/src/fastify.ts';
import * as forHono from '../../packages/verify/src/hono.ts';
import * as forKoa from '../../packages/verify/src/koa.ts';
import * as forNode from '../../packages/verify/src/node.ts';
import { refused, type Verdict } from '../../packages/verify/src/verdict.ts';
import { Refusal } from '../../src/base/errors.ts';

const rules = { realm: 'api', resourceMetadata: null, challengeStatus: 403 } as const;
const refusal = refused(new Refusal('signature_invalid'), rules);
const request = { rawHeaders: [], socket: null } as never;

/** What an adapter has done with a verdict. */
class Outcome {
  isIn = false;
  sent: readonly unknown[] | null = null;
  letIn = () => {
    this.isIn = true;
  };
  send = (status: number, body: unknown) => {
    this.sent = [status, body];
  };
}
type Adapter = (
  verifier: { check(): Verdict | Promise<Verdict> },
  outcome: Outcome,
) => Promise<unknown> | undefined;

function nodeResponse({ send }: Outcome) {
  const writeHead = (status: number) => ({ end: (body: string) => send(status, body) });
  return { headersSent: false, writeHead } as never;
}

const adapters: Readonly<Record<string, Adapter>> = {
  node(verifier, outcome) {
    forNode.protect(verifier, outcome.letIn)(request, nodeResponse(outcome));
    return undefined;
  },
  express(verifier, outcome) {
    forExpress.protect(verifier)(request, nodeResponse(outcome), outcome.letIn);
    return undefined;
  },
  fastify(verifier, { letIn, send }) {
    const reply = (status: number) => ({
      code: reply,
      headers: () => reply(status),
      send: (body: Uint8Array) => send(status, Buffer.from(body).toString()),
    });
    forFastify.protect(verifier)({ raw: request }, reply(0) as never, letIn);
    return undefined;
  },
  async hono(verifier, { letIn, send }) {
    const context = { req: { raw: request }, set() {} };
    const response = await forHono.protect(verifier)(context, async () => letIn());
    if (response !== undefined) send(response.status, await response.text());
  },
  async koa(verifier, outcome) {
    const context = { req: request, state: {}, status: 0, body: undefined as unknown, set() {} };
    await forKoa.protect(verifier)(context, async () => outcome.letIn());
    if (!outcome.isIn) outcome.send(context.status, context.body);
  },
};

describe('framework adapters of @vestibule/verify', () => {
  for (const [name, adapter] of Object.entries(adapters))
    for (const [when, answer] of [
      ['at once', <T>(verdict: T) => verdict],
      ['later', <T>(verdict: T) => Promise.resolve(verdict)],
    ] as const) {
      for (const [what, verdict, isIn, sent] of [
        ['a refusal is sent, and the handler is not called', refusal, false, [403, refusal.body]],
        ['the handler is called for an accepted token', { ok: true, caller: {} as never }, true, null],
      ] as const)
        it(`${name}: ${what}, for a verdict that arrives ${when}`, async () => {
          const outcome = new Outcome();
          await adapter({ check: () => answer<Verdict>(verdict) }, outcome);
          await new Promise(setImmediate);
          assert.deepEqual([outcome.isIn, outcome.sent], [isIn, sent]);
        });
    }

  it('callerOf throws for a request that did not pass protect()', () => {
    const message = /put protect\(verifier\) before this handler/;
    assert.throws(() => forExpress.callerOf({} as never), message);
    assert.throws(() => forFastify.callerOf({} as never), message);
    assert.throws(() => forHono.callerOf({ get: () => undefined }), message);
    assert.throws(() => forKoa.callerOf({ state: {} }), message);
  });
});
