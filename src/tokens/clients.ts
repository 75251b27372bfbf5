import { createPublicKey } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import { isScopeName } from '../base/scopes.ts';
import type {
  AuditLine,
  Client,
  ClientMac,
  ClientSecret,
  ClientState,
  ClientStore,
  ClientWithSecrets,
} from '../storage/port.ts';
import { createSecret, createSecretId, digestSecret, findSecret, secretSlots } from './secrets.ts';

interface ClientsOptions {
  readonly store: ClientStore;
  readonly clientMac: ClientMac;
  readonly secretKey: Uint8Array;
  readonly audit: AuditLine;
  readonly clock: Clock;
  /** Null if a JWKS (in JSON) has keys that can sign assertions, otherwise the reason. */
  readonly faultOfKeys: (keys: string) => string | null;
}

export interface NewClient {
  readonly id: string;
  readonly label: string;
  readonly scopes: readonly string[];
  /** The public key, as PEM, JWK or JWKS, of a client that authenticates with a key instead of secrets. */
  readonly publicKey: string | null;
}

/** Ids of another form are never looked up. */
export const clientIdForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const maxScopes = 50;

export function createClients({ store, clientMac, secretKey, audit, clock, faultOfKeys }: ClientsOptions) {
  const find = async (id: string): Promise<ClientWithSecrets | null> => {
    const client = await store.find(id);
    return clientMac.isGenuine(client) ? client : null;
  };

  /** A new secret, which is shown once, and its stored form. */
  const newSecret = (label: string) => {
    const secret = createSecret();
    const kept: ClientSecret = {
      id: createSecretId(),
      label,
      digest: digestSecret(secretKey, secret),
      createdAt: clock.now(),
      expiresAt: null,
      lastUsedOn: null,
    };
    return { secret, kept };
  };

  return {
    /** Returns the secret, which is shown only now and not stored; null for a client with its own keys. */
    async add({ id, label, scopes: named, publicKey }: NewClient): Promise<string | null> {
      if (!clientIdForm.test(id)) {
        throw new OperatorError(
          `A client id is 1 to 64 letters, digits, ".", "_" or "-" and starts with a letter or digit; found "${id}". Example: billing-service`,
        );
      }
      const scopes = checkedScopes(named);
      const publicKeys = publicKey === null ? null : asPublicKeys(publicKey);
      const fault = publicKeys === null ? null : faultOfKeys(publicKeys);
      if (fault !== null) throw new OperatorError(`The public key of the client cannot be used: ${fault}.`);
      const created = publicKeys === null ? newSecret('') : null;
      const client: Client = { id, label, state: 'active', scopes, publicKeys, createdAt: clock.now() };
      const credentials = created === null ? { public_keys: true } : { secret_id: created.kept.id };
      const line = audit('client.added', id, { scopes, ...credentials });
      if (!(await store.add(client, created?.kept ?? null, line))) {
        throw new OperatorError(
          `There is a client "${id}" already. Choose another id, or remove that one first.`,
        );
      }
      return created?.secret ?? null;
    },

    async hasSecret(id: string, secret: string): Promise<boolean> {
      const client = await find(id);
      return (
        client?.state === 'active' && findSecret(digestSecret(secretKey, secret), client.secrets) !== null
      );
    },

    /** Adds a second secret. With `retireAfterMs` the previous one expires; otherwise it stays valid until it is removed. */
    async rotate(id: string, label: string, retireAfterMs: number | null) {
      const client = await find(id);
      if (client === null) throw noSuchClient(id);
      if (client.publicKeys !== null) {
        throw new OperatorError(
          `Client "${id}" has a public key and no secret. To give it another key, remove it and add it again.`,
        );
      }
      const now = clock.now();
      const created = newSecret(label);
      const othersExpireAt = retireAfterMs === null ? null : now + retireAfterMs;
      const line = audit('client.secret_added', id, {
        secret_id: created.kept.id,
        ...(othersExpireAt === null ? {} : { others_expire_at: new Date(othersExpireAt).toISOString() }),
      });
      const limits = { now, maxLive: secretSlots, othersExpireAt };
      const outcome = await store.addSecret(id, created.kept, limits, line);
      if (outcome === 'no_such_client') throw noSuchClient(id);
      if (outcome === 'too_many') {
        throw new OperatorError(
          `Client "${id}" has ${secretSlots} live secrets, the most that a client can have. Remove one with: npx vestibule client remove-secret ${id} <secret-id>`,
        );
      }
      return { ...created, othersExpireAt };
    },

    async removeSecret(id: string, secretId: string): Promise<void> {
      const line = audit('client.secret_removed', id, { secret_id: secretId });
      if (await store.removeSecret(id, secretId, line)) return;
      throw new OperatorError(
        `Client "${id}" has no secret "${secretId}". "npx vestibule client list" shows the ids of its secrets.`,
      );
    },

    async setState(id: string, state: ClientState): Promise<void> {
      const line = audit(state === 'active' ? 'client.enabled' : 'client.disabled', id);
      if (!(await store.setState(id, state, line))) throw noSuchClient(id);
    },

    async setScopes(id: string, named: readonly string[]): Promise<readonly string[]> {
      const scopes = checkedScopes(named);
      const line = audit('client.scopes_changed', id, { scopes });
      if (!(await store.setScopes(id, scopes, line))) throw noSuchClient(id);
      return scopes;
    },

    async remove(id: string): Promise<void> {
      if (!(await store.remove(id, audit('client.removed', id)))) throw noSuchClient(id);
    },
  };
}

/** Removes duplicates. */
function checkedScopes(named: readonly string[]): readonly string[] {
  const scopes = [...new Set(named)];
  const odd = scopes.find((scope) => !isScopeName(scope));
  if (odd !== undefined) {
    throw new OperatorError(
      `A scope is a word of printable ASCII without quotes and backslashes; found "${odd}". Example: bookings.write`,
    );
  }
  if (scopes.length > maxScopes)
    throw new OperatorError(`A client has at most ${maxScopes} scopes; found ${scopes.length}.`);
  return scopes;
}

function noSuchClient(id: string): OperatorError {
  return new OperatorError(`There is no client "${id}". "npx vestibule client list" shows the clients.`);
}

/** Converts a PEM public key, a JWK or a JWKS to a JWKS in JSON. */
export function asPublicKeys(text: string): string {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    throw new OperatorError(
      "This is a private key, which is the client's own. Give the public key that belongs to it.",
    );
  }
  try {
    const isPem = text.includes('-----BEGIN');
    const value = isPem ? createPublicKey(text).export({ format: 'jwk' }) : JSON.parse(text);
    return JSON.stringify({ keys: Array.isArray(value.keys) ? value.keys : [value] });
  } catch {
    throw new OperatorError('Expected a public key in PEM, or a JWK or JWKS in JSON, and found neither.');
  }
}
