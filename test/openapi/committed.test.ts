import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { builtInDocument } from '../../docs/openapi-document.ts';
import { breakingChanges } from './breaking.ts';

describe('docs/api/openapi.json', () => {
  it('equals the document generated from the code', () => {
    assert.equal(readFileSync('docs/api/openapi.json', 'utf8'), builtInDocument());
  });

  it('has no breaking change since docs/api/openapi-v1.json', () => {
    const released = JSON.parse(readFileSync('docs/api/openapi-v1.json', 'utf8'));
    assert.deepEqual(breakingChanges(released, JSON.parse(builtInDocument())), []);
  });
});
