import fc from 'fast-check';
import { jsonForms, keySets, namesOf, segmentForms, signatures } from './token-forms.ts';

/** The differences of a generated token and key set from good ones, as plain data for failure messages. */
export type Change =
  | { readonly kind: 'header' | 'claim'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'time'; readonly name: string; readonly offsetSeconds: number }
  | { readonly kind: 'twice'; readonly part: Part; readonly name: string; readonly value: unknown }
  | { readonly kind: 'json'; readonly part: Part; readonly how: keyof typeof jsonForms }
  | { readonly kind: 'segment'; readonly index: number; readonly how: keyof typeof segmentForms }
  | { readonly kind: 'signature'; readonly how: keyof typeof signatures }
  | { readonly kind: 'key'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'keySet'; readonly how: keyof typeof keySets };
export type Part = 'header' | 'claims';

/** Valid apart from its changes, or an unsigned text. */
export type Case = { readonly changes: readonly Change[] } | { readonly garbage: string };

const oddValues = [
  ...[null, true, 0, 1, -1, 1.5, 2 ** 53, '', ' ', '\0', 'x', '\ud800', 'JWT', 'at+jwt'],
  ...[[], [''], {}, { length: 1, 0: 'x' }, '__proto__', 'constructor'],
];
/** What stands for the right value in a list of values; the builder puts it in. */
export const right = '(the right value)';

const headerValues: Record<string, readonly unknown[]> = {
  alg: ['none', 'HS256', 'RS384', 'RS512', 'PS256', 'ES256', 'EdDSA', 'rs256', 'RS256 ', ['RS256']],
  kid: ['(another)', '(a third)', 'x'.repeat(512), 'x'.repeat(513), [right], `${right} `],
  typ: ['application/at+jwt', 'AT+JWT', 'jwt', 'logout+jwt', 'dpop+jwt', 'application/jwt', 'application/'],
  crit: [['exp'], ['b64'], ['unheard-of']],
  b64: [false, true],
  jku: ['http://127.0.0.1:9/jwks'],
  jwk: ['(the key of the attacker)'],
  x5c: [['MIIB']],
  zip: ['DEF'],
  enc: ['A256GCM'],
  cty: ['JWT'],
  'unheard-of': [],
};
const claimValues: Record<string, readonly unknown[]> = {
  iss: [`${right}/`, [right], 'https://other.example', `${right} `],
  aud: [[right], [right, 'x'], [right, 1], [[right]], `${right}/`, 'https://other.example', { 0: right }],
  sub: ['someone else', 'x'.repeat(300), 'e\u0301', '\u00e9'],
  exp: [undefined, '9999999999', 1e15, 253_402_300_799, 253_402_300_800],
  nbf: ['0', 1e15],
  iat: ['0', 1e15],
  scope: ['read', 'write', 'read  write', 'read\twrite', ['read'], 'reader', 'READ', 'write read'],
  client_id: ['a client'],
  azp: ['a client'],
  gty: ['client-credentials'],
  typ: ['Bearer', 'ID', 'Refresh'],
  nonce: ['n'],
  at_hash: ['h'],
  events: [{}],
  jti: [],
  cnf: [{ jkt: 'x' }],
  act: [{ sub: 'x' }],
};
const keyValues: Record<string, readonly unknown[]> = {
  use: ['sig', 'enc', 'SIG', ['sig']],
  alg: ['RS256', 'RS512', 'PS256', 'HS256', ['RS256']],
  key_ops: [['verify'], ['sign'], ['encrypt', 'verify'], ['verify', 'verify'], ['verify', 1], 'verify'],
  kid: ['(another)'],
  kty: ['EC', 'oct', 'rsa', 'OKP'],
  n: ['AA', 'AQAB', `${right}=`, `AAAA${right}`, `${right}AA`],
  e: ['AQ', 'Ag', 'Aw', 'AAEAAQ', 'AQAB=', 'AQABAQABAQAB'],
  d: ['AQAB'],
  x5c: [['MIIB']],
  ext: [true, 'yes'],
  crv: ['P-256'],
  k: ['AAAA'],
};

function member(kind: 'header' | 'claim' | 'key', table: Record<string, readonly unknown[]>) {
  return fc.constantFrom(...Object.entries(table)).chain(([name, own]) =>
    fc.record({
      kind: fc.constant(kind),
      name: fc.constant(name),
      value: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...own, right) },
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: 2, arbitrary: fc.constantFrom(...oddValues) },
        { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
      ),
    }),
  );
}

const part = fc.constantFrom<Part>('header', 'claims');

type Fields<K> = Omit<Extract<Change, { kind: K }>, 'kind'>;

function changes<K extends Change['kind']>(
  weight: number,
  kind: K,
  fields: { [N in keyof Fields<K>]: fc.Arbitrary<Fields<K>[N]> },
) {
  const arbitrary = fc.record({ kind: fc.constant(kind), ...fields });
  return { weight, arbitrary: arbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<Change> };
}

const how = <T extends object>(forms: T) => fc.constantFrom(...namesOf(forms));

/** Changes of the token alone. */
const tokenChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: member('header', headerValues) },
  { weight: 6, arbitrary: member('claim', claimValues) },
  changes(2, 'time', {
    name: fc.constantFrom('exp', 'nbf', 'iat'),
    // Not within a second of the tolerance: test/attack/claims.test.ts looks at that with a clock of its own.
    offsetSeconds: fc.constantFrom(-86_400, -60, -20, -1, 0, 1, 20, 60, 0.5, 86_400),
  }),
  changes(1, 'twice', {
    part,
    name: fc.constantFrom('alg', 'kid', 'iss', 'aud', 'exp', 'sub'),
    value: fc.constantFrom<unknown>(right, 'other', 0, null),
  }),
  changes(1, 'json', { part, how: how(jsonForms) }),
  changes(1, 'segment', { index: fc.nat(2), how: how(segmentForms) }),
  changes(2, 'signature', { how: how(signatures) }),
);

const keyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 2, arbitrary: member('key', keyValues) },
  changes(1, 'keySet', { how: how(keySets) }),
);

const base64urlText = fc.string({
  unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'),
});
/** Any but a half of a surrogate pair, as the unit "binary" is, which takes two seconds and 90 MB to list them all first. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .filter((point) => point < 0xd8_00 || point > 0xdf_ff)
  .map(
    (point) => String.fromCodePoint(point),
    (character) => String(character).codePointAt(0) ?? 0,
  );
const garbage: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(base64urlText, { maxLength: 6 }).map((parts) => parts.join('.')),
  fc
    .array(fc.json(), { minLength: 3, maxLength: 3 })
    .map((parts) => parts.map((text) => Buffer.from(text).toString('base64url')).join('.')),
);

const some = (change: fc.Arbitrary<Change>): fc.Arbitrary<Case> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ changes: fc.array(change, { maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ garbage }) },
  );

/** Tokens of which only the token itself is changed, for a service whose provider publishes one key. */
export const tokenCases = some(tokenChange);
export const tokenAndKeySetCases = some(
  fc.oneof({ weight: 3, arbitrary: tokenChange }, { weight: 2, arbitrary: keyChange }),
);
