import type { FieldError } from '../api/client.ts';

/** The id of the input for a part of the record. Errors link to it. */
export function fieldId(pointer: string): string {
  return `field${pointer.replaceAll('/', '-')}`;
}

/** The error of this input; also of parts below it that have no input. */
export function errorAt(
  errors: readonly FieldError[],
  pointer: string,
  hasFieldsBelow: boolean,
): string | null {
  const found = errors.find(
    (error) => error.pointer === pointer || (!hasFieldsBelow && error.pointer.startsWith(`${pointer}/`)),
  );
  return found?.message ?? null;
}
