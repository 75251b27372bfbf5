import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draftOf, type GroupDraft, readDraft } from '../../web/src/schema/draft.ts';
import { fieldsOfSchema } from '../../web/src/schema/shape.ts';
import './english.ts';

/** A property of every kind that a collection can declare. */
const schema = {
  required: ['title', 'amount', 'when'],
  additionalProperties: false,
  $defs: { colour: { enum: ['red', 'green', null] } },
  properties: {
    title: { type: 'string', maxLength: 80 },
    body: { type: 'string', maxLength: 2000, description: 'What it is about.' },
    amount: { type: 'integer', minimum: 1, maximum: 8 },
    weight: { type: 'number' },
    isDone: { type: 'boolean' },
    when: { type: 'string', format: 'date-time' },
    due_on: { type: 'string', format: 'date' },
    colour: { $ref: '#/$defs/colour' },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 3 },
    place: {
      type: 'object',
      required: ['city'],
      additionalProperties: false,
      properties: { city: { type: 'string', maxLength: 50 }, floor: { type: ['integer', 'null'] } },
    },
    extra: { type: 'object', additionalProperties: true },
    pairs: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
  },
};
const fields = fieldsOfSchema(schema);
const empty = draftOf(fields, {});

const record = {
  title: 'A table',
  body: 'By the window.',
  amount: 4,
  weight: 1.5,
  isDone: false,
  when: '2026-12-24T18:30:15.250Z',
  due_on: '2026-12-25',
  colour: 'green',
  tags: ['one', 'two'],
  place: { city: 'Lisbon', floor: 2 },
  extra: { any: ['thing'] },
  pairs: [[1, 2]],
};

describe('a form drawn from a schema', () => {
  it('each property has a matching input, and JSON is the fallback', () => {
    const kinds = Object.fromEntries(fields.map(({ name, shape }) => [name, shape.kind]));
    assert.deepEqual(kinds, {
      title: 'text',
      body: 'text',
      amount: 'number',
      weight: 'number',
      isDone: 'flag',
      when: 'moment',
      due_on: 'date',
      colour: 'choice',
      tags: 'list',
      place: 'group',
      extra: 'json',
      pairs: 'json',
    });
  });

  it('labels and hints come from names and constraints of the schema', () => {
    const about = (name: string) => fields.find((field) => field.name === name);
    assert.equal(about('due_on')?.label, 'Due on');
    assert.equal(about('isDone')?.label, 'Is done');
    assert.equal(about('amount')?.hint, 'From 1 to 8.');
    assert.equal(about('body')?.hint, 'What it is about. At most 2000 characters.');
    assert.equal(about('when')?.required, true);
    assert.equal(about('tags')?.required, false);
  });

  it('an unchanged form returns the record unchanged', () => {
    assert.deepEqual(readDraft(fields, draftOf(fields, record)), { values: record, errors: [] });
  });

  it('empty fields are omitted, even required ones, which the service then reports', () => {
    assert.deepEqual(readDraft(fields, empty), { values: { title: '' }, errors: [] });
  });

  it('a value of the wrong type is reported with its JSON pointer', () => {
    const draft: GroupDraft = { ...empty, amount: 'four', extra: '{', place: { city: 'Rome', floor: 'x' } };
    const { errors } = readDraft(fields, draft);
    const pointers = errors.map(({ pointer }) => pointer);
    assert.deepEqual(pointers, ['/amount', '/place/floor', '/extra']);
  });

  it('a number may have a decimal comma, and null can be chosen', () => {
    const { values } = readDraft(fields, { ...empty, weight: '2,5', colour: 'null' });
    assert.deepEqual(values, { title: '', weight: 2.5, colour: null });
  });
});
