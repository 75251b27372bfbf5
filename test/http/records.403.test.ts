import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { assertProblem } from '../support/http/answers.ts';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { type Reply, request } from '../support/http/request.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import type { Claims } from '../support/tokens/provider.ts';

type Asked = readonly [method: string, path: string, body?: object];

/** Every request to a collection without states. */
function requestsTo(collection: string, id: string = randomUUID()): { reads: Asked[]; writes: Asked[] } {
  const one = `/${collection}/${id}`;
  return {
    reads: [
      ['GET', `/${collection}`],
      ['GET', one],
    ],
    writes: [
      ['POST', `/${collection}`, { text: 'x' }],
      ['PUT', one, { text: 'x' }],
      ['PATCH', one, { text: 'x' }],
      ['DELETE', one],
    ],
  };
}

const ask = (caller: ApiCaller, [method, path, body]: Asked): Promise<Reply> =>
  caller.send(method, path, body);

describe('callers without permission', () => {
  const declared = deployment({
    declarations: sampleDeclarations,
    clients: { desk: [], clerk: ['files.read', 'files.write'] },
  });

  it('without a token every request is refused alike, so existence is not revealed', async () => {
    const { reads, writes } = requestsTo('notes');
    for (const [method, path, body] of [...reads, ...writes]) {
      const reply = await request(`${declared().service.url}/api/consumer/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assertRefused(reply, 'token_missing', '');
    }
  });

  const programs: Record<string, Claims> = {
    'no program': {},
    'a program as client_id': { client_id: 'keycloak-frontend' },
    'a program as azp': { azp: 'keycloak-frontend' },
  };
  for (const [name, program] of Object.entries(programs))
    it(`a token without a subject that names ${name} can neither read nor write`, async () => {
      const nobody = await declared().person({ sub: undefined, ...program });
      for (const collection of ['notes', 'posts', 'files']) {
        const { reads, writes } = requestsTo(collection);
        for (const asked of [...reads, ...writes])
          assertRefused(await ask(nobody, asked), 'subject_required', nobody.token);
      }
      for (const asked of [
        ['GET', '/me/usage'],
        ['GET', '/me/export'],
        ['DELETE', '/me'],
      ] as const)
        assertRefused(await ask(nobody, asked), 'subject_required', nobody.token);
    });

  it('reading and writing each need their exact scope', async () => {
    const writer = await declared().person({ scope: 'files.read files.write' });
    const { record } = await writer.make('files', { text: 'x' });
    const { reads, writes } = requestsTo('files', record.id);
    const refuses = async (scope: string | undefined, all: readonly Asked[], wanted: string) => {
      const caller = await declared().person({ scope });
      for (const asked of all) {
        const reply = await ask(caller, asked);
        assertRefused(reply, 'insufficient_scope', caller.token);
        assert.match(reply.headers.get('www-authenticate') ?? '', new RegExp(`, scope="${wanted}",`));
        assert.equal(reply.json().scope, wanted);
      }
    };
    for (const scope of [undefined, 'read write', 'files', 'files.reader', 'FILES.READ', 'files.read,x']) {
      await refuses(scope, reads, 'files.read');
      await refuses(scope, writes, 'files.write');
    }
    // Requests across all collections need the scopes, too.
    await refuses('files.write', [['GET', '/me/export']], 'files.read');
    await refuses('files.read', [['DELETE', '/me']], 'files.write');
    await refuses('files.read', writes, 'files.write');
    await refuses('files.write', reads, 'files.read');
    const reader = await declared().person({ scope: 'files.read' });
    assert.equal((await reader.get('/files')).status, 200);
    const sender = await declared().person({ scope: 'x files.write' });
    assert.equal((await sender.send('POST', '/files', { text: 'y' })).status, 201);
  });

  it('a machine client has the scopes it was given', async () => {
    const clerk = await declared().machine('clerk');
    const { record } = await clerk.make('files', { text: 'x' });
    assert.equal((await clerk.get(`/files/${record.id}`)).status, 200);
    const desk = await declared().machine('desk');
    const { reads, writes } = requestsTo('files', record.id);
    for (const asked of [...reads, ...writes])
      assertRefused(await ask(desk, asked), 'insufficient_scope', desk.token);
  });

  it('a machine client is refused by collections that do not admit clients', async () => {
    const desk = await declared().machine('desk');
    for (const collection of ['notes', 'posts', 'scraps', 'tasks']) {
      const { reads, writes } = requestsTo(collection);
      for (const asked of [...reads, ...writes])
        assertProblem(await ask(desk, asked), 'client_not_admitted', asked.join(' '));
    }
    const action: Asked = ['POST', `/posts/${randomUUID()}/hide`];
    assertProblem(await ask(desk, action), 'client_not_admitted');
  });

  it('a client of the provider is treated like a person', async () => {
    const robot = await declared().person({ sub: 'robot', client_id: 'robot' });
    const { record } = await robot.make('notes', { text: 'beep' });
    assert.deepEqual(await robot.all('notes'), [record]);
    const person = await declared().person();
    const booking = await person.make('bookings', { slot: '2026-05-01T10:00:00Z', seats: 1 });
    assertProblem(await robot.get(`/bookings/${booking.record.id}`), 'not_found');
  });

  it('a record that everyone can read is changed by its owner only', async () => {
    const author = await declared().person();
    const { record, etag } = await author.make('posts', { text: 'hello' });
    const reader = await declared().person();
    const path = `/posts/${record.id}`;
    const read = await reader.get(path);
    assert.deepEqual([read.status, read.json()], [200, { ...record, actions: [] }]);
    assert.equal(read.headers.get('etag'), etag);
    const again = await reader.get(path, { 'if-none-match': etag });
    assert.equal(again.status, 304);
    for (const asked of [
      ...requestsTo('posts', record.id).writes.slice(1),
      ['POST', `${path}/hide`],
    ] as Asked[])
      assertProblem(await ask(reader, asked), 'not_owner', asked.join(' '));
    const taken = await reader.send('PUT', path, { text: 'mine' }, { 'if-none-match': '*' });
    assert.deepEqual([taken.status, taken.json().code], [412, 'precondition_failed']);
    assert.deepEqual((await author.get(path)).json(), record);
  });

  it('access is refused before the body is checked', async () => {
    const desk = await declared().machine('desk');
    for (const [method, path] of [
      ['POST', '/notes'],
      ['PUT', `/notes/${randomUUID()}`],
      ['PATCH', '/notes/no-id'],
    ] as const)
      assertProblem(await desk.send(method, path, { wrong: 1 }), 'client_not_admitted', method);
  });
});
