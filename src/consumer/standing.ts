import { type Caller, keyCredential } from '../base/caller.ts';
import { type Clock, every } from '../base/clock.ts';
import type { ConfirmedTime } from '../base/confirmed-time.ts';
import { type ErrorCode, Refusal } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { logFailure } from '../base/plain-log.ts';
import { RepeatedLook } from '../base/repeated-look.ts';
import { isGranted } from '../base/scopes.ts';
import {
  type ClientWithSecrets,
  type StandingStore,
  type WatchedTable,
  watchedTables,
} from '../storage/port.ts';
import type { RevocationNames } from './pseudonym.ts';
import { Revocations } from './revocations.ts';

/** The valid clients of this service; see `tokens/client-directory`. */
export interface KnownClients {
  find(id: string): ClientWithSecrets | null;
  lookUp(id: string): Promise<ClientWithSecrets | null>;
  load(): Promise<void>;
}

interface StandingOptions {
  readonly store: Pick<StandingStore, 'suspendedConsumers' | 'revocations' | 'watch'>;
  readonly names: RevocationNames;
  readonly clients: KnownClients;
  /** The issuer whose tokens belong to clients of this service. */
  readonly ownIssuer: string;
  /** Called after a change takes effect here; called again if it rejects. */
  readonly onChange: (changed: ReadonlySet<WatchedTable>) => Promise<void>;
  readonly clock: Clock;
  /** A clock that is ahead for a moment must not revive a token. */
  readonly time: Pick<ConfirmedTime, 'now'>;
  readonly log: Log;
}

const retryMs = 1_000;
const forgetEveryMs = 60_000;

/**
 * Suspended callers and revoked tokens, in memory and at most a second old, so that a request with a known token reads no
 * database.
 */
export class Standing {
  readonly #options: StandingOptions;
  readonly ownIssuer: string;
  suspended: ReadonlySet<string> = new Set();
  readonly revocations: Revocations;
  /** Callers that were looked up and refused since the last change: they need only one look. */
  #refused = new WeakMap<Caller, ErrorCode>();
  readonly #loading: RepeatedLook;
  #changed: ReadonlySet<WatchedTable> = new Set(watchedTables);
  #unwatch: () => Promise<void> = async () => {};
  #cancelForget = () => {};

  constructor(options: StandingOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#loading = new RepeatedLook({
      look: () => this.#load(),
      everyMs: retryMs,
      onFailure: (error) => logFailure(log, error, 'standing of callers cannot be read'),
      clock,
    });
    this.ownIssuer = options.ownIssuer;
    this.revocations = new Revocations(options.names);
  }

  /** Watches before it reads, so that no change is missed. */
  async start(): Promise<void> {
    this.#unwatch = await this.#options.store.watch((changed) => {
      this.#changed = this.#changed.union(changed);
      void this.#loading.look();
    });
    await this.#load();
    this.#loading.start();
    await this.#loading.look();
    this.#forget();
    this.#cancelForget = every(this.#options.clock, forgetEveryMs, () => this.#forget());
  }

  async stop(): Promise<void> {
    // A database that does not answer must not keep the process from ending.
    void this.#loading.stop();
    this.#cancelForget();
    await this.#unwatch();
  }

  #forget(): void {
    const now = this.#options.time.now();
    if (now !== null) this.revocations.forget(now);
  }

  /** For tokens of this service. Returns a promise only if the credentials or scopes may be newer than the memory. */
  checkClient(caller: Caller, subject: string, again: () => void | Promise<void>): void | Promise<void> {
    if (refusalFor(caller, this.#options.clients.find(subject)) !== null)
      return this.#lookUp(subject, caller, again);
  }

  async #lookUp(id: string, caller: Caller, again: () => void | Promise<void>): Promise<void> {
    const refused = this.#refused;
    const known = refused.get(caller);
    if (known !== undefined) throw new Refusal(known);
    const code = refusalFor(caller, await this.#options.clients.lookUp(id));
    // The result may be older than the change.
    if (refused !== this.#refused) return again();
    if (code === null) return;
    refused.set(caller, code);
    throw new Refusal(code);
  }

  /** Loads what has changed. What could not be loaded is loaded with the next look. */
  async #load(): Promise<void> {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    try {
      await this.#read(changed);
      await this.#options.onChange(changed);
    } catch (error) {
      this.#changed = this.#changed.union(changed);
      throw error;
    }
  }

  async #read(changed: ReadonlySet<WatchedTable>): Promise<void> {
    const { store, clients } = this.#options;
    if (changed.has('consumers')) this.suspended = new Set(await store.suspendedConsumers());
    if (changed.has('revocations')) await this.revocations.load(store);
    if (changed.has('clients')) await clients.load();
    this.#refused = new WeakMap();
  }
}

/**
 * Null if the client is active and still has the credentials and all scopes of the token. Credentials of another client of
 * the same name have another id. Times are not compared: a clock that was set back issues tokens that seem older than their
 * client.
 */
function refusalFor(
  { credentialId, scopes }: Caller,
  client: ClientWithSecrets | null,
): 'client_disabled' | 'token_revoked' | null {
  if (client?.state !== 'active') return 'client_disabled';
  const isByKey = client.publicKeys !== null && credentialId === keyCredential(client.createdAt);
  const isBySecret = client.secrets.some(({ id }) => id === credentialId);
  if (!isByKey && !isBySecret) return 'client_disabled';
  return isGranted(scopes, client.scopes) ? null : 'token_revoked';
}
