import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { OperatorError, Refusal } from '../base/errors.ts';
import type { Client, ClientState, ClientStore } from '../storage/port.ts';
import type { Credentials } from './credentials.ts';
import { createSecret, digestSecret, matchesSecret } from './secrets.ts';

const clientIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Matches no client: what is looked up for an id that cannot exist, so that the work is the same. */
const nobody = '-';

interface ClientsOptions {
  readonly store: ClientStore;
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
}

/** The machine clients of POST /token: who they are and whether a secret is theirs. */
export class Clients {
  readonly #options: ClientsOptions;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** The same steps and the same refusal for an unknown client, a wrong secret and a disabled client. */
  async authenticate({ clientId, clientSecret }: Credentials): Promise<Client> {
    const { store, secretKey } = this.#options;
    const client = await store.find(clientIdForm.test(clientId) ? clientId : nobody);
    const stored = client?.secrets.map(({ digest }) => digest) ?? [];
    const matches = matchesSecret(secretKey, clientSecret, stored);
    if (client === null || !matches || client.state !== 'active') throw new Refusal('credentials_wrong');
    return client;
  }

  /** Answers with the secret, which is shown this once and not kept. */
  async add(id: string, label: string): Promise<{ readonly client: Client; readonly secret: string }> {
    if (!clientIdForm.test(id)) {
      throw new OperatorError(
        `A client id is 1 to 64 letters, digits, ".", "_" or "-" and starts with a letter or digit; found "${id}". Example: billing-service`,
      );
    }
    const { store, secretKey, clock } = this.#options;
    const secret = createSecret();
    const createdAt = clock.now();
    const client: Client = { id, label, state: 'active', createdAt };
    const digest = digestSecret(secretKey, secret);
    const added = await store.add(client, { id: randomUUID(), digest, createdAt });
    if (!added)
      throw new OperatorError(
        `There is a client "${id}" already. Choose another id, or remove that one first.`,
      );
    return { client, secret };
  }

  list(): Promise<readonly Client[]> {
    return this.#options.store.list();
  }

  async setState(id: string, state: ClientState): Promise<void> {
    if (!(await this.#options.store.setState(id, state))) throw noSuchClient(id);
  }

  async remove(id: string): Promise<void> {
    if (!(await this.#options.store.remove(id))) throw noSuchClient(id);
  }
}

function noSuchClient(id: string): OperatorError {
  return new OperatorError(`There is no client "${id}". "vestibule client list" shows those there are.`);
}
