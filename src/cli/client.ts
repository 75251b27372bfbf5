import type { Command } from 'commander';
import { isoTime } from '../base/date-time.ts';
import { OperatorError } from '../base/errors.ts';
import type { Administration } from '../compose/administration.ts';
import type { ListedClient } from '../compose/lists.ts';
import { readText } from '../config/files.ts';
import type { ClientSecret, ClientState } from '../storage/port.ts';
import { administer } from './database.ts';
import { collect, duration, optionOf } from './options.ts';
import { type Flags, print, printing, table } from './output.ts';
import type { CommandSettings } from './settings.ts';

interface AddOptions extends Flags {
  readonly label: string;
  readonly scope: readonly string[];
  readonly publicKey?: string;
}

interface RotateOptions extends Flags {
  readonly label: string;
  readonly retireAfter: number | null;
}

export function addTo(program: Command, settings: CommandSettings): void {
  const client = program
    .command('client')
    .description('the clients of POST /token: their secrets, keys and scopes');
  const work = async <T>(command: string, task: (administration: Administration) => Promise<T>) =>
    administer(await settings.ofStorage(), `client ${command}`, task);

  printing(client, 'add <id>', 'add a client and print its secret, which is shown only now')
    .option('--label <text>', 'a description of the client', '')
    .option('--scope <name>', 'a scope of the client; can be repeated', collect, [])
    .option('--public-key <file>', 'a public key (PEM, JWK or JWKS): the client signs and has no secret')
    .action(async (id: string, { label, scope: scopes, publicKey, json }: AddOptions) => {
      const key = publicKey === undefined ? null : readText('--public-key', publicKey);
      const secret = await work('add', ({ clients }) => clients.add({ id, label, scopes, publicKey: key }));
      const data = { client_id: id, ...(secret === null ? {} : { client_secret: secret }) };
      print(json, data, () =>
        secret === null
          ? `Client "${id}" is added. It authenticates with its key (private_key_jwt) and has no secret.`
          : showSecret(id, secret),
      );
    });

  printing(client, 'list', 'list the clients and the state of their secrets, never the secrets').action(
    async (options: Flags) => {
      const config = await settings.ofStorage();
      const { listClients } = await import('../compose/lists.ts');
      const clients = (await listClients(config)).map(asData);
      print(options.json, clients, () => showClients(clients));
    },
  );

  printing(client, 'rotate <id>', 'add a second secret, so that the client can switch without an outage')
    .option(
      '--retire-after <time>',
      'when the previous secret expires, for example 7d, 12h or 30min',
      optionOf(duration),
      null,
    )
    .option('--label <text>', 'a description of the secret', '')
    .action(async (id: string, { label, retireAfter, json }: RotateOptions) => {
      const { secret, kept, othersExpireAt } = await work('rotate', ({ clients }) =>
        clients.rotate(id, label, retireAfter),
      );
      print(json, { client_id: id, secret_id: kept.id, client_secret: secret }, () =>
        [showSecret(id, secret), '', afterRotation(id, othersExpireAt)].join('\n'),
      );
    });

  printing(
    client,
    'remove-secret <id> <secret-id>',
    'end a secret and the tokens that were issued for it, within one second',
  ).action(async (id: string, secretId: string, options: Flags) => {
    await work('remove-secret', ({ clients }) => clients.removeSecret(id, secretId));
    const data = { client_id: id, secret_id: secretId, removed: true };
    print(options.json, data, () => `Secret "${secretId}" of client "${id}" is removed.`);
  });

  printing(
    client,
    'scopes <id> [scopes...]',
    'set the scopes that a client may have (none: no scopes); its tokens with other scopes end within one second',
  ).action(async (id: string, named: string[], options: Flags) => {
    const scopes = await work('scopes', ({ clients }) => clients.setScopes(id, named));
    print(options.json, { client_id: id, scopes }, () =>
      scopes.length === 0 ? `Client "${id}" has no scopes.` : `Client "${id}" may have: ${scopes.join(' ')}`,
    );
  });

  const setState = (name: string, state: ClientState, description: string) =>
    printing(client, `${name} <id>`, description).action(async (id: string, options: Flags) => {
      await work(name, ({ clients }) => clients.setState(id, state));
      print(options.json, { client_id: id, state }, () => `Client "${id}" is ${state}.`);
    });
  setState('disable', 'disabled', 'refuse the client and its existing tokens, within one second');
  setState('enable', 'active', 'enable a disabled client again');

  printing(client, 'remove <id>', 'remove the client and its secrets permanently')
    .option('--yes', 'confirm; without it nothing is removed')
    .action(async (id: string, options: Flags<'yes'>) => {
      if (!options.yes)
        throw new OperatorError(
          `This removes client "${id}" and its secrets permanently. Confirm with --yes, or disable it: npx vestibule client disable ${id}`,
        );
      await work('remove', ({ clients }) => clients.remove(id));
      print(options.json, { client_id: id, removed: true }, () => `Client "${id}" is removed.`);
    });
}

function showSecret(id: string, secret: string): string {
  return `client_id      ${id}
client_secret  ${secret}

Keep the secret now: it is not stored and cannot be shown again.`;
}

function afterRotation(id: string, othersExpireAt: number | null): string {
  if (othersExpireAt !== null)
    return `Give the new secret to the client before ${isoTime(othersExpireAt)}. The previous secret expires then.`;
  return [
    'Both secrets work now. Give the new one to the client. When "npx vestibule client list" shows that it is used, remove the previous one:',
    `npx vestibule client remove-secret ${id} <secret-id>`,
  ].join('\n');
}

function showClients(clients: readonly ReturnType<typeof asData>[]): string {
  if (clients.length === 0) return 'There are no clients yet. Add one with: npx vestibule client add <id>';
  const list = table(
    {
      ID: 'client_id',
      STATE: ({ genuine, state }) => (genuine ? state : 'NOT GENUINE'),
      CREATED: 'created_at',
      SCOPES: ({ scopes }) => scopes.join(' ') || '-',
      LABEL: 'label',
    },
    clients,
  );
  const secrets = clients.flatMap(({ client_id, secrets: ofClient }) =>
    ofClient.map((secret) => ({ client_id, ...secret })),
  );
  const secretTable = table(
    {
      ID: 'client_id',
      SECRET: 'secret_id',
      CREATED: 'created_at',
      EXPIRES: (secret) => secret.expires_at ?? 'never',
      'LAST USED': (secret) => secret.last_used_on ?? 'never',
      LABEL: 'label',
    },
    secrets,
  );
  return [
    list,
    ...(secrets.length === 0 ? [] : [secretTable]),
    ...(clients.every(({ genuine }) => genuine) ? [] : [foreignWarning]),
  ].join('\n\n');
}

const foreignWarning =
  'A client that is not genuine was changed in the database without the master secret. The service ignores it. Find out who changed it, then remove it and add it again.';

function asData({ id, label, state, scopes, publicKeys, createdAt, secrets, isGenuine }: ListedClient) {
  return {
    client_id: id,
    label,
    state,
    genuine: isGenuine,
    created_at: isoTime(createdAt),
    scopes,
    authentication: publicKeys === null ? 'secret' : 'private_key_jwt',
    secrets: secrets.map(secretAsData),
  };
}

function secretAsData({ id, label, createdAt, expiresAt, lastUsedOn }: ClientSecret) {
  return {
    secret_id: id,
    label,
    created_at: isoTime(createdAt),
    expires_at: isoTime(expiresAt),
    last_used_on: isoTime(lastUsedOn)?.slice(0, 10) ?? null,
  };
}
