import type { FieldError } from '../api/client.ts';

/** The id of the element for a part of the record, so that whatever speaks of it can lead to it. */
export function fieldId(pointer: string): string {
  return `field${pointer.replaceAll('/', '-')}`;
}

/** What is wrong here, or in what has no field of its own below. */
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
