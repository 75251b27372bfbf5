import { compileFunction } from 'node:vm';
import { _, Ajv2020, type ErrorObject, type FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { pointerTo } from '../../base/yaml/json-pointer.ts';
import type { CheckFields, FieldError, Schema } from './collection.ts';
import { inWords, unknownMember } from './error-words.ts';
import { fitsFormat, formatNames } from './formats.ts';
import { compilePattern } from './patterns.ts';

interface Check {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

type Compile = (schema: Schema) => Check;
type Fields = Parameters<CheckFields>[0];

const mostErrors = 50;
const none: readonly FieldError[] = [];

/**
 * Makes the check of a collection's fields out of its whole schema. Fields that fit cost one run of one function; only
 * when they do not is each looked at alone, so that every wrong one is named. Throws when the schema is no use.
 */
export function compileCheck(schema: Schema): CheckFields {
  const compile = createCompiler();
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

/** Thrown once the code of a check is known, before anybody makes a function of it. */
const codeIsKnown = new Error('The code of the check is known.');

/**
 * The service may run with `--disallow-code-generation-from-strings`, and Ajv makes functions with `new Function`. So
 * it is stopped right before, and the code that it hands over on the way is compiled like any other script.
 */
function createCompiler(): Compile {
  let code = '';
  const ajv = createAjv((source) => {
    code = source;
    throw codeIsKnown;
  });
  return (schema) => {
    try {
      ajv.compile(schema);
    } catch (error) {
      if (error !== codeIsKnown) throw error;
    }
    const check: Check = compileFunction(code, ['self', 'scope'])(ajv, ajv.scope.get());
    // What Ajv notes at a function for those that call it. Nobody calls this one: there are no references.
    return Object.assign(check, { evaluated: {} });
  };
}

function createAjv(process: (code: string) => never): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    // Which members may be named is checked by rules of our own, which also know those of the object around a condition.
    strictRequired: false,
    $data: false,
    allErrors: false,
    // Cents are no binary fractions: 19.99 is a multiple of 0.01 here.
    multipleOfPrecision: 6,
    // Its form has been checked by rules of our own, which know the line of a mistake.
    meta: false,
    validateSchema: false,
    logger: false,
    keywords: ['x-personal', 'x-unbounded'],
    formats: Object.fromEntries(formatNames.map((name) => [name, (text: string) => fitsFormat(name, text)])),
    code: { process, regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  });
  return ajv.removeKeyword('enum').addKeyword(quickEnum);
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
