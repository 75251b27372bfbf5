import type { Command } from 'commander';
import { OperatorError } from '../base/errors.ts';
import { loadStorageConfig } from '../config/load.ts';
import type { AuditLine, Consumer, ConsumerState, ConsumerStore } from '../storage/port.ts';
import { print, table } from './output.ts';
import { administer, type Tools } from './tools.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `vestibule consumer ...`: the callers, by the pseudonym that GET /me shows them. */
export function addConsumerCommand(program: Command, tools: Tools): void {
  const consumer = program
    .command('consumer')
    .description('show, suspend and resume callers by their pseudonym');
  const work = <T>(command: string, task: (consumers: ConsumerStore, audit: AuditLine) => Promise<T>) =>
    administer(tools, loadStorageConfig(tools.environment()), `consumer ${command}`, ({ storage, audit }) =>
      task(storage.consumers, audit),
    );

  consumer
    .command('show <id>')
    .description('show all that is held about a caller')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption) => {
      const data = asData(known(id, await work('show', (consumers) => consumers.find(id))));
      print(options.json, data, () =>
        table(['ID', 'KIND', 'STATE', 'REGISTERED'], [[data.id, data.kind, data.state, data.registered_at]]),
      );
    });

  const setState = (name: string, state: ConsumerState, description: string) =>
    consumer
      .command(`${name} <id>`)
      .description(description)
      .option('--json', 'print JSON')
      .action(async (id: string, options: JsonOption) => {
        const action = state === 'active' ? 'consumer.resumed' : 'consumer.suspended';
        const changed = await work(name, (consumers, audit) =>
          consumers.setState(id, state, audit(action, id)),
        );
        if (!changed) throw noSuchConsumer(id);
        print(options.json, { id, state }, () => `Caller "${id}" is ${state}.`);
      });
  setState('suspend', 'suspended', 'refuse the caller, within one second, with the tokens it has too');
  setState('resume', 'active', 'let a suspended caller in again');
}

function known(id: string, consumer: Consumer | null): Consumer {
  if (consumer === null) throw noSuchConsumer(id);
  return consumer;
}

function noSuchConsumer(id: string): OperatorError {
  return new OperatorError(
    `There is no caller "${id}". Its pseudonym is the "id" that GET /api/consumer/v1/me shows it, for example usr_...`,
  );
}

function asData({ id, kind, state, registeredAt }: Consumer) {
  return { id, kind, state, registered_at: new Date(registeredAt).toISOString() };
}
