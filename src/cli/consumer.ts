import type { Command } from 'commander';
import { consumerPrefix } from '../base/addresses.ts';
import { counted } from '../base/counted.ts';
import { isoTime } from '../base/date-time.ts';
import { OperatorError } from '../base/errors.ts';
import type { Administration } from '../compose/administration.ts';
import type { InspectedConsumer } from '../compose/lists.ts';
import { integer } from '../config/kinds.ts';
import type { ConsumerState } from '../storage/port.ts';
import { administer, look } from './database.ts';
import { optionOf } from './options.ts';
import { type Flags, print, printing, table } from './output.ts';
import type { CommandSettings } from './settings.ts';

export function addTo(program: Command, settings: CommandSettings): void {
  const consumer = program
    .command('consumer')
    .description('show, suspend, resume, sign out and erase callers, and find them by a record');
  const work = async <T>(command: string, task: (administration: Administration) => Promise<T>) =>
    administer(await settings.ofStorage(), `consumer ${command}`, task);
  /** Prints the result of the task, which is null if there is no such caller. */
  const workOn = async <T>(
    command: string,
    id: string,
    task: (administration: Administration) => Promise<T | null>,
  ): Promise<T> => {
    const done = await work(command, task);
    if (done === null) throw notFound(id);
    return done;
  };

  printing(consumer, 'show <id>', 'show all data that is stored about a caller').action(
    async (id: string, options: Flags) => {
      const { inspectConsumer } = await import('../compose/lists.ts');
      const data = await inspectConsumer(await settings.ofStorage(), id);
      if (data === null) throw notFound(id);
      print(options.json, data, () => showConsumer(data));
    },
  );

  printing(
    consumer,
    'of-record <collection> <id>',
    'show the owner and the members of a record; adds an entry to the audit log',
  ).action(async (collection: string, record: string, options: Flags) => {
    // The audit log names the record, because it would keep the owner's pseudonym for ever.
    const found = await work('of-record', async ({ storage: { consumers, records }, audit }) => {
      const line = audit('consumer.looked_up', `${collection}/${record}`);
      const owner = await consumers.ofRecord(collection, record, line);
      return owner && { owner, members: await records.members(collection, record, null, maxMembersShown) };
    });
    if (found === null)
      throw new OperatorError(
        `There is no record "${record}" in the collection "${collection}". It was deleted, it has expired, or the id is wrong. The id is the last part of the address of the record, GET ${consumerPrefix}/<collection>/<id>.`,
      );
    const { id, kind, state, registeredAt } = found.owner;
    const members = found.members.map(({ member, role, since }) => {
      return { id: member, role, since: isoTime(since) };
    });
    const owner = { collection, record, id, kind, state, registered_at: isoTime(registeredAt) };
    const data = members.length === 0 ? owner : { ...owner, members };
    const next = ['show', state === 'active' ? 'suspend' : 'resume'];
    print(options.json, data, () =>
      [
        table(columns, [owner]),
        '',
        ...(members.length === 0 ? [] : [table({ MEMBER: 'id', ROLE: 'role', SINCE: 'since' }, members), '']),
        ...next.map((command) => `npx vestibule consumer ${command} ${id}`),
      ].join('\n'),
    );
  });

  const setState = (name: string, state: ConsumerState, description: string) =>
    printing(consumer, `${name} <id>`, description).action(async (id: string, options: Flags) => {
      const action = state === 'active' ? 'consumer.resumed' : 'consumer.suspended';
      await workOn(
        name,
        id,
        async ({ storage: { consumers }, audit }) =>
          (await consumers.setState(id, state, audit(action, id))) || null,
      );
      print(options.json, { id, state }, () => `Caller "${id}" is ${state}.`);
    });
  setState('suspend', 'suspended', 'refuse the caller and its existing tokens, within one second');
  setState('resume', 'active', 'admit a suspended caller again');

  printing(consumer, 'sign-out <id>', 'refuse the tokens that the caller has now, within one second').action(
    async (id: string, options: Flags) => {
      const at = await workOn('sign-out', id, async ({ storage: { consumers }, audit, signOutConsumer }) =>
        (await consumers.find(id)) === null ? null : signOutConsumer(id, audit('consumer.signed_out', id)),
      );
      const data = { id, signed_out_at: isoTime(at) };
      print(
        options.json,
        data,
        () => `Caller "${id}" is signed out: tokens issued up to ${data.signed_out_at} are refused.`,
      );
    },
  );

  printing(consumer, 'erase <id>', 'delete all data of a caller permanently')
    .option('--yes', 'confirm; without it nothing is deleted')
    .action(async (id: string, options: Flags<'yes'>) => {
      if (!options.yes) {
        throw new OperatorError(`This deletes all data of "${id}" permanently. Confirm with --yes.`);
      }
      // Without the pseudonym: the line would otherwise name the erased caller for as long as the audit is kept.
      const erased = await workOn('erase', id, async ({ storage: { records }, audit, eraseConsumer }) => {
        const gone = await eraseConsumer(id, audit('consumer.erased', '(erased)'));
        if (gone === null) return null;
        // The file cannot be rewritten while another process uses it; "serve" does it within the hour.
        await records.scrub('quickly').catch(() => {});
        return { ...gone, isScrubDue: (await records.copiesLeft()) === 'erasures' };
      });
      const total = Object.values(erased.records).reduce((sum, count) => sum + count, 0);
      const data = { id, records: erased.records, total, idempotency_keys: erased.idempotencyKeys };
      const more = erased.isScrubDue
        ? ' Copies may remain in the database file. Remove them with "npx vestibule scrub"; for a small file "serve" does it within the hour.'
        : '';
      print(options.json, data, () => `Caller "${id}" is erased, with ${counted(total, 'record')}.${more}`);
    });

  printing(consumer, 'top', 'show the callers with the most records')
    .option('--limit <n>', 'how many callers', optionOf(integer(1, 9999)), 20)
    .action(async (options: Flags & { readonly limit: number }) => {
      const rows = await look(await settings.ofStorage(), ({ records }) => records.top(options.limit));
      const data = rows.map(({ owner, records, bytes }) => ({ id: owner, records, bytes }));
      print(options.json, data, () =>
        data.length === 0
          ? 'There are no records.'
          : table({ ID: 'id', RECORDS: 'records', BYTES: 'bytes' }, data),
      );
    });
}

function notFound(id: string): OperatorError {
  return new OperatorError(
    `There is no caller "${id}". Use the pseudonym of the caller: the "id" in its answer of GET ${consumerPrefix}/me, for example usr_...`,
  );
}

/** Further members are not shown; the order is arbitrary. */
const maxMembersShown = 1_000;

const columns = { ID: 'id', KIND: 'kind', STATE: 'state', REGISTERED: 'registered_at' } as const;

function showConsumer(data: InspectedConsumer): string {
  const { signed_out_at: signedOutAt, session_ended_at: endedAt, records } = data;
  const parts = [
    table(columns, [data]),
    signedOutAt && `Tokens issued up to ${signedOutAt} are refused.`,
    endedAt &&
      `A session has ended: tokens without a session id that were issued up to ${endedAt} are refused.`,
    records.length > 0 && table({ COLLECTION: 'collection', RECORDS: 'count' }, records),
  ];
  return parts.filter(Boolean).join('\n\n');
}
