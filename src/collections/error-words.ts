import { errorWords, type SchemaError } from '../base/json-schema.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import type { FieldError } from './collection.ts';
import { formats, isFormatName } from './formats.ts';

/** A member's name that the caller made up is repeated only when it is short. */
const longestName = 64;

/** A mistake in words for people, without the value that was sent. */
export function inWords(errors: readonly SchemaError[], pointer: string): FieldError {
  // Where alternatives failed, the last one speaks of all of them; of a condition that failed the first says what it asks.
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

export function unknownMember(pointer: string, name: string): FieldError {
  if (name.length > longestName) return { pointer, message: 'has a member that is not one of the schema' };
  return { pointer: pointerTo(pointer, name), message: 'is not a member of the schema' };
}
