import type { PseudoRandom } from '../run/pseudo-random.ts';

/** Pieces that mean something to some parser on the way: separators, escapes, values and whole lines. */
const pieces = [
  ...[...'\r\n\0 \t:,;"\\/%#?={}[]', '\r\n', '..', '%zz', '%00', '%2e'],
  ...['-1', '0', '1e999', '99999999999999999999', 'true', 'null', '__proto__', 'constructor'],
  ...['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Host: x\r\n', 'Expect: 100-continue\r\n'],
  ...['Authorization: Bearer x\r\n', '__proto__: x\r\n', 'HTTP/1.0', 'HTTP/2.0', '\u00ff\u00fe', 'Bearer '],
];

type Mutation = (bytes: Buffer, random: PseudoRandom) => Buffer;

function splice(bytes: Buffer, at: number, remove: number, insert: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]);
}

const nothing = Buffer.alloc(0);
const mutations: readonly Mutation[] = [
  (bytes, random) => splice(bytes, random.below(bytes.length), 1, random.bytes(1)),
  (bytes, random) => splice(bytes, random.below(bytes.length), 1 + random.below(20), nothing),
  (bytes, random) => splice(bytes, random.below(bytes.length), 0, random.bytes(1 + random.below(8))),
  (bytes, random) => splice(bytes, random.below(bytes.length), 0, Buffer.from(random.pick(pieces), 'latin1')),
  (bytes, random) => splice(bytes, random.below(bytes.length), 3, Buffer.from(random.pick(pieces), 'latin1')),
  (bytes, random) => {
    const from = random.below(bytes.length);
    return splice(bytes, random.below(bytes.length), 0, bytes.subarray(from, from + random.below(60)));
  },
];

/** One to three small changes anywhere in some bytes. */
export function mutate(bytes: Buffer, random: PseudoRandom): Buffer {
  let mutated = bytes;
  for (let count = 1 + random.below(3); count > 0 && mutated.length > 0; count -= 1)
    mutated = random.pick(mutations)(mutated, random);
  return mutated;
}

/** Any JSON value, of the kinds that programs are not prepared for. */
export function anyJson(random: PseudoRandom, depth = 0): unknown {
  const leaves = [null, true, 0, -1, 1.5, 2 ** 53, '', 'x', '\0', '\ud800', '__proto__', 'x'.repeat(300)];
  const kind = random.below(depth > 3 ? 1 : 4);
  if (kind === 2) return Array.from({ length: random.below(4) }, () => anyJson(random, depth + 1));
  if (kind === 3) {
    const names = ['client_id', 'client_secret', '__proto__', 'constructor', 'toString', 'length', ''];
    return Object.fromEntries(
      Array.from({ length: random.below(4) }, () => [random.pick(names), anyJson(random, depth + 1)]),
    );
  }
  return random.pick(leaves);
}
