import { describeOverview } from '../src/consumer/overview.ts';
import type { Schema } from '../src/openapi/openapi-types.ts';
import { objectType } from '../src/records/types/schema-type.ts';

/** web/src/api/overview.ts: the type of the overview, for the reference frontend. */
export function overviewTypes(): string {
  const schema = describeOverview().answers[200]?.content?.['application/json']?.schema as Schema;
  return `// Made by "npm run docs" from the schema of declarations. Do not edit.\n\nexport interface Overview ${objectType(closed(schema), 'write')}\n`;
}

/** Without other keys, which a later version of the API may add. */
function closed(schema: Schema): Schema {
  const parts = Object.entries(schema).map(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [name, closed(value as Schema)]
      : [name, value],
  );
  const isObject = schema.type === 'object' && schema.properties !== undefined;
  return { ...Object.fromEntries(parts), ...(isObject ? { additionalProperties: false } : {}) };
}
