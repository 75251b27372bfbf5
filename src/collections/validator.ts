import { compileFunction } from 'node:vm';
import { _, Ajv2020, type ErrorObject, type FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { errorWords, type JsonSchema } from '../base/json-schema.ts';
import { pointerTo } from '../base/strict-json.ts';
import {
  type CheckFields,
  type FieldError,
  type ParentRule,
  parentError,
  type Schema,
} from './collection.ts';
import { fitsFormat, formatNames, formats, isFormatName } from './formats.ts';
import { compilePattern } from './patterns.ts';

type Compile = ReturnType<typeof createCompiler>;
type Fields = Parameters<CheckFields>[0];

const maxErrors = 50;
const none: readonly FieldError[] = [];

/** Compiles the check of the fields. Each field is checked alone only after a failure, so that every wrong one is named. */
export function compileCheck(schema: Schema, parent: ParentRule | null = null): CheckFields {
  const compile = createCompiler();
  const fits = compile(schema);
  let explain: CheckFields | null = null;
  return (fields) => {
    if (fits(fields)) return none;
    explain ??= createExplanation(schema, compile);
    const errors = explain(fields);
    // Every field is valid by itself: a condition between fields failed.
    if (errors.length === 0) return [inWords(fits.errors ?? [], '')];
    if (parent === null) return errors;
    const ofParent = parentError(parent);
    return errors.map((error) => (error.pointer === ofParent.pointer ? ofParent : error));
  };
}

/** At most one error for each field, in the order of the schema, then unknown members. */
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
      if (errors.length === maxErrors) break;
    }
    return errors;
  };
}

/** Longer names of unknown members are not repeated. */
const longestName = 64;

/** The message never contains the value that was sent. */
function inWords(errors: readonly ErrorObject[], pointer: string): FieldError {
  // For alternatives the last error is the summary; for `if` the first one says what was expected.
  const last = errors.at(-1);
  const error = last?.keyword === 'if' ? errors[0] : last;
  if (error === undefined) return { pointer, message: 'does not fit the schema' };
  const { keyword, params, instancePath } = error;
  const at = `${pointer}${instancePath}`;
  const member = params.missingProperty ?? params.additionalProperty;
  if (typeof member === 'string' && member.length > longestName) return unknownMember(at, member);
  return {
    pointer: member === undefined ? at : pointerTo(at, member),
    message: isFormatName(params.format)
      ? `must be a ${params.format} such as ${formats[params.format].example}`
      : (errorWords[keyword]?.(params) ?? 'does not fit the schema'),
  };
}

function unknownMember(pointer: string, name: string): FieldError {
  if (name.length > longestName) return { pointer, message: 'has a member that is not in the schema' };
  return { pointer: pointerTo(pointer, name), message: 'is not a member of the schema' };
}

interface SchemaCheck {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Stops Ajv before it calls `new Function`. */
const codeIsKnown = new Error('The code of the check is known.');

/**
 * Compiles schemas with Ajv under `--disallow-code-generation-from-strings`: Ajv is stopped before it calls `new Function`,
 * and its code is compiled as a script. The schemas must have no `$ref`: Ajv would compile each target by itself.
 */
function createCompiler() {
  let code = '';
  const process = (source: string): never => {
    code = source;
    throw codeIsKnown;
  };
  const ajv = new Ajv2020({
    strict: true,
    // Our own rules check it, with the members around a condition.
    strictRequired: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 6,
    keywords: ['x-personal', 'x-unbounded'],
    formats: Object.fromEntries(formatNames.map((name) => [name, (text: string) => fitsFormat(name, text)])),
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }), process },
  });
  ajv.removeKeyword('enum').addKeyword(quickEnum);
  return (schema: JsonSchema): SchemaCheck => {
    try {
      ajv.compile(schema);
    } catch (error) {
      if (error !== codeIsKnown) throw error;
    }
    const check: SchemaCheck = compileFunction(code, ['self', 'scope'])(ajv, ajv.scope.get());
    // Ajv reads it only for references.
    return Object.assign(check, { evaluated: {} });
  };
}

/** Ajv compares with up to 1,000 values one by one, which took seconds for a long list. */
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
