import { errorWords, type JsonSchema } from '../json-schema.ts';
import { isJsonObject, pointerTo } from '../strict-json.ts';
import { type Formats, type FormError, formErrors, takeOut } from './form-errors.ts';
import { type DescribeValue, found, listed, type ReportAt, suggestion } from './mistakes.ts';

/** Reports every mistake; true if there is none. Fills in defaults, and corrects or takes out what further rules cannot use. */
export type CheckForm = (data: unknown, say: ReportAt, at?: string) => boolean;

/** An operator may have written a secret instead of a file name. */
const redacted = 'the value is not shown, because it may be the secret itself';

/**
 * Checks data of a YAML file against a JSON Schema without `$ref`. `errorMessage` of a schema replaces the message of the
 * keyword (some editors show it, too), `format` is one of `formats`, and the value of a `writeOnly` schema is not repeated.
 */
export function createFormCheck(
  schema: JsonSchema,
  formats: Formats = {},
  describe: DescribeValue = found,
): CheckForm {
  return (data, say, at = '') => {
    const errors = formErrors(schema, data, formats);
    const out: string[] = [];
    let left = errors;
    for (let taken = takeOut(data, left); taken.length > 0; taken = takeOut(data, left)) {
      out.push(...taken);
      left = formErrors(schema, data, formats);
    }
    // A mistake that is not found again followed from a value that was taken out.
    const remaining = new Set(left.map(placeOf));
    const isOut = (pointer: string) => out.some((at) => `${pointer}/`.startsWith(`${at}/`));
    const places = new Set<string>();
    for (const error of errors) {
      const { keyword, pointer } = error;
      const place = placeOf(error);
      const follows = keyword !== 'additionalProperties' && !isOut(pointer) && !remaining.has(place);
      if (follows || places.has(place)) continue;
      places.add(place);
      say(`${at}${keyword === 'required' ? pointer : place}`, predicateOf(error, formats, describe));
    }
    return errors.length === 0;
  };
}

function placeOf({ pointer, member }: FormError): string {
  return member === undefined ? pointer : pointerTo(pointer, member);
}

function predicateOf(error: FormError, formats: Formats, describe: DescribeValue): string {
  const { keyword, schema, data, member = '' } = error;
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  if (keyword === 'additionalProperties')
    return `is not known here; ${suggestion(member, Object.keys(properties))}`;
  if (keyword === 'required')
    return `has no "${member}", which ${properties[member]?.errorMessage ?? 'is needed'}`;
  if (keyword === 'uniqueItems') return 'is there twice. Keep one of the two';
  const message = schema.errorMessage as string | undefined;
  if (keyword === 'not' || error.member !== undefined) return message ?? 'is not allowed here';
  const expected = formatMistake(schema, data, formats) ?? message ?? expectedBy(error);
  if (schema.writeOnly === true) return `${expected}; ${redacted}`;
  const isCount = /^(min|max)(Items|Properties)$/.test(keyword);
  return `${expected}; ${isCount ? `found ${Object.keys(data as object).length}` : describe(data)}`;
}

function formatMistake({ format }: JsonSchema, data: unknown, formats: Formats): string | null {
  return typeof data === 'string' ? (formats[String(format)]?.(data) ?? null) : null;
}

function expectedBy({ keyword, schema }: FormError): string {
  const { type, minimum, maximum, properties, examples, enum: choices } = schema;
  const example = Array.isArray(examples) ? ` such as ${JSON.stringify(examples[0])}` : '';
  if (keyword === 'type' && type === 'object')
    return `must be a mapping${isJsonObject(properties) ? ` with members such as "${Object.keys(properties)[0]}"` : example}`;
  if (keyword === 'type' && type === 'array') return `must be a list${example}`;
  if (keyword === 'enum' && Array.isArray(choices) && choices.every((one) => typeof one === 'string'))
    return `must be ${listed(choices, 'or')}`;
  if (type === 'integer' && minimum !== undefined && maximum !== undefined)
    return `must be a whole number from ${minimum} to ${maximum}`;
  const expected = schema[keyword];
  const params = {
    type,
    limit: expected,
    pattern: expected,
    allowedValue: expected,
    allowedValues: expected,
  };
  return errorWords[keyword]?.({ ...params, minContains: 1 }) ?? 'does not fit';
}
