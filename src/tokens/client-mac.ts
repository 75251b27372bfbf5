import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { ClientMac, ClientWithSecrets } from '../storage/port.ts';

type Bound = Omit<ClientWithSecrets, 'mac'>;

/** Stands in where there is no client, so that one who is nobody takes as long as any other. */
const nobody: Bound = {
  id: '',
  label: '',
  state: 'disabled',
  scopes: [],
  publicKeys: null,
  createdAt: 0,
  secrets: [],
};
const noMac = new Uint8Array(32);

/** Over everything that decides who gets which token. Labels and the days of use decide nothing. */
export function createClientMac(key: Uint8Array): ClientMac {
  const secretKey = createSecretKey(key);
  const of = (client: Bound) =>
    createHmac('sha256', secretKey)
      .update(JSON.stringify(boundParts(client)))
      .digest();
  return {
    of,
    isGenuine(client) {
      const expected = of(client ?? nobody);
      const stored = client?.mac?.length === expected.length ? client.mac : noMac;
      return timingSafeEqual(expected, stored) && client !== null;
    },
  };
}

/** As JSON no two clients read alike. The secrets by their names, whatever order they were read in. */
function boundParts({ id, state, scopes, publicKeys, createdAt, secrets }: Bound) {
  const ofSecrets = secrets
    .map((secret) => [secret.id, Buffer.from(secret.digest).toString('base64'), secret.expiresAt])
    .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  return [id, state, scopes, publicKeys, createdAt, ofSecrets];
}
