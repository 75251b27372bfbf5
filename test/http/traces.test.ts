import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readTraceparent } from '../../src/base/tracing.ts';
import { canaryClaims, canaryWords } from '../support/faults/canaries.ts';
import { provokeRefusals } from '../support/faults/personal-requests.ts';
import { canaryNeedles, findTraces, tokenNeedles } from '../support/faults/traces.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { request } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { me, newSettings, type Service, startService } from '../support/services/service.ts';
import { makeKey, TestProvider } from '../support/tokens/provider.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { webhookCommand } from '../support/webhooks/webhook-stage.ts';

interface Exported {
  readonly name: string;
  readonly kind: number;
  readonly status: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly state: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;
const server = 1;
const client = 2;
const failed = 2;

/** A service whose provider and webhook receiver record the request headers. */
async function stage(options: Readonly<Record<string, string>>) {
  const provider = await TestProvider.start();
  const asked: IncomingHttpHeaders[] = [];
  provider.answer = ({ headers }, response) => {
    asked.push(headers);
    response.end(JSON.stringify(provider.document));
  };
  const settings = await newSettings('sqlite', {
    ...provider.settings,
    COLLECTIONS_DIR: 'collections',
    WEBHOOK_ALLOW: 'loopback',
    ...options,
  });
  const service = await startService(settings);
  const receiver = await WebhookReceiver.start();
  return {
    provider,
    asked,
    service,
    receiver,
    caller: async () => new ApiCaller(service.url, await provider.token()),
    async stop() {
      await service.stop();
      await receiver.stop();
      await provider.stop();
    },
  };
}

/** The log line of a request, found by its request id. */
function lineOf(service: Service, requestId: string | null) {
  return until(
    () => service.logLines().find((line) => line.request_id === requestId),
    (line) => line !== undefined,
    'the request is not in the log',
  );
}

describe('with an OpenTelemetry SDK', () => {
  let one: Awaited<ReturnType<typeof stage>>;
  before(async () => {
    const sdk = pathToFileURL(resolve('test/support/services/traced.ts')).href;
    one = await stage({ NODE_OPTIONS: `--import ${sdk}` });
  });
  after(() => one?.stop());
  const file = () => `${one.service.settings.TEST_DIRECTORY}/spans.jsonl`;
  const spans = (): Exported[] =>
    existsSync(file())
      ? readFileSync(file(), 'utf8')
          .split('\n')
          // The last line may be incomplete.
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : [];
  const span = (willDo: (span: Exported) => boolean) =>
    until(
      () => spans().find(willDo),
      (found) => found !== undefined,
      'there is no such span',
    ) as Promise<Exported>;
  const spanOf = (requestId: string | null) =>
    span(({ attributes }) => attributes['vestibule.request_id'] === requestId);

  it('a request joins the trace of its traceparent, and its log line has the trace id', async () => {
    const reply = await (await one.caller()).get('/me', { traceparent });
    assert.equal(reply.status, 200);
    const id = reply.headers.get('x-request-id');
    const { name, kind, status, attributes, ...found } = await spanOf(id);
    assert.deepEqual([name, kind, status], [`GET ${me}`, server, 0]);
    assert.deepEqual([found.traceId, found.parentId], [traceId, spanId]);
    assert.deepEqual(attributes, {
      'http.request.method': 'GET',
      'http.route': me,
      'vestibule.request_id': id,
      'http.response.status_code': 200,
    });
    assert.equal((await lineOf(one.service, id))?.trace_id, traceId);
  });

  it('a request without a valid traceparent starts a new trace', async () => {
    for (const bad of [undefined, traceparent.toUpperCase(), `${traceparent}, ${traceparent}`]) {
      const reply = await (await one.caller()).get('/me', bad === undefined ? {} : { traceparent: bad });
      const id = reply.headers.get('x-request-id');
      const { parentId, traceId: own } = await spanOf(id);
      assert.equal(parentId, null);
      assert.notEqual(own, traceId);
      assert.equal((await lineOf(one.service, id))?.trace_id, own);
    }
  });

  it('a span names the route pattern instead of the record, and a refusal its code', async () => {
    const caller = await one.caller();
    const { record } = await caller.make('notes', { text: 'traced' });
    const reply = await caller.get(`/notes/${record.id}`);
    const found = await spanOf(reply.headers.get('x-request-id'));
    assert.equal(found.name, 'GET /api/consumer/v1/notes/:id');
    const refused = await caller.get('/notes/01900000-0000-7000-8000-000000000000');
    const refusal = await spanOf(refused.headers.get('x-request-id'));
    const seen = [refusal.attributes['error.type'], refusal.status];
    assert.deepEqual(seen, ['not_found', 0], 'no fault of ours');
    assert.ok(!readFileSync(file(), 'utf8').includes(record.id));
  });

  it('a key fetch caused by a token belongs to its trace, and the provider gets a traceparent', async () => {
    const next = await makeKey();
    one.provider.keys.push(next);
    const before = one.asked.length;
    const caller = new ApiCaller(one.service.url, await one.provider.token({}, {}, next));
    const headers = { traceparent, tracestate: 'vendor=1', baggage: 'who=me' };
    const reply = await caller.get('/me', headers);
    assert.equal(reply.status, 200);
    const own = await spanOf(reply.headers.get('x-request-id'));
    const fetched = await span(
      ({ name, parentId }) => name === 'GET provider keys' && parentId === own.spanId,
    );
    assert.deepEqual([fetched.kind, fetched.traceId], [client, traceId]);
    const sent = one.asked[before];
    assert.equal(sent?.traceparent, `00-${traceId}-${fetched.spanId}-01`);
    assert.deepEqual([sent?.tracestate, sent?.baggage], [undefined, undefined]);
  });

  it('a webhook delivery is its own trace, and the receiver gets its traceparent', async () => {
    const { settings } = one.service;
    await webhookCommand(settings, 'add', one.receiver.url, '--events', 'notes.*');
    one.receiver.answer = (_received, response) => response.writeHead(500).end();
    await (await one.caller()).make('notes', { text: 'told' });
    const [received] = await one.receiver.receives(1);
    const parent = readTraceparent(received?.headers.traceparent);
    const sent = await span((one) => one.spanId === parent?.spanId);
    assert.deepEqual([sent.name, sent.kind, sent.parentId], ['POST webhook', client, null]);
    assert.deepEqual([sent.status, sent.attributes['error.type']], [failed, 'status_500']);
  });

  it('[H190] spans contain no personal data', async () => {
    const replies = await provokeRefusals(one.service, one.provider);
    const canaries = encodeURIComponent(canaryWords.join(' '));
    const own = await request(one.service.url + me, {
      headers: {
        authorization: `Bearer ${await one.provider.token()}`,
        traceparent,
        tracestate: `quixotella=${canaryClaims.preferred_username}`,
        baggage: `user=${canaries}`,
      },
    });
    assert.equal((await spanOf(own.headers.get('x-request-id'))).state, null);
    assert.ok(spans().length > replies.length / 2, 'control: they were traced');
    assert.deepEqual(findTraces([file()], [...canaryNeedles(), ...tokenNeedles()]), []);
    assert.ok(!readFileSync(file(), 'utf8').includes('usr_'), 'nor a pseudonym');
  });
});

describe('without an OpenTelemetry SDK', () => {
  let one: Awaited<ReturnType<typeof stage>>;
  before(async () => {
    one = await stage({});
  });
  after(() => one?.stop());

  it("the log line has the caller's trace id, and no traceparent goes to provider or webhook", async () => {
    const caller = await one.caller();
    const named = await caller.get('/me', { traceparent });
    assert.equal((await lineOf(one.service, named.headers.get('x-request-id')))?.trace_id, traceId);
    const unnamed = await caller.get('/me', { traceparent: 'x' });
    const line = await lineOf(one.service, unnamed.headers.get('x-request-id'));
    assert.ok(line !== undefined && !('trace_id' in line));
    await webhookCommand(one.service.settings, 'add', one.receiver.url, '--events', 'notes.*');
    assert.equal((await caller.send('POST', '/notes', { text: 'told' }, { traceparent })).status, 201);
    const [received] = await one.receiver.receives(1);
    assert.equal(received?.headers.traceparent, undefined);
    assert.ok(one.asked.length > 0);
    assert.ok(one.asked.every((headers) => headers.traceparent === undefined));
  });
});

describe('traceparent header', () => {
  const good = [traceparent, `00-${traceId}-${spanId}-00`, `01-${traceId}-${spanId}-01-more`];
  const bad: readonly string[] = [
    ...['', `${traceparent}-more`, `${traceparent} `, `ff-${traceId}-${spanId}-01`],
    ...[`01-${traceId}-${spanId}-01more`, `00-${traceId.toUpperCase()}-${spanId}-01`],
    ...[`00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`],
    ...[`00-${traceId.slice(1)}-${spanId}-01`, `00-${traceId}-${spanId}`],
  ];
  for (const header of good)
    it(`is accepted: ${header}`, () => assert.equal(readTraceparent(header)?.traceId, traceId));
  for (const header of bad) it(`is ignored: "${header}"`, () => assert.equal(readTraceparent(header), null));
});
