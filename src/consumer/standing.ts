import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { errorFields, type Log } from '../base/log.ts';
import { keyCredential, type Principal } from '../base/principal.ts';
import type { ActiveClient, ClientStore, ClientWithSecrets, StandingStore } from '../storage/port.ts';

interface StandingOptions {
  readonly store: StandingStore;
  readonly clients: Pick<ClientStore, 'find'>;
  /** The issuer whose tokens speak for clients of ours. */
  readonly ownIssuer: string;
  /** Hears of every change, after it counts here; the start waits for it. */
  readonly onChange: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const retryMs = 1_000;

/**
 * Whom the operator has shut out, kept in memory and brought up to date within a second of a change by any process,
 * so that a request with a known token reads no database.
 */
export class Standing {
  readonly #options: StandingOptions;
  #suspended: ReadonlySet<string> = new Set();
  #activeClients = new Map<string, ActiveClient>();
  /** Tokens that a look into the database has refused since the last change: one look is enough. */
  #refused = new WeakSet<Principal>();
  #loading = false;
  #changedMeanwhile = false;
  #unwatch: () => Promise<void> = async () => {};
  #cancelRetry: () => void = () => {};

  constructor(options: StandingOptions) {
    this.#options = options;
  }

  /** Watches first and reads then, so that nothing falls in between. */
  async start(): Promise<void> {
    this.#loading = true;
    this.#unwatch = await this.#options.store.watch(() => void this.#reload());
    await this.#load();
    this.#loading = false;
    if (this.#changedMeanwhile) await this.#reload();
  }

  async stop(): Promise<void> {
    this.#cancelRetry();
    await this.#unwatch();
  }

  /** Throws when the caller is shut out. A promise only for a client not heard of yet: it may be brand-new. */
  check(principal: Principal): void | Promise<void> {
    const { id, issuer, subject } = principal;
    if (id !== null && this.#isSuspended(id)) throw new Refusal('consumer_suspended');
    if (issuer !== this.#options.ownIssuer || subject === null) return;
    const client = this.#activeClients.get(subject);
    if (client === undefined) return this.#lookUp(subject, principal);
    // Credentials that are not known either may be brand-new, too.
    if (!isFor(principal, client)) return this.#lookUp(subject, principal);
  }

  #isSuspended(id: string): boolean {
    // A look into a set of texts is dear, even when nobody is in it.
    return this.#suspended.size > 0 && this.#suspended.has(id);
  }

  async #lookUp(id: string, principal: Principal): Promise<void> {
    // Should a change come in meanwhile, what is found now goes to what it has replaced.
    const clients = this.#activeClients;
    const refused = this.#refused;
    if (refused.has(principal)) throw new Refusal('client_disabled');
    const found = await this.#options.clients.find(id);
    const client = found?.state === 'active' ? asActive(found) : null;
    if (client !== null) clients.set(id, client);
    if (client !== null && isFor(principal, client)) return;
    refused.add(principal);
    throw new Refusal('client_disabled');
  }

  /** One load at a time; a change during it is followed by one more, and so is a failure. */
  async #reload(): Promise<void> {
    this.#changedMeanwhile = true;
    if (this.#loading) return;
    this.#loading = true;
    try {
      while (this.#changedMeanwhile) {
        this.#changedMeanwhile = false;
        await this.#load();
      }
    } catch (error) {
      const { log, clock } = this.#options;
      log.error(errorFields(error), 'standing of callers cannot be read');
      this.#cancelRetry();
      this.#cancelRetry = clock.after(retryMs, () => void this.#reload());
    } finally {
      this.#loading = false;
    }
  }

  async #load(): Promise<void> {
    const { suspendedConsumers, activeClients } = await this.#options.store.read();
    this.#suspended = new Set(suspendedConsumers);
    this.#activeClients = new Map(activeClients.map((client) => [client.id, client]));
    this.#refused = new WeakSet();
    await this.#options.onChange();
  }
}

function asActive({ id, createdAt, publicKeys, secrets }: ClientWithSecrets): ActiveClient {
  return { id, createdAt, hasKeys: publicKeys !== null, secretIds: secrets.map((secret) => secret.id) };
}

/**
 * Whether a token was issued to this client and for credentials that it still has. The credentials of another client of
 * the same name have another name. Times are not compared: a clock that was set back issues tokens that seem to be older
 * than their client.
 */
function isFor({ credentialId }: Principal, { createdAt, hasKeys, secretIds }: ActiveClient): boolean {
  const isOfKeys = hasKeys && credentialId === keyCredential(createdAt);
  return isOfKeys || secretIds.includes(credentialId ?? '');
}
