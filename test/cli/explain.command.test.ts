import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { leaksOf, runExplain } from '../support/commands/explained.ts';
import { exits, refused, succeeded } from '../support/commands/outcome.ts';
import { request, withToken } from '../support/http/request.ts';
import { part } from '../support/run/surroundings.ts';
import { declarationsFolder, sampleDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { me } from '../support/services/service.ts';

describe('vestibule explain, command', { concurrency: 2 }, () => {
  const given = deployment();

  it('exits with 0 for an accepted token, with header prefix or blanks', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const copies = [
      '  TOKEN\r\n\n',
      'Authorization: Bearer TOKEN\n',
      'DPoP TOKEN',
      'authorization: DPoP TOKEN\n',
    ];
    for (const input of copies.map((copy) => copy.replace('TOKEN', token))) {
      const shown = succeeded(await runExplain(service.settings, input));
      assert.match(shown, /^Accepted\.\n\npass {2}shape /);
      assert.match(shown, /^pass {2}signature +holds$/m);
      assert.match(shown, /^Claims \(their values are not shown\): .*\bemail\b/m);
      assert.doesNotMatch(shown, /usr_/, 'no pseudonym unless it is asked for');
      assert.deepEqual(leaksOf(token, shown), []);
    }
  });

  it('exits with 1 for a refused token, and marks the failed step', async () => {
    const { service, provider } = given();
    const token = await provider.token({ aud: 'https://other.example' });
    const { code, stdout, stderr } = await runExplain(service.settings, token);
    assert.equal(code, 1);
    assert.equal(stderr, '');
    assert.match(stdout, /^Refused with 403 audience_mismatch\. The token is for another audience: /);
    assert.match(stdout, /^FAIL {2}audience +"https:\/\/other\.example"; expected "https:\/\/api\./m);
    assert.deepEqual(leaksOf(token, stdout), []);
  });

  it('prints JSON, and the pseudonym with --pseudonym', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const { id } = (await withToken(service.url + me, token)).json();
    const shown = JSON.parse(succeeded(await runExplain(service.settings, token, '--json', '--pseudonym')));
    assert.equal(shown.accepted, true);
    assert.equal(shown.pseudonym, id);
    const names = shown.steps.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, [
      'shape',
      'header',
      'issuer',
      'algorithm',
      'type',
      'key',
      'signature',
      'purpose',
      'binding',
      'times',
      'audience',
      'subject',
      'scopes',
      'caller',
      'standing',
    ]);
  });

  it('prints read and write access to each collection, and the missing scope', async () => {
    const { service, provider } = given();
    const { files, posts, bookings } = sampleDeclarations;
    const folder = declarationsFolder({ files, posts, bookings });
    const settings = { ...service.settings, COLLECTIONS_DIR: folder };
    const token = await provider.token({ scope: 'files.read' });
    const shown = succeeded(await runExplain(settings, token));
    assert.match(shown, /^files +own records +no: the token lacks the scope "files\.write"$/m);
    assert.match(shown, /^posts +all records +own records$/m);
    const { collections } = JSON.parse(succeeded(await runExplain(settings, token, '--json')));
    const mayDo = { allowed: true, records: 'own', code: null, scope: null };
    const lacks = { allowed: false, records: null, code: 'insufficient_scope', scope: 'files.write' };
    assert.deepEqual(collections, [
      { name: 'bookings', read: mayDo, write: mayDo },
      { name: 'files', read: mayDo, write: lacks },
      { name: 'posts', read: { ...mayDo, records: 'all' }, write: mayDo },
    ]);
    const nobody = await provider.token({ aud: 'https://other.example', scope: 'files.read' });
    const { stdout } = await runExplain(settings, nobody);
    assert.doesNotMatch(stdout, /^files/m, 'nothing of collections for a token that is refused');
  });

  it('refuses a token as argument, and does not print it', async () => {
    const { service, provider } = given();
    const token = await provider.token();
    const stderr = exits(
      2,
      await runExplain(service.settings, '', token),
      /the shell keeps in its history.*standard input/,
    );
    assert.deepEqual(leaksOf(token, stderr), []);
  });

  it('reports an empty standard input', async () => {
    refused(await runExplain(given().service.settings, ' \n'), /There is no token on standard input/);
  });

  it('accepts a token of a real provider', async () => {
    const { service } = given();
    const { oidcOrigin, oidcClient } = await part('providers');
    const basic = Buffer.from(`${oidcClient.id}:${oidcClient.secret}`).toString('base64');
    const reply = await request(`${oidcOrigin}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=consumer',
    });
    const settings = { ...service.settings, IDP_ORIGIN: oidcOrigin };
    const shown = succeeded(await runExplain(settings, reply.json<{ access_token: string }>().access_token));
    assert.match(shown, /^pass {2}subject +names a caller by "sub" \(not shown\): a machine client/m);
  });
});
