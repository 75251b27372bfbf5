import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { succeeded } from '../support/commands/outcome.ts';
import { plainSql } from '../support/databases/plain-sql.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { Person } from '../support/people/person.ts';
import { until } from '../support/run/polling.ts';
import {
  databaseEngines,
  runVestibule,
  type Service,
  type Settings,
  startService,
} from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { type Answers, askAll, askOperator, differences } from './answers.ts';
import { recordingOf, releasedVersions, restoreReleased, rowsOf } from './released.ts';
import { people, person, stageSettings } from './stage.ts';
import { idempotencyKey, keyedNote } from './story.ts';

/** An upgrade from each release, at the time at which it was recorded. */
for (const release of releasedVersions)
  for (const engine of databaseEngines)
    describe(`the ${engine} database of ${release.version}, opened by this code`, () => {
      const was = recordingOf(release);
      const aheadMs = was.at - Date.now();
      const collections = `${release.folder}/collections`;
      let provider: TestProvider;
      let settings: Settings;
      let service: Service;
      let operator: unknown;
      let rows: Readonly<Record<string, number>>;
      let answers: Answers;
      const named = (name: string, claims = {}) => person(service, provider, name, claims);
      before(async () => {
        provider = await TestProvider.start();
        provider.aheadMs = aheadMs;
        settings = await stageSettings(engine, provider, collections);
        await restoreReleased(release, settings);
        operator = await askOperator(settings);
        succeeded(await runVestibule(settings, 'migrate'));
        rows = await rowsOf(plainSql(settings));
        // No secret is kept with the recording.
        const { client_secret: secret } = JSON.parse(
          succeeded(await runVestibule(settings, 'client', 'rotate', 'house', '--json')),
        );
        service = await startService(settings, { aheadMs });
        const house = await tokenOf(service.url, { id: 'house', secret });
        const callers: Record<string, Person> = { house: new Person(new ApiCaller(service.url, house)) };
        for (const name of people) callers[name] = await named(name);
        answers = await askAll(service.url, callers, collections);
      });
      after(async () => {
        await service?.stop();
        await provider?.stop();
      });

      it('the commands show the same clients, keys, webhooks, deliveries and audit', () => {
        assert.deepEqual(differences(was.operator, operator), []);
      });

      it('every table has its rows', () => {
        // Leases are of processes, and a move leaves them behind.
        const { schema_migrations: _, leases: _leases, ...kept } = was.rows;
        assert.deepEqual(differences(kept, rows), []);
      });

      for (const caller of Object.keys(was.answers))
        it(`every record, member, event, total and export that ${caller} gets is the same`, () => {
          assert.deepEqual(differences(was.answers[caller], answers[caller]), []);
        });

      it('an idempotency key, a sign-out and a spent budget still hold', async () => {
        const ada = await named('ada');
        const { body } = await ada.send('POST', 'notes', keyedNote, { 'idempotency-key': idempotencyKey });
        assert.equal(body.id, was.keyed);
        const former = await named('fay', { iat: Math.floor(was.at / 1000) - 60 });
        assert.equal((await former.get('me')).body.code, 'token_revoked');
        const usage = await (await named('ida')).caller.usage('bookings');
        assert.equal(usage.writes.used, 1, 'erased, and back');
      });

      it('the work that the release left is done: records under deleted and handed over ones', async () => {
        const left = async () => {
          const [row] = await plainSql(settings).query('select count(*) as count from child_work');
          return Number(row?.count);
        };
        assert.equal(await left(), was.rows.child_work);
        const isDone = async () => {
          await service.advance(61_000);
          return (await left()) === 0;
        };
        await until(isDone, Boolean, 'the sweeper leaves work');
      });
    });
