import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { plainSql, withoutForeignKeys } from '../support/databases/plain-sql.ts';
import { assertEmptyObject } from '../support/http/answers.ts';
import { assertRefused } from '../support/http/refusals.ts';
import { withToken } from '../support/http/request.ts';
import { until } from '../support/run/polling.ts';
import { deployment } from '../support/services/deployment.ts';
import { addClient, me, runVestibule, type Service, someEngine } from '../support/services/service.ts';
import {
  assertionClaims,
  assertionForm,
  makeClientKey,
  signAssertion,
} from '../support/tokens/client-keys.ts';
import { addClientWith, inBody, postForm } from '../support/tokens/oauth-form.ts';
import { credentialsBody, postToken, tokenOf } from '../support/tokens/token-endpoint.ts';

/** Write access to the database without the master secret must not be enough to add a client, or to give one more rights. */
for (const engine of someEngine)
  describe(`client rows written without the master secret, on ${engine}`, () => {
    let service: Service;
    const sql = (text: string) => plainSql(service.settings).query(text);
    const vestibule = async (...parameters: string[]) =>
      succeeded(await runVestibule(service.settings, ...parameters));
    const running = deployment({ engine, settings: { REFUSALS_PER_MINUTE: '1000000' } });
    before(() => {
      ({ service } = running());
    });

    const errorsAbout = (id: string) =>
      service.logLines().filter(({ level, client_id }) => level === 50 && client_id === id);
    /** A change by the operator makes every process read the clients again. */
    const everybodyReadsAgain = async (planted: string) => {
      await vestibule('client', 'add', `beside-${planted}`);
      await until(
        () => errorsAbout(planted).length,
        (count) => count > 0,
        `nobody noticed ${planted}`,
      );
    };
    const victim = async (id: string) => ({ id, secret: await addClient(service.settings, id) });
    const refused = async (credentials: { id: string; secret: string }) =>
      assertEmptyObject(await postToken(service.url, credentialsBody(credentials)), 401, credentials.id);

    it("an inserted client with the attacker's key is refused", async () => {
      const key = await makeClientKey('ES256');
      const keys = JSON.stringify({ keys: [key.jwk] });
      await sql(`insert into clients (id, label, state, created_at, scopes, public_keys)
        values ('planted', '', 'active', 1, 'reports.read', '${keys}')`);
      const ask = async () => {
        const audience = String(service.settings.BASE_URL);
        const assertion = await signAssertion(key, assertionClaims('planted', audience));
        return (await postForm(service.url, assertionForm(assertion))).status;
      };
      assert.equal(await ask(), 401);
      await everybodyReadsAgain('planted');
      assert.equal(await ask(), 401);
    });

    it("a secret's digest copied to another client is refused there", async () => {
      const own = await victim('attacker');
      const other = await victim('copied-to');
      await sql(`insert into client_secrets (id, client_id, digest, created_at)
        select 'copied', 'copied-to', digest, created_at from client_secrets where client_id = 'attacker'`);
      await refused({ id: other.id, secret: own.secret });
      await everybodyReadsAgain(other.id);
      await refused({ id: other.id, secret: own.secret });
      await tokenOf(service.url, own);
    });

    it('a client row copied under another id is refused', async () => {
      const { secret } = await victim('model');
      const columns = Object.keys((await sql("select * from clients where id = 'model'"))[0] ?? {});
      const others = columns.filter((name) => name !== 'id').join(', ');
      await sql(
        `insert into clients (id, ${others}) select 'twin', ${others} from clients where id = 'model'`,
      );
      await sql(`insert into client_secrets (id, client_id, digest, created_at)
        select 'of the twin', 'twin', digest, created_at from client_secrets where client_id = 'model'`);
      await refused({ id: 'twin', secret });
    });

    it('a client with changed scopes, keys or expiry is refused', async () => {
      const key = await makeClientKey('ES256');
      const changes = {
        'wider-scopes': "update clients set scopes = 'reports.read' where id = 'wider-scopes'",
        'more-keys': `update clients set public_keys = '${JSON.stringify({ keys: [key.jwk] })}' where id = 'more-keys'`,
        'another-end':
          "update client_secrets set expires_at = 99999999999999 where client_id = 'another-end'",
        'another-age': "update clients set created_at = 1 where id = 'another-age'",
      };
      for (const [id, change] of Object.entries(changes)) {
        const credentials = await victim(id);
        const token = await tokenOf(service.url, credentials);
        await sql(change);
        await everybodyReadsAgain(id);
        await refused(credentials);
        assertRefused(await withToken(`${service.url}${me}`, token), 'client_disabled', token);
      }
    });

    it('a disabled client enabled in the database stays refused, and so do its tokens', async () => {
      const credentials = await victim('switched-off');
      const token = await tokenOf(service.url, credentials);
      await vestibule('client', 'disable', 'switched-off');
      await sql("update clients set state = 'active' where id = 'switched-off'");
      await everybodyReadsAgain('switched-off');
      await refused(credentials);
      assertRefused(await withToken(`${service.url}${me}`, token), 'client_disabled', token);
    });

    it('a change by the operator does not make a planted row valid', async () => {
      const own = await victim('own');
      await victim('rotated');
      await sql(`insert into client_secrets (id, client_id, digest, created_at)
        select 'slipped in', 'rotated', digest, created_at from client_secrets where client_id = 'own'`);
      for (const parameters of [
        ['rotate', 'rotated', '--retire-after', '7d'],
        ['scopes', 'rotated', 'x'],
        ['disable', 'rotated'],
        ['enable', 'rotated'],
      ]) {
        const { code, stderr } = await runVestibule(service.settings, 'client', ...parameters);
        assert.deepEqual([code, /There is no client "rotated"/.test(stderr)], [1, true]);
        await refused({ id: 'rotated', secret: own.secret });
      }
    });

    it('a secret planted before its client is added does not become valid', async () => {
      const own = await victim('mine');
      await withoutForeignKeys(
        service.settings,
        `insert into client_secrets (id, client_id, digest, created_at, label)
          select 'aaaaaaaaaaaa', 'reports', digest, 1, '' from client_secrets where client_id = 'mine'`,
      );
      const added = await addClientWith(service.settings, 'reports', '--scope', 'reports.read');
      await refused({ id: 'reports', secret: own.secret });
      assert.equal((await postForm(service.url, inBody(added))).json().scope, 'reports.read');
      const stored = await sql("select id from client_secrets where client_id = 'reports'");
      assert.equal(stored.length, 1, 'what waited there is gone');
    });

    /**
     * With the right to create triggers, an attacker can make the database write along with the operator, before the MAC is
     * computed.
     */
    const lets: Record<string, { on: string; when: string; change: string[] }> = {
      'laundered-add': { on: 'insert on client_secrets', when: 'client_id', change: [] },
      'laundered-rotate': {
        on: 'insert on client_secrets',
        when: 'client_id',
        change: ['rotate', 'laundered-rotate', '--retire-after', '7d'],
      },
      'laundered-scopes': {
        on: 'update of scopes on clients',
        when: 'id',
        change: ['scopes', 'laundered-scopes', 'reports.read'],
      },
      'laundered-state': {
        on: 'update of state on clients',
        when: 'id',
        change: ['disable', 'laundered-state'],
      },
    };
    for (const [id, { on, when, change }] of Object.entries(lets))
      it(`a row that a trigger adds to a change does not become valid: ${id}`, async () => {
        const name = id.replace('-', '_');
        const own = await victim(`owner-of-${id}`);
        const makeTrigger = () => {
          const plants = `insert into client_secrets (id, client_id, digest, created_at, label)
            select 'by ${name}', '${id}', digest, 1, '' from client_secrets where client_id = '${own.id}'
            on conflict do nothing;`;
          const isAbout = `when (new.${when} = '${id}' and new.id <> 'by ${name}')`;
          return withoutForeignKeys(
            service.settings,
            engine === 'sqlite'
              ? `create trigger ${name} after ${on} for each row ${isAbout} begin ${plants} end`
              : `create function ${name}() returns trigger language plpgsql as
                  $$ begin ${plants} return new; end $$;
                create trigger ${name} after ${on} for each row ${isAbout} execute function ${name}()`,
          );
        };
        if (change.length === 0) {
          await makeTrigger();
          await victim(id);
        } else {
          await victim(id);
          await makeTrigger();
          await vestibule('client', ...change);
          await runVestibule(service.settings, 'client', 'enable', id);
        }
        assert.equal((await sql(`select id from client_secrets where id = 'by ${name}'`)).length, 1);
        await refused({ id, secret: own.secret });
      });

    it('the fault is logged once and shown by "client list" and "doctor"; adding the client again repairs it', async () => {
      await victim('shown');
      await sql("update clients set scopes = 'everything' where id = 'shown'");
      await everybodyReadsAgain('shown');
      for (let times = 0; times < 3; times += 1) await refused({ id: 'shown', secret: 'x' });
      assert.equal(errorsAbout('shown').length, 1);
      const listed = JSON.parse(await vestibule('client', 'list', '--json'));
      const genuine = (id: string) =>
        listed.find((entry: { client_id: string }) => entry.client_id === id)?.genuine;
      assert.deepEqual([genuine('shown'), genuine('beside-shown')], [false, true]);
      assert.match(await vestibule('client', 'list'), /^shown +NOT GENUINE/m);
      const { stdout } = await runVestibule(service.settings, 'doctor');
      assert.match(stdout, /^FAIL +clients .*"shown"/m);
      await vestibule('client', 'remove', 'shown', '--yes');
      await tokenOf(service.url, await victim('shown'));
    });

    it('changes by the operator keep a client valid', async () => {
      const first = await addClientWith(service.settings, 'kept', '--scope', 'a');
      const { client_secret: second } = JSON.parse(
        await vestibule('client', 'rotate', 'kept', '--retire-after', '7d', '--json'),
      );
      await vestibule('client', 'scopes', 'kept', 'b');
      await vestibule('client', 'disable', 'kept');
      await vestibule('client', 'enable', 'kept');
      const scopeFor = async (secret: string) => {
        const reply = await postForm(service.url, inBody({ id: 'kept', secret }));
        return reply.status === 200 ? reply.json().scope : reply.status;
      };
      // The service hears of what commands have done a moment later.
      await until(
        () => scopeFor(first.secret),
        (scope) => scope === 'b',
        'the first secret does not do',
      );
      assert.equal(await scopeFor(second), 'b');
    });
  });
