import { _, type FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { createCompiler } from '../base/json-schema.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import type { CheckFields, FieldError, Schema } from './collection.ts';
import { inWords, unknownMember } from './error-words.ts';
import { fitsFormat, formatNames } from './formats.ts';
import { compilePattern } from './patterns.ts';

type Compile = ReturnType<typeof createCompiler>;
type Fields = Parameters<CheckFields>[0];

const mostErrors = 50;
const none: readonly FieldError[] = [];

/**
 * Makes the check of a collection's fields out of its whole schema. Fields that fit cost one run of one function; only
 * when they do not is each looked at alone, so that every wrong one is named. Throws when the schema is no use.
 */
export function compileCheck(schema: Schema): CheckFields {
  const compile = compilerOfFields();
  const fits = compile(schema);
  let explain: CheckFields | null = null;
  return (fields) => {
    if (fits(fields)) return none;
    explain ??= createExplanation(schema, compile);
    const errors = explain(fields);
    // Every field is right by itself: then it is a condition on all of them that does not hold.
    return errors.length > 0 ? errors : [inWords(fits.errors ?? [], '')];
  };
}

/** What is wrong with each field by itself, in the order of the schema, then with those that it does not know. */
function createExplanation(schema: Schema, compile: Compile): CheckFields {
  const properties = Object.entries(schema.properties as Readonly<Record<string, Schema>>);
  const checks = new Map(properties.map(([name, property]) => [name, compile(property)]));
  const required = new Set(schema.required as readonly string[] | undefined);
  const others = schema.additionalProperties;
  const checkOther = typeof others === 'object' ? compile(others as Schema) : null;

  const judge = (fields: Fields, name: string): FieldError | null => {
    const pointer = pointerTo('', name);
    if (!Object.hasOwn(fields, name)) return required.has(name) ? { pointer, message: 'is required' } : null;
    const check = checks.get(name) ?? checkOther;
    if (check === null) return others === false ? unknownMember('', name) : null;
    return check(fields[name]) ? null : inWords(check.errors ?? [], pointer);
  };

  return (fields) => {
    const errors: FieldError[] = [];
    const unknown = Object.keys(fields).filter((name) => !checks.has(name));
    for (const name of [...checks.keys(), ...unknown]) {
      const error = judge(fields, name);
      if (error !== null) errors.push(error);
      if (errors.length === mostErrors) break;
    }
    return errors;
  };
}

function compilerOfFields() {
  return createCompiler(
    {
      // Cents are no binary fractions: 19.99 is a multiple of 0.01 here.
      multipleOfPrecision: 6,
      keywords: ['x-personal', 'x-unbounded'],
      formats: Object.fromEntries(
        formatNames.map((name) => [name, (text: string) => fitsFormat(name, text)]),
      ),
      code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
    },
    (ajv) => ajv.removeKeyword('enum').addKeyword(quickEnum),
  );
}

/** Ajv compares a value with each of up to 1,000 in turn, which took seconds for a long list. They are all scalars here. */
const quickEnum: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  compile(values: readonly unknown[]) {
    const allowed = new Set(values);
    return (value: unknown) => allowed.has(value);
  },
  error: {
    message: 'must be equal to one of the allowed values',
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
  },
};
