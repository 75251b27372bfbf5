import { createKeyedDigest } from '../base/keyed-digest.ts';
import type { ClientMac, ClientWithSecrets } from '../storage/port.ts';

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
