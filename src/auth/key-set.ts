import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../base/strict-json.ts';

/** More keys than any provider publishes; each one costs work to import. */
const maxKeys = 100;

export interface KeySet {
  readonly keys: readonly UsableKey[];
  /** The faults of published keys that must not be used. */
  readonly alarms: readonly KeyFault[];
  /** Equal for equal sets of usable keys and for no others. */
  readonly fingerprint: string;
  find(kid: string | undefined, algorithm: string): KeyObject | undefined;
}

/** Reads a JWKS document; returns a sentence if it has no usable key. */
export function readKeySet(document: unknown, algorithms: readonly string[]): KeySet | string {
  if (typeof document !== 'object' || document === null) return 'the answer is not a key set';
  const { keys } = document as { keys?: unknown };
  if (!Array.isArray(keys)) return 'the answer is not a key set';
  if (keys.length > maxKeys) return `the answer has ${keys.length} keys, and at most ${maxKeys} are accepted`;
  const judged = keys.map((key) => admitKey(key, algorithms));
  const admitted = judged.filter((verdict) => typeof verdict !== 'string');
  const faults = judged.filter((verdict) => typeof verdict === 'string');
  const byKid = Map.groupBy(keys, (key) => (key as { kid?: unknown } | null)?.kid);
  // Two keys with the same name are both unusable.
  const usable = admitted.filter(({ kid }) => kid === undefined || byKid.get(kid)?.length === 1);
  for (let index = usable.length; index < admitted.length; index += 1) faults.push('kid_duplicate');
  if (usable.length === 0)
    return `no key is usable: ${[...new Set(faults)].sort().join(', ') || 'the set is empty'}`;
  const fingerprint = usable
    .map((key) => key.fingerprint)
    .sort()
    .join('\n');
  return {
    keys: usable,
    alarms: faults.filter((fault) => !harmless.has(fault)).sort(),
    fingerprint,
    find: finder(usable),
  };
}

function finder(keys: readonly UsableKey[]): KeySet['find'] {
  const byKid = new Map(keys.map((key) => [key.kid, key]));
  return (kid, algorithm) => {
    // A token without `kid` is accepted only if there is one key; keys are never tried in turn.
    const only = keys.length === 1 ? keys[0] : undefined;
    const named = kid === undefined ? only : byKid.get(kid);
    return named?.algorithms.includes(algorithm) ? named.key : undefined;
  };
}

/** Why a published key is not used. A closed list, because it becomes a log field. */
export type KeyFault =
  | 'not_an_object'
  | 'symmetric'
  | 'private'
  | 'kty_unknown'
  | 'not_for_signatures'
  | 'algorithm_not_allowed'
  | 'modulus_size'
  | 'modulus_even'
  | 'exponent'
  | 'unreadable'
  | 'kid_invalid'
  | 'kid_duplicate';

/** Faults of keys for other purposes. Every other fault is reported. */
const harmless: ReadonlySet<KeyFault> = new Set([
  'kty_unknown',
  'not_for_signatures',
  'algorithm_not_allowed',
]);

interface UsableKey {
  readonly kid: string | undefined;
  /** Equal for equal keys and for no others. */
  readonly fingerprint: string;
  readonly algorithms: readonly string[];
  readonly key: KeyObject;
}

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
/** Two names for one algorithm (RFC 8037, RFC 9864). */
const edAlgorithms = ['EdDSA', 'Ed25519'];
const curveAlgorithms: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
};
const minModulusBits = 2048;
/** Verification slows down with the square of the size: a giant key is a denial of service. */
const maxModulusBits = 8192;
const maxExponentBytes = 4;

/** Decides whether a published key may verify signatures, and with which algorithms. */
export function admitKey(
  key: unknown,
  allowed: readonly string[],
  maxBits = maxModulusBits,
): UsableKey | KeyFault {
  if (!isJsonObject(key)) return 'not_an_object';
  if (key.kty === 'oct') return 'symmetric';
  if (Object.hasOwn(key, 'd')) return 'private';
  if (key.kid !== undefined && (typeof key.kid !== 'string' || key.kid === '')) return 'kid_invalid';
  if (!isForVerification(key)) return 'not_for_signatures';

  const fitting = fittingAlgorithms(key);
  if (fitting === null) return 'kty_unknown';
  const algorithms = fitting.filter(
    (name) => allowed.includes(name) && (key.alg === undefined || isSameAlgorithm(key.alg, name)),
  );
  if (algorithms.length === 0) return 'algorithm_not_allowed';

  const rsaFault = key.kty === 'RSA' ? faultOfRsa(key, maxBits) : null;
  if (rsaFault !== null) return rsaFault;
  try {
    const imported = createPublicKey({ key: publicPart(key), format: 'jwk' });
    const canonical = imported.export({ format: 'jwk' });
    // A key has one canonical form. An RSA modulus may begin with a zero byte, because some publishers add one.
    if (key.kty !== 'RSA' && (canonical.x !== key.x || canonical.y !== key.y)) return 'unreadable';
    return {
      kid: key.kid,
      fingerprint: JSON.stringify([key.kid, canonical, algorithms]),
      algorithms,
      key: imported,
    };
  } catch {
    return 'unreadable';
  }
}

function isForVerification({ use, key_ops: operations }: JsonObject): boolean {
  const useFits = use === undefined || use === 'sig';
  const operationsFit =
    operations === undefined ||
    (Array.isArray(operations) && operations.length === 1 && operations[0] === 'verify');
  return useFits && operationsFit;
}

function fittingAlgorithms({ kty, crv }: JsonObject): readonly string[] | null {
  if (kty === 'RSA') return rsaAlgorithms;
  if (kty === 'OKP' && crv === 'Ed25519') return edAlgorithms;
  if (kty === 'EC' && typeof crv === 'string' && Object.hasOwn(curveAlgorithms, crv)) {
    return [curveAlgorithms[crv] as string];
  }
  return null;
}

function isSameAlgorithm(stated: unknown, name: string): boolean {
  return stated === name || (edAlgorithms.includes(name) && edAlgorithms.includes(String(stated)));
}

/** With an exponent of 1 every message is its own signature, and Node's verify would accept it. */
function faultOfRsa({ n, e }: { n?: unknown; e?: unknown }, maxBits: number): KeyFault | null {
  const modulus = unsignedInteger(n);
  const exponent = unsignedInteger(e);
  if (modulus === null || exponent === null) return 'unreadable';
  const bits = modulus.length * 8 - Math.clz32(modulus[0] as number) + 24;
  if (bits < minModulusBits || bits > maxBits) return 'modulus_size';
  if (!isOdd(modulus)) return 'modulus_even';
  const exponentIsOne = exponent.length === 1 && exponent[0] === 1;
  if (!isOdd(exponent) || exponentIsOne || exponent.length > maxExponentBytes) return 'exponent';
  return null;
}

/** The bytes of a base64url number without leading zeros; null if it is no such number or is zero. */
function unsignedInteger(value: unknown): Buffer | null {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]+$/.test(value)) return null;
  const bytes = Buffer.from(value, 'base64url');
  const start = bytes.findIndex((byte) => byte !== 0);
  return start === -1 ? null : bytes.subarray(start);
}

function isOdd(number: Buffer): boolean {
  return ((number.at(-1) as number) & 1) === 1;
}

function publicPart({ kty, n, e, crv, x, y }: JsonObject): JsonWebKeyInput['key'] {
  const members = Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as JsonWebKeyInput['key'];
}
