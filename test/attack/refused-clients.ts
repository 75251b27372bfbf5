import { generateKeyPairSync } from 'node:crypto';
import type { openAdministration } from '../../src/compose/administration.ts';
import { createSecret } from '../../src/tokens/secrets.ts';
import { anyLine, newClient, newSecret } from '../support/databases/records.ts';
import type { Credentials } from '../support/tokens/token-endpoint.ts';

interface RefusedClients {
  /** Valid credentials; the refused ones differ from them by one fault each. */
  readonly good: Readonly<Record<string, Credentials>>;
  /** Credentials that are refused, each for its own reason that no caller may learn. */
  readonly refused: Readonly<Record<string, Credentials>>;
}

type Administration = Awaited<ReturnType<typeof openAdministration>>;

/** Adds the clients for every reason to refuse one. */
export async function addRefusedClients({ clients, storage }: Administration): Promise<RefusedClients> {
  const add = async (id: string, publicKey: string | null = null): Promise<Credentials> => ({
    id,
    secret: (await clients.add({ id, label: '', scopes: [], publicKey })) ?? createSecret(),
  });
  const one = await add('one-secret');
  const two = await add('two-secrets');
  const { secret: second } = await clients.rotate(two.id, '', null);
  const expired = await add('expired-secret');
  const { secret: successor } = await clients.rotate(expired.id, '', 0);
  const disabled = await add('disabled-client');
  await clients.setState(disabled.id, 'disabled');
  const removed = await add('removed-client');
  await clients.remove(removed.id);
  const { publicKey } = generateKeyPairSync('ed25519');
  const withKey = await add('client-with-key', publicKey.export({ format: 'pem', type: 'spki' }));
  const damaged = { id: 'damaged-digest', secret: createSecret() };
  const cutShort = newSecret({ digest: new Uint8Array(5) });
  await storage.clients.add(newClient({ id: damaged.id }), cutShort, anyLine);
  return {
    good: {
      'the only secret': one,
      'the first of two': two,
      'the second of two': { id: two.id, secret: second },
      'the successor of one that expired': { id: expired.id, secret: successor },
    },
    refused: {
      'an unknown client': { id: 'unknown-client', secret: one.secret },
      'an id that no client can have': { id: '?', secret: one.secret },
      'an id longer than any': { id: 'x'.repeat(5_000), secret: one.secret },
      'a wrong secret': { id: one.id, secret: createSecret() },
      'a secret that begins like the right one': { id: one.id, secret: `${one.secret.slice(0, -4)}----` },
      'a short secret': { id: one.id, secret: 'x' },
      'a long secret': { id: one.id, secret: 'x'.repeat(5_000) },
      'the secret of another client': { id: one.id, secret: two.secret },
      'a wrong secret of a client with two': { id: two.id, secret: createSecret() },
      'an expired secret': expired,
      'a disabled client': disabled,
      'a removed client': removed,
      'a client with a key and no secret': withKey,
      'a client whose stored digest is damaged': damaged,
    },
  };
}
