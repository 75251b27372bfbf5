import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject } from '../../src/base/strict-json.ts';
import { readCollections } from '../../src/collections/read-collections.ts';
import { describeOverview, overview } from '../../src/consumer/overview.ts';
import type { Schema } from '../../src/openapi/openapi-types.ts';

/** Together they have every key of a declaration. */
const declarations = {
  clubs: `
title: Clubs
singular: Club
description: People who meet.
schema:
  required: [label, seats, until]
  properties:
    label: { type: string, maxLength: 20 }
    seats: { type: integer }
    until: { type: string, format: date-time }
    note: { type: string, maxLength: 20 }
    key: { type: string, maxLength: 20 }
index: [seats]
search: [label]
history: true
concurrency: required
aliases: { card: names, name: called }
roles:
  member: { invited_by: owner, max: 5 }
  keeper: { max_per_user: 2 }
  auditor: { scope: clubs.audit }
  owner: { invited_by: owner, previous_owner: member }
access:
  create: everyone
  read: [owner, member, keeper, auditor]
  update: { owner: [open] }
  delete: owner
  clients: own
  scopes: { read: clubs.read, write: clubs.write }
states:
  open: { keep: { to: kept, by: member, grants: keeper, sets: [key], clears: [note] } }
  kept: { give: { to: open, by: keeper, revokes: keeper } }
unique: [{ fields: [label], states: [open], reveals: true }]
limits: { newcomer: 5/day for 7d, expire: 90d }
events: full
deprecated: { since: 2026-01-01, sunset: 2027-01-01, link: "https://example.org/changes" }`,
  seats: `
parent:
  field: club
  collection: clubs
  accepts: { states: [open], before: until }
  owned_by: parent
  on_delete: cascade
  max: 9
  capacity: { states: [taken], number: 1, overflow: waiting }
  counts: [taken]
schema: { properties: { text: { type: string, maxLength: 20 } } }
roles: { person: { parent_roles: [owner, member] }, helper: { max_per_user: 2 } }
access: { create: person, read: [owner, person] }
states:
  taken:
    help:
      { to: taken, by: owner, grants: helper, chosen_from: person, revokes: helper, while_parent_accepts: true }
  waiting: {}`,
  visits: `
parent: { field: club, collection: clubs, capacity: { states: [planned], field: seats } }
schema: { properties: { text: { type: string, maxLength: 20 } } }
states: { planned: {} }`,
  names: `
parent: { field: club, collection: clubs }
schema: { required: [called], properties: { called: { type: string, maxLength: 40 } } }
aliases: true`,
};

/** The keys of the schema that none of these values has, as paths. */
function missing({ properties, additionalProperties: named, items }: Schema, values: unknown[]): string[] {
  if (isJsonObject(named)) return missing(named, values.filter(isJsonObject).flatMap(Object.values));
  if (isJsonObject(items)) return missing(items, values.flat());
  return Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([key, schema]) => {
    const found = values.filter(isJsonObject).flatMap((value) => (value[key] == null ? [] : [value[key]]));
    return found.length === 0 ? [key] : missing(schema, found).map((path) => `${key}/${path}`);
  });
}

describe('the overview', () => {
  it('shows every key of a declaration that its schema describes', () => {
    const files = Object.entries(declarations).map(([name, text]) => ({ name, path: `${name}.yaml`, text }));
    const answer = overview(readCollections(files))({} as never) as unknown as { readonly text: string };
    const schema = describeOverview().answers[200]?.content?.['application/json']?.schema as Schema;
    assert.deepEqual(missing(schema, [JSON.parse(answer.text)]), []);
  });
});
