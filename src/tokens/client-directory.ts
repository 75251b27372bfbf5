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

/** Clients that are checked in one turn of the event loop: under a millisecond. */
const checkedInATurn = 50;
/** Lookups of unknown clients in the database: concurrent, and queued. */
const lookUps = { running: 4, waiting: 500, refusal: 'storage_unavailable' } as const;

/**
 * The clients with a valid MAC, in memory. Loaded again after every change; `lookUp` finds a client that was added a moment
 * ago.
 */
export class ClientDirectory {
  readonly #options: DirectoryOptions;
  readonly #limit = new ConcurrencyLimit(lookUps);
  #clients = new Map<string, ClientWithSecrets>();
  /** Clients with a wrong MAC that were logged already. */
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

  /** Reads one client from the database. Does the same work for an unknown one (timing). */
  lookUp(id: string): Promise<ClientWithSecrets | null> {
    return this.#limit.run(async () => {
      // If `load` replaces the map meanwhile, this result goes to the old one.
      const clients = this.#clients;
      // PostgreSQL refuses some texts, so an impossible id is not sent.
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
        'a client was written to the database without the master secret, and is ignored',
      );
    }
    return null;
  }
}

type Bound = Omit<ClientWithSecrets, 'mac'>;

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

/** Covers everything that decides which client gets which token, not labels and dates of use. */
export function createClientMac(key: Uint8Array): ClientMac {
  const digest = createKeyedDigest(key);
  const of = (client: Bound) => digest.of(...boundParts(client));
  return {
    of,
    isGenuine: (client) =>
      digest.isOf(client?.mac ?? noMac, ...boundParts(client ?? unknownClient)) && client !== null,
  };
}

/** Sorted by id, because the database returns them in any order. */
function boundParts({ id, state, scopes, publicKeys, createdAt, secrets }: Bound) {
  const ofSecrets = secrets
    .map((secret) => [secret.id, Buffer.from(secret.digest).toString('base64'), secret.expiresAt])
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return [id, state, scopes, publicKeys, createdAt, ofSecrets];
}
