import { isJsonObject } from '../json-object.ts';
import {
  createCompiler,
  errorWords,
  type JsonSchema,
  type SchemaCheck,
  type SchemaError,
} from '../json-schema.ts';
import { pointerTo } from './json-pointer.ts';
import { found, listed, nearest, type Say, suggestion, type Tell } from './mistakes.ts';

/** By format: what is wrong with a text, such as "must be a date"; null when nothing is. */
export type Formats = Readonly<Record<string, (text: string) => string | null>>;

/** Says every mistake in the data; true if there is none. Fills in the defaults of the schema. */
export type CheckForm = (data: unknown, say: Say, at?: string) => boolean;

/** An operator may have written a secret in the place of its file. */
const redacted = 'what was found is not shown, since it may be the secret itself';

/**
 * Checks data of a YAML file against a JSON Schema without `$ref`. `errorMessage` of a schema replaces the message of the
 * keyword (some editors show it, too), `format` is one of `formats`, and the value of a `writeOnly` schema is not repeated.
 */
export function createFormCheck(schema: JsonSchema, formats: Formats = {}, tell: Tell = found): CheckForm {
  let check: SchemaCheck | null = null;
  return (data, say, at = '') => {
    check ??= createCompiler({
      strictTypes: false,
      allErrors: true,
      verbose: true,
      useDefaults: true,
      keywords: ['errorMessage'],
      // A declaration is read once: compiling takes longer than checking.
      code: { optimize: false },
      formats: Object.fromEntries(
        Object.entries(formats).map(([name, mistake]) => [name, (text: string) => mistake(text) === null]),
      ),
    })(schema);
    if (check(data)) return true;
    const places = new Set<string>();
    for (const error of withoutParts(check.errors ?? [])) {
      const place = placeOf(error);
      if (places.has(place)) continue;
      places.add(place);
      say(
        `${at}${error.keyword === 'required' ? error.instancePath : place}`,
        predicateOf(error, formats, tell),
      );
    }
    return false;
  };
}

/** Alternatives and conditions also report what failed inside them, and a misspelt member is reported as missing, too. */
function withoutParts(errors: readonly SchemaError[]): readonly SchemaError[] {
  const whole = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'contains');
  const isMisspelt = ({ instancePath, params: { missingProperty } }: SchemaError) =>
    missingProperty !== undefined &&
    errors.some(
      ({ instancePath: at, params: { additionalProperty: name } }) =>
        at === instancePath && name !== undefined && nearest(name, [missingProperty]) !== null,
    );
  return errors.filter(
    (error) =>
      error.keyword !== 'if' &&
      error.keyword !== 'propertyNames' &&
      !whole.some(({ schemaPath }) => error.schemaPath.startsWith(`${schemaPath}/`)) &&
      !isMisspelt(error),
  );
}

function placeOf({ instancePath, params, propertyName }: SchemaError): string {
  const member = propertyName ?? params.missingProperty ?? params.additionalProperty;
  if (member !== undefined) return pointerTo(instancePath, member);
  return params.j === undefined ? instancePath : `${instancePath}/${Math.max(params.i, params.j)}`;
}

function messageFor({ keyword, parentSchema, params }: SchemaError): string | null {
  if (keyword === 'additionalProperties' || keyword === 'uniqueItems') return null;
  const schema = keyword === 'required' ? parentSchema?.properties?.[params.missingProperty] : parentSchema;
  return schema?.errorMessage ?? null;
}

function predicateOf(error: SchemaError, formats: Formats, tell: Tell): string {
  const { keyword, params, parentSchema = {}, data, propertyName } = error;
  const message = messageFor(error);
  if (keyword === 'not' || propertyName !== undefined) return message ?? 'is not taken here';
  if (keyword === 'additionalProperties')
    return `is not known here; ${suggestion(params.additionalProperty, Object.keys(parentSchema.properties ?? {}))}`;
  if (keyword === 'required') return `has no "${params.missingProperty}", which ${message ?? 'is needed'}`;
  if (keyword === 'uniqueItems') return 'is there twice. Keep one of the two';
  const expected = formatMistake(parentSchema, data, formats) ?? message ?? expectedBy(error);
  if (parentSchema.writeOnly === true) return `${expected}; ${redacted}`;
  const isCount = /^(min|max)(Items|Properties)$/.test(keyword);
  return `${expected}; ${isCount ? `found ${Object.keys(data as object).length}` : tell(data)}`;
}

function formatMistake({ format }: JsonSchema, data: unknown, formats: Formats): string | null {
  return typeof data === 'string' ? (formats[String(format)]?.(data) ?? null) : null;
}

function expectedBy({ keyword, params, parentSchema = {} }: SchemaError): string {
  const { type, minimum, maximum, properties, examples } = parentSchema;
  const example = Array.isArray(examples) ? ` such as ${JSON.stringify(examples[0])}` : '';
  if (keyword === 'type' && type === 'object')
    return `must be a mapping${isJsonObject(properties) ? ` with members such as "${Object.keys(properties)[0]}"` : example}`;
  if (keyword === 'type' && type === 'array') return `must be a list${example}`;
  const choices: unknown = params.allowedValues;
  if (Array.isArray(choices) && choices.every((one) => typeof one === 'string'))
    return `must be ${listed(choices, 'or')}`;
  if (type === 'integer' && minimum !== undefined && maximum !== undefined)
    return `must be a whole number from ${minimum} to ${maximum}`;
  return errorWords[keyword]?.(params) ?? 'does not fit';
}
