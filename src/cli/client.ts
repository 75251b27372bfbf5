import type { Command } from 'commander';
import { loadStorageConfig } from '../config/load.ts';
import type { Client, ClientState } from '../storage/port.ts';
import { print, table } from './output.ts';
import { type Administration, administer, type Tools } from './tools.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `vestibule client ...`: the machine clients that may call POST /token. */
export function addClientCommand(program: Command, tools: Tools): void {
  const client = program
    .command('client')
    .description('add, list, disable, enable and remove the clients of POST /token');
  const work = <T>(task: (administration: Administration) => Promise<T>) =>
    administer(tools, loadStorageConfig(tools.environment()), task);

  client
    .command('add <id>')
    .description('add a client and print its secret, which is shown this once')
    .option('--label <text>', 'what the client is, in your own words', '')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption & { label: string }) => {
      const added = await work(({ clients }) => clients.add(id, options.label));
      const data = { client_id: added.client.id, client_secret: added.secret };
      print(options.json, data, () =>
        [
          `client_id      ${data.client_id}`,
          `client_secret  ${data.client_secret}`,
          '',
          'Keep the secret now: it is not stored and cannot be shown again.',
        ].join('\n'),
      );
    });

  client
    .command('list')
    .description('list the clients, never their secrets')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const clients = (await work(({ clients }) => clients.list())).map(asData);
      print(options.json, clients, () =>
        clients.length === 0
          ? 'There are no clients yet. Add one with: vestibule client add <id>'
          : table(
              ['ID', 'STATE', 'CREATED', 'LABEL'],
              clients.map((entry) => [entry.client_id, entry.state, entry.created_at, entry.label]),
            ),
      );
    });

  const setState = (name: string, state: ClientState, description: string) =>
    client
      .command(`${name} <id>`)
      .description(description)
      .option('--json', 'print JSON')
      .action(async (id: string, options: JsonOption) => {
        await work(({ clients }) => clients.setState(id, state));
        print(options.json, { client_id: id, state }, () => `Client "${id}" is ${state}.`);
      });
  setState('disable', 'disabled', 'refuse the client, within one second, with the tokens it has too');
  setState('enable', 'active', 'let a disabled client in again');

  client
    .command('remove <id>')
    .description('remove the client and its secrets for good')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption) => {
      await work(({ clients }) => clients.remove(id));
      print(options.json, { client_id: id, removed: true }, () => `Client "${id}" is removed.`);
    });
}

function asData({ id, label, state, createdAt }: Client) {
  return { client_id: id, label, state, created_at: new Date(createdAt).toISOString() };
}
