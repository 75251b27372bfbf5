import { Refusal } from '../../base/errors.ts';
import type { Input } from '../../base/handler.ts';

/** One spelling only, so that no record has two addresses. */
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The id in the address. What cannot be one belongs to no record, and is refused as one that is not there. */
export function recordId(
  { params }: Pick<Input, 'params'>,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { id = '' } = params;
  if (!uuidForm.test(id)) throw new Refusal('not_found', { headers });
  return id;
}
