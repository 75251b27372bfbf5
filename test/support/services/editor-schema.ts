import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { declarationSchema } from '../../../src/collections/declaration-schema.ts';

/** Checks like an editor, which ignores the formats and messages of the service. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const check = ajv.compile(declarationSchema);

/** The mistakes that the schema for editors finds in a declaration; null if there are none. */
export function schemaMistake(data: unknown): string | null {
  return check(data) ? null : ajv.errorsText(check.errors);
}

export function assertFits(data: unknown): void {
  assert.equal(schemaMistake(data), null, `the loader takes it: ${JSON.stringify(data)}`);
}
