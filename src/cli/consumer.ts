import type { Command } from 'commander';
import type { Administration } from '../administration.ts';
import { consumerPrefix } from '../base/addresses.ts';
import { OperatorError } from '../base/errors.ts';
import { type Environment, loadStorageConfig } from '../config/load.ts';
import type { Consumer, ConsumerState, Reading, Usage } from '../storage/port.ts';
import { administer, look } from './database.ts';
import { type JsonOption, print, printing, table } from './output.ts';

/** `vestibule consumer ...`: the callers, by the pseudonym that GET /me shows them. */
export function addTo(program: Command, environment: () => Environment): void {
  const consumer = program
    .command('consumer')
    .description('show, suspend, resume and erase callers by their pseudonym');
  const work = <T>(command: string, task: (administration: Administration) => Promise<T>) =>
    administer(loadStorageConfig(environment()), `consumer ${command}`, task);
  const read = <T>(task: (reading: Reading) => Promise<T>) => look(loadStorageConfig(environment()), task);

  printing(consumer, 'show <id>', 'show all that is held about a caller').action(
    async (id: string, options: JsonOption) => {
      const data = await read(async ({ consumers, records }) =>
        asData(known(id, await consumers.find(id)), await records.usage(id)),
      );
      print(options.json, data, () =>
        [
          table(
            ['ID', 'KIND', 'STATE', 'REGISTERED'],
            [[data.id, data.kind, data.state, data.registered_at]],
          ),
          ...(data.records.length === 0
            ? []
            : [
                '',
                table(
                  ['COLLECTION', 'RECORDS'],
                  data.records.map(({ collection, count }) => [collection, String(count)]),
                ),
              ]),
        ].join('\n'),
      );
    },
  );

  const setState = (name: string, state: ConsumerState, description: string) =>
    printing(consumer, `${name} <id>`, description).action(async (id: string, options: JsonOption) => {
      const action = state === 'active' ? 'consumer.resumed' : 'consumer.suspended';
      const changed = await work(name, ({ storage: { consumers }, audit }) =>
        consumers.setState(id, state, audit(action, id)),
      );
      if (!changed) throw noSuchConsumer(id);
      print(options.json, { id, state }, () => `Caller "${id}" is ${state}.`);
    });
  setState('suspend', 'suspended', 'refuse the caller, within one second, with the tokens it has too');
  setState('resume', 'active', 'let a suspended caller in again');

  printing(consumer, 'erase <id>', 'delete everything that is held about a caller, for good')
    .option('--yes', 'do it without asking back')
    .action(async (id: string, options: JsonOption & { readonly yes?: boolean }) => {
      if (!options.yes) {
        throw new OperatorError(
          `This deletes everything that is held about "${id}", and nothing brings it back. Say so with --yes.`,
        );
      }
      // The line says that somebody was erased, and not who: that name is what has to go.
      const erased = await work('erase', async ({ storage: { records }, audit }) => {
        const gone = await records.erase(id, audit('consumer.erased', '(erased)'));
        if (gone === null) return null;
        // While somebody else has the database it cannot be written anew; "serve" does it within the hour.
        await records.scrub('quickly').catch(() => {});
        return { ...gone, isScrubDue: await records.isScrubDue() };
      });
      if (erased === null) throw noSuchConsumer(id);
      const total = Object.values(erased.records).reduce((sum, count) => sum + count, 0);
      const data = { id, records: erased.records, total, idempotency_keys: erased.idempotencyKeys };
      const more = erased.isScrubDue
        ? ' Copies may be left in the database file until "npx vestibule scrub", or "serve" within the hour where the file is small.'
        : '';
      print(options.json, data, () => `Caller "${id}" is erased, with ${total} records.${more}`);
    });

  printing(consumer, 'top', 'show who has the most records')
    .option('--limit <n>', 'so many callers', '20')
    .action(async (options: JsonOption & { readonly limit: string }) => {
      if (!/^[1-9]\d{0,3}$/.test(options.limit))
        throw new OperatorError(`--limit must be a whole number from 1 to 9999; found "${options.limit}".`);
      const rows = await read(({ records }) => records.top(Number(options.limit)));
      const data = rows.map(({ owner, records, bytes }) => ({ id: owner, records, bytes }));
      print(options.json, data, () =>
        data.length === 0
          ? 'Nobody has any records.'
          : table(
              ['ID', 'RECORDS', 'BYTES'],
              data.map(({ id, records, bytes }) => [id, String(records), String(bytes)]),
            ),
      );
    });
}

function known(id: string, consumer: Consumer | null): Consumer {
  if (consumer === null) throw noSuchConsumer(id);
  return consumer;
}

function noSuchConsumer(id: string): OperatorError {
  return new OperatorError(
    `There is no caller "${id}". Its pseudonym is the "id" that GET ${consumerPrefix}/me shows it, for example usr_...`,
  );
}

function asData({ id, kind, state, registeredAt }: Consumer, usage: ReadonlyMap<string, Usage>) {
  const records = [...usage].map(([collection, { records: count }]) => ({ collection, count }));
  return { id, kind, state, registered_at: new Date(registeredAt).toISOString(), records };
}
