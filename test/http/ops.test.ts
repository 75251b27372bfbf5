import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { Client } from 'pg';
import { assertProblem } from '../support/http/answers.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { request, withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { postgresUrl } from '../support/run/surroundings.ts';
import { deployment } from '../support/services/deployment.ts';
import { fileOf, me, type Service, someEngine } from '../support/services/service.ts';
import type { TestProvider } from '../support/tokens/provider.ts';
import { credentialsBody, postToken, tokenOf } from '../support/tokens/token-endpoint.ts';

const ready = (service: Service) => request(`${service.opsUrl}/readyz`);
const becomesReady = (service: Service) =>
  until(
    () => ready(service),
    ({ status }) => status === 200,
    'it does not get ready',
  );
const allGood = { database: 'ok', provider_keys: 'ok' };

describe('health and metrics of a healthy service', () => {
  const running = deployment();

  it('/livez answers 200 while the process runs', async () => {
    const reply = await request(`${running().service.opsUrl}/livez`);
    assert.deepEqual([reply.status, reply.json()], [200, { status: 'ok' }]);
    assert.equal(reply.headers.get('content-type'), 'application/json');
  });

  it('/readyz reports database, provider keys and signing keys', async () => {
    const { service } = running();
    const reply = await becomesReady(service);
    const { keys: published } = (await request(`${service.url}/.well-known/jwks.json`)).json<{
      keys: { kid: string }[];
    }>();
    const { provider_keys: keys, ...rest } = reply.json<{ provider_keys: Record<string, number> }>();
    const signingKeys = published.map(({ kid }) => kid);
    assert.deepEqual(rest, { status: 'ready', checks: allGood, signing_keys: signingKeys, port: 0 });
    const { age_seconds: age, next_fetch_in_seconds: next, stale_seconds_left: left, ...others } = keys;
    assert.deepEqual(others, { usable_keys: 1, last_fault: null });
    const plausible = (seconds: number | undefined, most: number) =>
      Number.isInteger(seconds) && Number(seconds) >= 0 && Number(seconds) <= most;
    assert.ok(plausible(age, 60) && plausible(next, 600) && plausible(left, 86_400), reply.text);
  });

  it('/metrics counts requests by method, route pattern and status, and refusals by reason', async () => {
    const { service, provider } = running();
    await withToken(`${service.url}${me}?query-snorkelfinch`, await provider.token());
    await withToken(`${service.url}${me}`, await provider.token({ aud: 'https://other.example' }));
    await request(`${service.url}/path-mistlewombat`);
    await request(`${service.url}/token`);
    await postToken(service.url, '{"client_id":"nobody","client_secret":"secret-thistledrake"}');
    const expected = [
      'vestibule_http_requests_total{method="GET",route="/api/consumer/v1/me",status="200"} 1',
      'vestibule_http_requests_total{method="GET",route="/api/consumer/v1/me",status="403"} 1',
      'vestibule_http_requests_total{method="GET",route="(none)",status="404"} 1',
      'vestibule_http_requests_total{method="GET",route="/token",status="405"} 1',
      'vestibule_http_requests_total{method="POST",route="/token",status="401"} 1',
      'vestibule_http_request_duration_seconds_count{route="/api/consumer/v1/me"} 2',
      'vestibule_auth_failures_total{reason="audience_mismatch"} 1',
      'vestibule_auth_failures_total{reason="credentials_wrong"} 1',
    ];
    // A request is counted after its answer is sent, so the caller may be faster.
    const lines = await until(
      async () => (await service.metrics()).split('\n'),
      (found) => expected.every((line) => found.includes(line)),
      'a line is missing',
    );
    for (const name of [
      'vestibule_jwks_age_seconds',
      'vestibule_jwks_stale_seconds_left',
      'vestibule_jwks_next_fetch_seconds',
    ])
      assert.ok(
        lines.some((line) => new RegExp(`^${name}{provider="provider"} \\d`).test(line)),
        name,
      );

    for (const line of [
      'vestibule_jwks_usable_keys{provider="provider"} 1',
      'vestibule_jwks_alarming_keys{provider="provider"} 0',
      'vestibule_jwks_fetches_total{provider="provider",result="ok"} 1',
    ])
      assert.ok(lines.includes(line), line);

    assert.equal(lines.filter((line) => line.includes('livez')).length, 0, 'the ops port is not counted');
  });

  it('/metrics is in the text format of Prometheus', async () => {
    const reply = await request(`${running().service.opsUrl}/metrics`);
    assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'vestibule_http_requests_total',
    ])
      assert.match(reply.text, new RegExp(`^# TYPE ${name} `, 'm'));
  });
});

describe('a provider that is down from the start', () => {
  const running = deployment({
    clients: { caller: [] },
    prepare: (_settings, provider) => {
      provider.answer = (_request, response) => response.writeHead(500).end();
    },
  });

  it('/me is 503 with Retry-After and never 403, because "cannot verify" is not "invalid"', async () => {
    const { service, provider } = running();
    const reply = await withToken(`${service.url}${me}`, await provider.token());
    assertProblem(reply, 'keys_unavailable');
    assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  });

  it('/readyz is 503 with the reason, while /livez stays 200', async () => {
    const { service } = running();
    const reply = await ready(service);
    assert.equal(reply.status, 503);
    const { provider_keys: keys, status, checks } = reply.json<Record<string, Record<string, unknown>>>();
    assert.equal(status, 'not ready');
    assert.deepEqual(checks, { database: 'ok', provider_keys: 'not available' });
    const { next_fetch_in_seconds: next, ...others } = keys ?? {};
    assert.deepEqual(others, {
      usable_keys: 0,
      age_seconds: null,
      stale_seconds_left: 0,
      last_fault: 'status',
    });
    assert.ok(Number.isInteger(next), reply.text);
    assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
    assert.match(await service.metrics(), /^vestibule_jwks_age_seconds\{provider="provider"\} NaN$/im);
  });

  it('POST /token and its tokens work without the provider', async () => {
    const { service } = running();
    const token = await tokenOf(service.url, running().client('caller'));
    assert.equal((await withToken(`${service.url}${me}`, token)).status, 200);
  });

  it('a token is accepted once the provider is up, without a restart', async () => {
    const { service, provider } = running();
    provider.answer = null;
    await becomesReady(service);
    assert.equal((await withToken(`${service.url}${me}`, await provider.token())).status, 200);
  });
});

for (const database of ['postgres', 'sqlite'] as const)
  describe(`[F162] a lost database: ${database}`, () => {
    let provider: TestProvider;
    let service: Service;
    const running = deployment({
      engine: database,
      clients: { caller: [] },
    });
    before(async () => {
      ({ provider, service } = running());
      const { settings } = service;
      await becomesReady(service);
      if (database === 'postgres') await dropDatabase(settings.DATABASE_URL as string);
      else rmSync(fileOf(settings));
    });

    it('without its database /readyz is 503 with the reason, while /livez stays 200', async () => {
      const reply = await until(
        () => ready(service),
        ({ text }) => text.includes('does not answer'),
        'it is not noticed',
      );
      assert.equal(reply.status, 503);
      assert.deepEqual(reply.json().checks, { database: 'does not answer', provider_keys: 'ok' });
      assert.equal((await request(`${service.opsUrl}/livez`)).status, 200);
    });

    it('requests that need the database get 503 with Retry-After', async () => {
      const replies = [
        await withToken(`${service.url}${me}`, await provider.token()),
        await postToken(service.url, credentialsBody({ ...running().client('caller'), id: 'brand-new' })),
      ];
      for (const reply of replies) {
        assertProblem(reply, 'storage_unavailable');
        assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      }
    });

    it('requests that need no database are answered, including a token for a known client', async () => {
      assert.equal((await postToken(service.url, credentialsBody(running().client('caller')))).status, 200);
      assert.equal((await request(`${service.url}/.well-known/jwks.json`)).status, 200);
      assert.equal((await withToken(`${service.url}${me}`, 'x')).json().code, 'token_malformed');
    });
  });

const notes = 'schema: { properties: { text: { type: string, maxLength: 100 } } }\nlimits: { per_user: 2 }';

for (const engine of someEngine)
  describe(`request metrics at /metrics, on ${engine}`, () => {
    let caller: ApiCaller;
    const running = deployment({ engine, declarations: { notes } });
    before(async () => {
      caller = await running().person();
    });
    const value = async (line: string) => {
      const found = (await running().service.metrics())
        .split('\n')
        .find((text) => text.startsWith(`${line} `));
      return found === undefined ? null : Number(found.slice(line.length + 1));
    };
    /** A request is counted after its answer is sent, so the caller may be faster. */
    const becomes = (line: string, expected: number) =>
      until(
        () => value(line),
        (found) => found === expected,
        `${line} is not ${expected}`,
      );

    it('refusal and batch counters exist with value 0 before the first event', async () => {
      for (const code of ['internal', 'storage_unavailable', 'overloaded', 'quota_exceeded'])
        assert.equal(await value(`vestibule_refusals_total{code="${code}"}`), 0);
      assert.equal(await value('vestibule_write_batch_size_count'), 0);
    });

    it('single writes are counted as batches, and the queue is empty afterwards', async () => {
      for (const text of ['one', 'two']) await caller.make('notes', { text });
      // The registration of the caller is a write, too, and may share the first batch.
      const batches = await value('vestibule_write_batch_size_count');
      assert.ok(batches === 2 || batches === 3, String(batches));
      await becomes('vestibule_write_batch_duration_seconds_count', Number(batches));
      assert.equal(await value('vestibule_write_batch_size_bucket{le="256"}'), batches);
      assert.equal(await value('vestibule_write_queue_length'), 0);
      assert.equal(await value('vestibule_write_queue_oldest_seconds'), 0);
    });

    it('an exceeded quota is counted as a refusal', async () => {
      assert.equal((await caller.send('POST', '/notes', { text: 'three' })).status, 409);
      await becomes('vestibule_refusals_total{code="quota_exceeded"}', 1);
    });

    it('token cache hits and misses are counted', async () => {
      assert.equal(await value('vestibule_token_cache_lookups_total{result="miss"}'), 1);
      assert.equal(await value('vestibule_token_cache_lookups_total{result="hit"}'), 2);
      assert.equal(await value('vestibule_token_cache_entries'), 1);
    });

    it('PostgreSQL sessions are reported, and absent on SQLite', async () => {
      const limit = await value('vestibule_database_sessions_limit');
      if (engine === 'sqlite') return assert.equal(limit, null);
      assert.equal(limit, 10);
      assert.ok(Number(await value('vestibule_database_sessions{state="idle"}')) >= 1);
      assert.equal(await value('vestibule_database_sessions_waiting'), 0);
      assert.equal(await value('vestibule_database_session_waits_total'), 0);
    });
  });

async function dropDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: await postgresUrl() });
  await client.connect();
  await client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await client.end();
}
