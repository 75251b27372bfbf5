import { Rereading } from '../base/rereading.ts';
import type { ClientStore, ClientWithSecrets } from '../storage/port.ts';

/** At least so long between two readings, however many ask. */
const pauseMs = 50;

/** All clients in memory, so that a request for a token reads no database when all is well. */
export class ClientDirectory {
  #clients: ReadonlyMap<string, ClientWithSecrets> = new Map();
  readonly #rereading: Rereading;

  constructor(store: Pick<ClientStore, 'list'>) {
    this.#rereading = new Rereading(async () => {
      const clients = await store.list();
      this.#clients = new Map(clients.map((client) => [client.id, client]));
    }, pauseMs);
  }

  find(id: string): ClientWithSecrets | null {
    return this.#clients.get(id) ?? null;
  }

  /** Resolves once the clients were read by a reading that began after this call. */
  refresh(): Promise<void> {
    return this.#rereading.again();
  }
}
