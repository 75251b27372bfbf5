import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConcurrencyLimit } from '../base/concurrency-limit.ts';
import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { Log } from '../base/log.ts';
import type { ClientMac, ClientStore, ClientWithSecrets } from '../storage/port.ts';
import { clientIdForm } from './clients.ts';

interface DirectoryOptions {
  readonly store: Pick<ClientStore, 'find' | 'list'>;
  readonly clientMac: ClientMac;
  readonly log: Log;
}

/** Clients that are checked in one turn of the event loop: less than a millisecond's worth. */
const checkedInATurn = 50;
/** A client that is not known makes a look into the database: so many at once, and so many in line. */
const lookUps = { running: 4, waiting: 500, refusal: 'storage_unavailable' } as const;

/**
 * The genuine clients in memory, so that a request for a token reads no database when all is well. Whoever changes a
 * client announces it, and all are read again; who asks for one that is not known, or not like that, may be quicker.
 */
export class ClientDirectory {
  readonly #options: DirectoryOptions;
  readonly #limit = new ConcurrencyLimit(lookUps);
  #clients = new Map<string, ClientWithSecrets>();
  /** Said once of each. */
  readonly #reported = new Set<string>();

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  find(id: string): ClientWithSecrets | null {
    return this.#clients.get(id) ?? null;
  }

  async load(): Promise<void> {
    const clients = new Map<string, ClientWithSecrets>();
    let checked = 0;
    for (const found of await this.#options.store.list()) {
      checked += 1;
      if (checked % checkedInATurn === 0) await nextTurn();
      const client = this.#genuine(found);
      if (client !== null) clients.set(client.id, client);
    }
    this.#clients = clients;
  }

  /** This one as the database has it now. The work is the same whether there is one or not. */
  lookUp(id: string): Promise<ClientWithSecrets | null> {
    return this.#limit.run(async () => {
      // Should all be read meanwhile, what is found now goes to what that has replaced.
      const clients = this.#clients;
      // For one that no client can have, a database may not even take the question.
      const client = this.#genuine(await this.#options.store.find(clientIdForm.test(id) ? id : ''));
      if (client === null) clients.delete(id);
      else clients.set(id, client);
      return client;
    });
  }

  #genuine(client: ClientWithSecrets | null): ClientWithSecrets | null {
    if (this.#options.clientMac.isGenuine(client)) return client;
    if (client !== null && !this.#reported.has(client.id)) {
      this.#reported.add(client.id);
      this.#options.log.error(
        { client_id: client.id },
        'a client was written to the database by somebody without the master secret, and is ignored',
      );
    }
    return null;
  }
}

type Bound = Omit<ClientWithSecrets, 'mac'>;

/** Stands in for an unknown client. */
const unknownClient: Bound = {
  id: '',
  label: '',
  state: 'disabled',
  scopes: [],
  publicKeys: null,
  createdAt: 0,
  secrets: [],
};
const noMac = new Uint8Array(32);

/** Over everything that decides who gets which token. Labels and dates of use decide nothing. */
export function createClientMac(key: Uint8Array): ClientMac {
  const digest = createKeyedDigest(key);
  const of = (client: Bound) => digest.of(...boundParts(client));
  return {
    of,
    /** Does the same work for an unknown client (timing). */
    isGenuine: (client) =>
      digest.isOf(client?.mac ?? noMac, ...boundParts(client ?? unknownClient)) && client !== null,
  };
}

/** The secrets by their names, whatever order they were read in. */
function boundParts({ id, state, scopes, publicKeys, createdAt, secrets }: Bound) {
  const ofSecrets = secrets
    .map((secret) => [secret.id, Buffer.from(secret.digest).toString('base64'), secret.expiresAt])
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return [id, state, scopes, publicKeys, createdAt, ofSecrets];
}
