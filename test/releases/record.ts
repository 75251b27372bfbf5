import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { newDirectory, succeeded } from '../support/commands/outcome.ts';
import { postgresDatabase, sqliteDatabase } from '../support/databases/databases.ts';
import { createDatabase } from '../support/databases/postgres.ts';
import { ApiCaller } from '../support/http/api-caller.ts';
import { Person } from '../support/people/person.ts';
import { runVestibule, type Settings, startService } from '../support/services/service.ts';
import { TestProvider } from '../support/tokens/provider.ts';
import { tokenOf } from '../support/tokens/token-endpoint.ts';
import { askAll, askOperator } from './answers.ts';
import { dumpPostgres } from './postgres-dump.ts';
import { type Recording, rowsOf } from './released.ts';
import { people, person, stageSettings } from './stage.ts';
import { idempotencyKey, keyedNote, play, setUp } from './story.ts';
import { surface } from './surface.ts';

/** Run for a release by `npm test -- test/releases/record.ts`; test/README.md says when. */
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const folder = `test/releases/${version}`;

it(`writes the databases, the answers and the names of ${version}`, async (t) => {
  assert.ok(
    !existsSync(folder),
    `${folder} exists, and what a release recorded does not change. Set the next version in package.json, or delete the folder if ${version} is not released yet.`,
  );
  const provider = await TestProvider.start();
  t.after(() => provider.stop());
  const settings = await stageSettings('sqlite', provider, 'test/releases/collections');
  const clients = await setUp(settings);
  const service = await startService(settings);
  t.after(() => service.stop());
  const house = new Person(
    new ApiCaller(service.url, await tokenOf(service.url, { id: 'house', secret: clients.secret })),
  );
  await play(service, provider, house, clients);
  const callers: Record<string, Person> = { house };
  for (const name of people) callers[name] = await person(service, provider, name);
  const at = Date.now();
  const answers = await askAll(service.url, callers, 'test/releases/collections');
  const repeated = await callers.ada?.send('POST', 'notes', keyedNote, { 'idempotency-key': idempotencyKey });

  const draft = newDirectory();
  const file = `${draft}/vestibule.db`;
  succeeded(await runVestibule(settings, 'backup', file));
  finishRows(file);
  const copied = { ...settings, DATABASE_URL: `sqlite:${file}` };
  const operator = await askOperator(copied);
  const rows = await rowsOf(sqliteDatabase(file));
  for (const [table, count] of Object.entries(rows))
    assert.ok(count > 0, `The table ${table} has no row. Add what writes one to test/releases/story.ts.`);
  writeFileSync(`${draft}/postgres.sql`, await dumpOf(settings, file));
  const recording: Recording = { at, rows, operator, keyed: repeated?.body.id, answers };
  writeFileSync(`${draft}/answers.json`, textOf(recording));
  writeFileSync(`${draft}/surface.json`, `${JSON.stringify(surface(), null, 2)}\n`);
  cpSync('test/releases/collections', `${draft}/collections`, { recursive: true });
  cpSync(draft, folder, { recursive: true });
});

/** Names no machine, and has a delivery that failed for 28 hours. */
function finishRows(file: string): void {
  using database = new DatabaseSync(file);
  const guard = "select sql from sqlite_schema where name = 'audit_refuses_update'";
  const refusing = String(database.prepare(guard).get()?.sql);
  database.exec(`drop trigger audit_refuses_update;
    update audit set node = 'machine', actor = 'operator'; ${refusing};
    update deliveries set state = 'dead', reason = 'status_500', attempts = 8
      where position = (select min(position) from deliveries);
    vacuum`);
}

/** The same rows in PostgreSQL. */
async function dumpOf(settings: Settings, file: string): Promise<string> {
  const moved = `${settings.TEST_DIRECTORY}/moved.db`;
  cpSync(file, moved);
  const url = await createDatabase();
  succeeded(await runVestibule({ ...settings, DATABASE_URL: `sqlite:${moved}` }, 'move', '--to', url));
  return dumpPostgres(postgresDatabase(url).query);
}

/** An answer on each line. */
function textOf({ answers, ...rest }: Recording): string {
  const lines = (of: object) =>
    Object.entries(of).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const callers = Object.entries(answers).map(
    ([name, paths]) => `${JSON.stringify(name)}: {\n${lines(paths).join(',\n')}\n}`,
  );
  return `{\n${lines(rest).join(',\n')},\n"answers": {\n${callers.join(',\n')}\n}\n}\n`;
}
