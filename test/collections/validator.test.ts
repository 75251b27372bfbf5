import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { Schema } from '../../src/collections/collection.ts';
import { fitsFormat, formatNames } from '../../src/collections/formats.ts';
import { compileCheck } from '../../src/collections/validator.ts';
import { sized } from '../support/run/size.ts';
import { declared, withProperty } from '../support/services/declared.ts';
import { inLittleTime } from './little-time.ts';

/** The message about the only wrong field. */
function mistakeOf(property: string, value: unknown): string {
  const errors = declared(withProperty(`a: ${property}`)).checkFields({ a: value });
  assert.equal(errors.length, 1);
  return `${errors[0]?.pointer} ${errors[0]?.message}`;
}

const messages: readonly (readonly [property: string, value: unknown, message: string])[] = [
  ['{ type: string, maxLength: 3 }', 5, '/a must be a text'],
  ['{ type: integer }', 1.5, '/a must be a whole number'],
  ['{ type: number }', '1', '/a must be a number'],
  ['{ type: boolean }', 1, '/a must be true or false'],
  ['{ type: array, items: { type: integer } }', {}, '/a must be a list'],
  ['{ type: object }', [], '/a must be an object'],
  ['{ type: [integer, "null"] }', 'x', '/a must be a whole number or null'],
  ['{ type: integer, minimum: 1 }', 0, '/a must be at least 1'],
  ['{ type: integer, maximum: 8 }', 9, '/a must be at most 8'],
  ['{ type: number, exclusiveMinimum: 0 }', 0, '/a must be more than 0'],
  ['{ type: number, exclusiveMaximum: 1 }', 1, '/a must be less than 1'],
  ['{ type: number, multipleOf: 0.01 }', 0.005, '/a must be a multiple of 0.01'],
  ['{ type: string, minLength: 1, maxLength: 2 }', '', '/a must have at least 1 character'],
  ['{ type: string, maxLength: 2 }', 'abc', '/a must have at most 2 characters'],
  ['{ type: string, maxLength: 9, pattern: "^[a-z]+$" }', 'A', '/a must have the form ^[a-z]+$'],
  ['{ type: string, format: date }', 'today', '/a must be a date such as 2026-01-01'],
  ['{ enum: [one, 2, null] }', 'x', '/a must be one of "one", 2, null'],
  ['{ const: 5 }', 6, '/a must be 5'],
  ['{ type: array, minItems: 1, items: { type: integer } }', [], '/a must have at least 1 item'],
  ['{ type: array, maxItems: 1, items: { type: integer } }', [1, 2], '/a must have at most 1 item'],
  ['{ type: array, uniqueItems: true, items: { type: integer } }', [1, 1], '/a must not have an item twice'],
  ['{ type: array, items: { type: integer } }', [1, 'x'], '/a/1 must be a whole number'],
  [
    '{ type: array, items: { type: integer }, contains: { type: integer, minimum: 5 } }',
    [1],
    '/a must have at least 1 item of a certain form',
  ],
  ['{ required: [b], properties: { b: { type: integer } } }', {}, '/a/b is required'],
  ['{ properties: { b: { type: integer } } }', { c: 1 }, '/a/c is not a member of the schema'],
  ['{ properties: { "b/c": { type: integer } } }', { 'b/c': 'x' }, '/a/b~1c must be a whole number'],
  [
    '{ properties: { b: { type: integer }, c: { type: integer } }, dependentRequired: { b: [c] } }',
    { b: 1 },
    '/a/c is required when "b" is there',
  ],
  [
    '{ type: object, additionalProperties: { type: integer }, maxProperties: 1 }',
    { b: 1, c: 1 },
    '/a must have at most 1 member',
  ],
  [
    '{ type: object, additionalProperties: { type: integer }, propertyNames: { maxLength: 1 } }',
    { bc: 1 },
    '/a has a member with a name that is not allowed',
  ],
  [
    '{ anyOf: [{ type: integer }, { type: boolean }] }',
    'x',
    '/a must be one of the alternatives of the schema',
  ],
  [
    '{ oneOf: [{ type: integer }, { type: number }] }',
    5,
    '/a must be exactly one of the alternatives of the schema',
  ],
  ['{ type: integer, not: { const: 13 } }', 13, '/a is of a form that is not allowed'],
  ['{ type: integer, if: { minimum: 5 }, then: { multipleOf: 5 } }', 6, '/a must be a multiple of 5'],
];

describe('checkFields', () => {
  for (const [property, value, message] of messages) {
    it(`reports "${message}"`, () => assert.equal(mistakeOf(property, value), message));
  }

  it('reports each wrong field once in schema order, then unknown fields', () => {
    const { checkFields } = declared(`
schema:
  required: [d, a]
  properties:
    a: { type: integer, maximum: 5, multipleOf: 2 }
    b: { type: integer }
    c: { type: array, items: { type: integer } }
    d: { type: integer }`);
    const errors = checkFields({ unknown: 1, c: ['x', 'y'], b: 1, a: 7 });
    const lines = errors.map(({ pointer, message }) => `${pointer} ${message}`);
    assert.deepEqual(lines, [
      '/a must be at most 5',
      '/c/0 must be a whole number',
      '/d is required',
      '/unknown is not a member of the schema',
    ]);
  });

  it('reports a record-level fault when every field is valid', () => {
    const { checkFields } = declared(
      'schema:\n  properties: { a: { type: integer }, b: { type: integer } }\n  oneOf: [{ required: [a] }, { required: [b] }]',
    );
    assert.deepEqual(checkFields({ a: 1 }), []);
    assert.deepEqual(checkFields({ a: 1, b: 1 }), [
      { pointer: '', message: 'must be exactly one of the alternatives of the schema' },
    ]);
  });

  it('checks further members of an open schema', () => {
    const { checkFields } = declared(
      'schema:\n  properties: { a: { type: integer } }\n  additionalProperties: { type: boolean }',
    );
    assert.deepEqual(checkFields({ a: 1, b: true }), []);
    assert.deepEqual(checkFields({ b: 1 }), [{ pointer: '/b', message: 'must be true or false' }]);
    const open = declared('schema: {properties: {a: {type: integer}}, additionalProperties: true}');
    assert.deepEqual(open.checkFields({ b: 1 }), []);
  });

  it('is not misled by properties of Object.prototype', () => {
    const { checkFields } = declared(
      'schema:\n  required: [hasown]\n  properties: { hasown: { type: integer } }',
    );
    assert.equal(
      checkFields({ toString: 1 })
        .map(({ pointer }) => pointer)
        .join(),
      '/hasown,/toString',
    );
    const withProto = JSON.parse('{"__proto__": {"hasown": 1}}');
    assert.ok(checkFields(withProto).length > 0);
  });

  it('never repeats a value or a long name', () => {
    const { checkFields } = declared(withProperty('a: { type: object }'));
    const canary = 'canary-4711-'.repeat(20);
    const said = JSON.stringify(checkFields({ plain: canary, a: { [canary]: canary }, [canary]: canary }));
    assert.equal(said.includes('canary'), false, said);
    assert.equal(JSON.parse(said).length, 3);
  });

  it('reports at most 50 mistakes', () => {
    const { checkFields } = declared(withProperty('a: { type: object }'));
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]));
    assert.equal(inLittleTime(() => checkFields(many)).length, 50);
  });
});

describe('checkFields is fast with hostile input', () => {
  const long = 'a'.repeat(65_536);

  for (const pattern of [
    '(a+)+$',
    '^(a|a)*$',
    '(x+x+)+y',
    '^([a-z].*){20}z$',
    '.*a.{200}b',
    '(?:a?){120}a{120}b',
  ]) {
    it(`pattern ${pattern}`, () => {
      const { checkFields } = declared(
        withProperty(`a: { type: string, x-unbounded: true, pattern: "${pattern}" }`),
      );
      const hostile = [`${'a'.repeat(31)}!`, `${long}!`, `${'x'.repeat(65_536)}!`];
      for (const a of hostile) inLittleTime(() => checkFields({ a }));
    });
  }

  for (const format of formatNames) {
    it(`format ${format}`, () => {
      const hostile = ['a', '1', '-', '.', ':', '%41', 'a@', 'a.', '0:', '1-', 'P1', '/a'].map(
        (part) => `${part.repeat(65_536 / part.length)}!`,
      );
      for (const text of hostile) assert.ok(!inLittleTime(() => fitsFormat(format, text)));
    });
  }

  it('many long enums', () => {
    const long = Array.from({ length: 1_000 }, (_, index) => `v${index}`);
    const enums = Array.from({ length: 20 }, () => `{ enum: [${long}] }`);
    const { checkFields } = declared(
      withProperty(`a: { type: array, items: { anyOf: [${enums}, { type: integer }] } }`),
    );
    const items = Array.from({ length: 32_000 }, () => 1);
    const errors = inLittleTime(() => checkFields({ a: items }));
    assert.deepEqual(errors, []);
  });

  it('unique items', () => {
    const { checkFields } = declared(
      withProperty('a: { type: array, uniqueItems: true, items: { type: integer } }'),
    );
    const different = Array.from({ length: 10_000 }, (_, index) => index);
    const errors = inLittleTime(() => checkFields({ a: different }));
    assert.deepEqual(errors, []);
    assert.equal(inLittleTime(() => checkFields({ a: [...different, 0] })).length, 1);
  });

  it('deep nesting', () => {
    const { checkFields } = declared(withProperty('a: { type: object, additionalProperties: true }'));
    let deep: unknown = 1;
    for (let level = 0; level < 64; level += 1) deep = { deep };
    const errors = inLittleTime(() => checkFields({ a: deep }));
    assert.deepEqual(errors, []);
  });
});

describe('fitsFormat', () => {
  const fitting: Readonly<Record<string, readonly string[]>> = {
    'date-time': [
      '2026-01-01T08:00:00Z',
      '2024-02-29t23:59:59.123456789+14:00',
      '0000-01-01T00:00:00Z',
      '2000-02-29T00:00:00-00:00',
    ],
    date: ['2026-12-31', '2024-02-29'],
    time: ['08:00:00Z', '23:59:59.5+01:30'],
    duration: ['P1D', 'PT1S', 'P1Y2M3DT4H5M6S', 'P4W'],
    uuid: ['0b9a5c1e-6f1d-4b7e-9a53-2f1d8c7e4a60', '0B9A5C1E-6F1D-4B7E-9A53-2F1D8C7E4A60'],
    uri: ['https://example.org/a?b=c#d', 'mailto:a@example.org', 'urn:isbn:1'],
    email: ['a@example.org', "o'neill+x@mail.example.co", 'a@localhost'],
    ipv4: ['192.0.2.1'],
    ipv6: ['2001:db8::1', '::', '::ffff:192.0.2.1'],
    hostname: ['example.org', 'a', 'xn--bcher-kva.example'],
  };
  const unfitting: Readonly<Record<string, readonly string[]>> = {
    'date-time': [
      ...['2026-01-01 08:00:00Z', '2026-01-01T08:00:00', '2026-02-30T08:00:00Z', '2023-02-29T08:00:00Z'],
      ...['2026-01-01T24:00:00Z', '2026-01-01T08:00:60Z', '2026-01-01T08:00:00+0100', '2026-01-01'],
      ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', ''],
    ],
    date: ['2026-13-01', '2026-00-10', '2026-01-00', '1900-02-29', '26-01-01'],
    time: ['08:00', '08:00:00', '25:00:00Z'],
    duration: ['P', 'PT', 'P1', '1D', 'P1DT', 'P-1D'],
    uuid: ['urn:uuid:0b9a5c1e-6f1d-4b7e-9a53-2f1d8c7e4a60', '0b9a5c1e6f1d4b7e9a532f1d8c7e4a60'],
    uri: ['/a', 'example.org', 'https://exa mple.org', 'https://example.org/%zz', 'https://'],
    email: 'a|@example.org|a@|a..b@example.org|a.@example.org|a b@example.org|a@-x.org|a@b@c..d'.split('|'),
    ipv4: ['256.0.0.1', '1.2.3', '01.2.3.4'],
    ipv6: ['fe80::1%eth0', '1:2', '::g'],
    hostname: ['-a', 'a-', 'a..b', 'a_b', ''],
  };

  for (const format of formatNames) {
    it(`${format}: valid values pass, invalid ones do not`, () => {
      for (const text of fitting[format] ?? []) assert.equal(fitsFormat(format, text), true, text);
      for (const text of unfitting[format] ?? []) assert.equal(fitsFormat(format, text), false, text);
    });
  }
});

const word = fc.constantFrom('a', 'b', 'c', 'toString');
const leaf: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .record(
      { minimum: fc.integer({ min: -3, max: 3 }), multipleOf: fc.constantFrom(1, 2, 0.5) },
      { requiredKeys: [] },
    )
    .map((bounds) => ({ type: 'number', ...bounds })),
  fc
    .record(
      { minLength: fc.nat(2), maxLength: fc.nat(4), pattern: fc.constantFrom('^a', 'b$', '[^c]') },
      { requiredKeys: [] },
    )
    .map((bounds) => ({ type: 'string', ...bounds })),
  fc.constantFrom(
    { type: 'boolean' },
    { type: ['integer', 'null'] },
    { enum: [1, 'a', null] },
    { const: 'b' },
  ),
);
const schemaOf = (depth: number): fc.Arbitrary<Schema> =>
  depth === 0
    ? leaf
    : fc.oneof(
        leaf,
        fc
          .record({ items: schemaOf(depth - 1), maxItems: fc.nat(3) })
          .map((rest) => ({ type: 'array', ...rest })),
        fc.array(schemaOf(depth - 1), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.array(schemaOf(depth - 1), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
        objectOf(depth - 1),
      );
const objectOf = (depth: number): fc.Arbitrary<Schema> =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), schemaOf(depth), { minKeys: 1 }),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([properties, isOpen, isRequired]) => ({
      type: 'object',
      properties: { ...properties },
      required: isRequired ? Object.keys(properties).slice(0, 1) : [],
      additionalProperties: isOpen,
    }));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, -1, 2, 0.5, 1.25, 'a', 'b', 'c', 'ab', 'abcde', '', '😀'),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(word, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;

describe('checkFields compared with plain Ajv', () => {
  it('both agree on generated schemas and values', () => {
    fc.assert(
      fc.property(
        objectOf(2),
        fc.array(fc.dictionary(word, value, { maxKeys: 4, noNullPrototype: true }), { minLength: 5 }),
        (schema, samples) => {
          const plain = new Ajv2020({ multipleOfPrecision: 6 }).compile(schema);
          const checkFields = compileCheck(schema);
          for (const fields of samples) {
            const errors = checkFields(fields);
            assert.equal(errors.length === 0, plain(fields), JSON.stringify({ schema, fields, errors }));
            const tops = errors.map(({ pointer }) => pointer.split('/')[1]);
            assert.equal(new Set(tops).size, tops.length, 'one for each field at the top');
          }
        },
      ),
      { numRuns: sized(50, 1_000) },
    );
  });
});

describe('with --disallow-code-generation-from-strings', () => {
  it('collections are read and fields are checked', () => {
    const program = `
      import { readCollectionFiles } from './src/config/files.ts';
      import { readCollections } from './src/collections/read-collections.ts';
      let isAllowed = true;
      try { new Function('return 1'); } catch { isAllowed = false; }
      const [bookings] = readCollections(readCollectionFiles('collections'));
      const right = bookings.checkFields({ slot: '2026-01-01T08:00:00Z', seats: 2 });
      const wrong = bookings.checkFields({ slot: '2026-01-01T08:00:00Z', seats: 9 });
      process.stdout.write(JSON.stringify({ isAllowed, right, wrong }));`;
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', program];
    const shown = JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' }));
    assert.deepEqual(shown, {
      isAllowed: false,
      right: [],
      wrong: [{ pointer: '/seats', message: 'must be at most 8' }],
    });
  });
});
