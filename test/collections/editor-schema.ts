import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { declarationSchema } from '../../src/collections/declaration-schema.ts';

/** As an editor does it: the formats and messages of the service are unknown there, and ignored. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const check = ajv.compile(declarationSchema);

/** What the schema for editors says is wrong with the data of a declaration; null when nothing is. */
export function schemaMistake(data: unknown): string | null {
  return check(data) ? null : ajv.errorsText(check.errors);
}

/** What the loader takes fits the schema. */
export function assertFits(data: unknown): void {
  assert.equal(schemaMistake(data), null, `the loader takes it: ${JSON.stringify(data)}`);
}
