import { Buffer } from 'node:buffer';
import { Refusal } from '../../base/errors.ts';
import type { FieldValue, Place, RecordQuery, StoredRecord } from '../../storage/port.ts';
import type { CallerAccess } from '../caller-access.ts';
import { fieldsOf } from '../present.ts';
import type { CollectionParts } from './handler-parts.ts';
import type { ListQuery } from './list-query.ts';

const cursorForm = /^[A-Za-z0-9_-]{1,4096}\.[A-Za-z0-9_-]{43}$/;

/** Where a list goes on after this place: for this caller, this collection and this query only. */
export function cursorAt(
  place: Place,
  query: ListQuery,
  parts: CollectionParts,
  access: CallerAccess,
): string {
  const text = Buffer.from(JSON.stringify([place.value, place.id])).toString('base64url');
  return `${text}.${parts.digest.of(...boundTo(text, query, parts, access)).toString('base64url')}`;
}

export function readCursor(
  cursor: string,
  query: ListQuery,
  parts: CollectionParts,
  access: CallerAccess,
): Place {
  if (!cursorForm.test(cursor)) throw new Refusal('cursor_invalid');
  const [text = '', mac = ''] = cursor.split('.');
  if (!parts.digest.isOf(Buffer.from(mac, 'base64url'), ...boundTo(text, query, parts, access)))
    throw new Refusal('cursor_invalid');
  const [value, id] = JSON.parse(Buffer.from(text, 'base64url').toString());
  return { value, id };
}

function boundTo(
  text: string,
  { filters }: ListQuery,
  { collection }: CollectionParts,
  access: CallerAccess,
): string[] {
  return ['cursor', access.id, collection.name, ...filters.flat(), text];
}

/** As the storage compares it: a field that is missing counts as empty. */
export function sortValue(record: StoredRecord, { sort: { field } }: Pick<RecordQuery, 'sort'>): FieldValue {
  if (field === 'created_at') return record.createdAt;
  const value = fieldsOf(record)[field.name];
  return field.kind === 'text' ? String(value ?? '') : Number(value ?? 0);
}
