import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { declarationSchema } from '../../src/collections/declaration-schema.ts';
import { checkCollections } from '../../src/collections/read-collections.ts';
import { sized } from '../support/run/size.ts';
import { sampleDeclarations } from '../support/services/declarations.ts';
import { declared } from '../support/services/declared.ts';
import { schemaMistake } from '../support/services/editor-schema.ts';

const plain = { schema: { properties: { a: { type: 'integer' } } } };
/** JSON is valid YAML. */
const readData = (data: unknown) =>
  checkCollections([{ name: 'things', path: 'things.yaml', text: JSON.stringify(data) }]);
const isTaken = (data: unknown) => readData(data).mistakes.length === 0;

/** `declared` also checks the valid declarations of the other tests against this schema. */
describe('the JSON Schema of declarations', () => {
  it('is valid JSON Schema 2020-12 and equals docs/collection.schema.json', () => {
    const ajv = new Ajv2020({ strict: false });
    assert.equal(ajv.validateSchema(declarationSchema), true, ajv.errorsText());
    const committed = readFileSync('docs/collection.schema.json', 'utf8');
    assert.equal(committed, `${JSON.stringify(declarationSchema, null, 2)}\n`);
  });

  it('uses no keyword that is newer than draft 07', () => {
    const later = /^(?:prefixItems|dependent\w+|unevaluated\w+|minContains)$/;
    const used = new Set<string>();
    const visit = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [keyword, value] of Object.entries(schema)) {
        used.add(keyword);
        const named = ['properties', '$defs'].includes(keyword);
        for (const part of named ? Object.values(value) : [value].flat()) visit(part);
      }
    };
    visit(declarationSchema);
    assert.ok(used.has('additionalProperties'));
    for (const keyword of used) assert.doesNotMatch(keyword, later);
  });

  it('accepts the sample and the documented declarations', () => {
    for (const text of Object.values(sampleDeclarations)) declared(text);
    const blocks = [...readFileSync('docs/collections.md', 'utf8').matchAll(/^```yaml\n([\s\S]*?)\n```$/gm)];
    assert.ok(blocks.length > 1);
    for (const [, text] of blocks) declared(String(text));
  });

  it('is linked from every example', () => {
    const examples = globSync('collections/*.yaml');
    assert.ok(examples.length > 1);
    for (const file of examples) {
      const text = readFileSync(file, 'utf8');
      const [, path] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];
      assert.equal(resolve('collections', String(path)), resolve('docs/collection.schema.json'), file);
      declared(text);
    }
  });

  it('refuses what the loader refuses, where a schema can', () => {
    const wrong = [
      {},
      { ...plain, tittle: 'x' },
      { ...plain, title: ' ' },
      { ...plain, access: { read: 'any body' } },
      { ...plain, access: null },
      { ...plain, limits: { per_user: 0 } },
      { ...plain, limits: { writes: 'often' } },
      { ...plain, editable: ['a'] },
      { ...plain, states: {} },
      { ...plain, states: { Open: {} } },
      { ...plain, events: 'all' },
      { schema: { properties: {} } },
      { schema: { properties: { id: { type: 'integer' } } } },
      { schema: { properties: { a: {} } } },
      { schema: { properties: { a: { type: 'string' } } } },
      { schema: { properties: { a: { type: 'array' } } } },
      { schema: { properties: { a: { type: 'integer', maxLength: 5 } } } },
      { schema: { properties: { a: { type: 'integer', maximun: 5 } } } },
      { schema: { properties: { a: { type: 'string', format: 'iri' } } } },
      { schema: { properties: { a: { anyOf: [{ type: 'string' }] } } } },
    ];
    for (const data of wrong) {
      assert.notEqual(schemaMistake(data), null, JSON.stringify(data));
      assert.equal(isTaken(data), false, JSON.stringify(data));
    }
  });

  it('accepts every generated declaration that the loader accepts', () => {
    let taken = 0;
    fc.assert(
      fc.property(anyDeclaration, (data) => {
        if (!isTaken(data)) return;
        taken += 1;
        assert.equal(schemaMistake(data), null);
      }),
      { numRuns: sized(300, 5_000) },
    );
    assert.ok(taken > 50, `only ${taken} were taken`);
  });
});

const word = fc.constantFrom('a', 'b', 'open', 'closed', 'created', 'x-y', 'A', '', ' ');
const scalar = fc.oneof(word, fc.integer({ min: -1, max: 9 }), fc.boolean(), fc.constant(null));
const bound = fc.constantFrom(0, 1, 5, 64, 1_000_000, -1, 0.5);
const typeName = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'null');
/** A member that is usually present. */
const often = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4, nil: undefined });
const seldom = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1, nil: undefined });
const record = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members);

const { field } = fc.letrec<{ field: unknown }>((tie) => ({
  field: record({
    type: often(fc.oneof(typeName, fc.tuple(typeName, fc.constant('null')), fc.tuple(typeName))),
    enum: seldom(fc.uniqueArray(scalar, { maxLength: 3 })),
    const: seldom(scalar),
    maxLength: often(bound),
    minimum: seldom(bound),
    multipleOf: seldom(bound),
    format: seldom(fc.constantFrom('date', 'uuid', 'iri')),
    pattern: seldom(fc.constantFrom('^a$', '[')),
    items: seldom(fc.oneof({ depthSize: 'small' }, fc.boolean(), tie('field'))),
    uniqueItems: seldom(fc.boolean()),
    properties: seldom(fc.dictionary(fc.constantFrom('a', 'b', 'c d'), tie('field'), { maxKeys: 2 })),
    required: seldom(fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 })),
    additionalProperties: seldom(fc.oneof({ depthSize: 'small' }, fc.boolean(), tie('field'))),
    anyOf: seldom(fc.array(tie('field'), { maxLength: 2 })),
    not: seldom(tie('field')),
    $ref: seldom(fc.constantFrom('#/$defs/a', '#/$defs/b', '#')),
    description: seldom(word),
    'x-unbounded': seldom(fc.boolean()),
  }).map(withoutHoles),
}));

const simpleField = fc.constantFrom(
  { type: 'integer' },
  { type: ['boolean', 'null'] },
  { type: 'string', maxLength: 9 },
  { enum: ['a', 1, null] },
  { $ref: '#/$defs/a' },
);
const state = fc.oneof(
  fc.constant(null),
  fc.dictionary(
    word,
    fc.oneof(word, record({ to: word, by: fc.constantFrom('owner', 'client', 'any', 'x', undefined) })),
    { maxKeys: 2 },
  ),
);
const unit = fc.constantFrom('s', 'm', 'min', 'h', 'd', 'day', 'minute', 'w');
const amount = fc.constantFrom('0', '1', '007', '30', '9999999');
const rate = fc.tuple(amount, unit).map(([count, each]) => `${count}/${each}`);
const period = fc.tuple(amount, unit).map(([count, each]) => `${count}${each}`);

/** Each member is valid often enough that a whole declaration is sometimes valid. */
const anyDeclaration = record({
  schema: record({
    type: seldom(fc.constantFrom('object', 'array')),
    $defs: fc.constant({ a: { type: 'integer' } }),
    properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(simpleField, simpleField, field), {
      minKeys: 1,
      maxKeys: 2,
    }),
    required: seldom(fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 })),
    additionalProperties: seldom(fc.boolean()),
  }).map(withoutHoles),
  title: seldom(scalar),
  index: seldom(fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 })),
  states: seldom(fc.dictionary(fc.constantFrom('open', 'closed', 'created'), state, { maxKeys: 2 })),
  editable: seldom(fc.array(fc.constantFrom('open', 'closed'), { maxLength: 2 })),
  access: seldom(
    record({
      read: fc.constantFrom('owner', 'everyone', undefined, null),
      clients: fc.constantFrom('none', 'own', 'any', undefined),
      scopes: seldom(record({ read: seldom(fc.constantFrom('a.read', 'a b', 'a"')) }).map(withoutHoles)),
    }).map(withoutHoles),
  ),
  concurrency: seldom(fc.constantFrom('optional', 'required', null)),
  limits: seldom(
    record({
      per_user: seldom(fc.oneof(bound, fc.constant(null))),
      bytes: seldom(fc.oneof(bound, fc.constant(null))),
      writes: seldom(rate),
      newcomer: seldom(fc.tuple(rate, period).map(([each, time]) => `${each} for ${time}`)),
      expire: seldom(period),
    }).map(withoutHoles),
  ),
  events: seldom(
    fc.oneof(
      fc.constantFrom('thin', 'full', 'none', 'all'),
      record({
        data: fc.constantFrom('thin', 'full', undefined),
        only: seldom(fc.uniqueArray(fc.constantFrom('created', 'open'), { maxLength: 2 })),
      }).map(withoutHoles),
    ),
  ),
  deprecated: seldom(
    record({
      since: fc.constantFrom('2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01t00:00:00.5+01:00', 'soon'),
      sunset: fc.constantFrom('2027-01-01', undefined),
      link: fc.constantFrom('https://example.org/', 'ftp://example.org', null, undefined),
    }).map(withoutHoles),
  ),
}).map(withoutHoles);

function withoutHoles(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
