import { Refusal } from '../base/errors.ts';
import type { Input } from '../base/handler.ts';

type Conditional = Pick<Input, 'header'>;

/** Entity tags of a header (RFC 9110 section 8.8.3), or `*` for any version. */
export type Tags = '*' | readonly string[];

const listForm = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/;
const tagForm = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;
const eachTag = /(?:W\/)?"[^"]*"/g;

/** The expected versions; null without the header. */
export function ifMatch(input: Conditional): Tags | null {
  return readTags(input, 'if-match');
}

/** The revision in a body, with or without the quotes of its ETag; null if it is not a revision. */
export function expectedTag(text: unknown): Tags | null {
  if (text === '*') return '*';
  if (typeof text !== 'string') return null;
  const tag = /^[\x21\x23-\x7e]+$/.test(text) ? `"${text}"` : text;
  return tagForm.test(tag) ? [tag] : null;
}

/** True for `If-None-Match: *`, the only value that a write may have. */
export function createsOnly(input: Conditional): boolean {
  const tags = readTags(input, 'if-none-match');
  if (tags === null) return false;
  if (tags !== '*') throw invalid('If-None-Match');
  if (input.header('if-match') !== undefined) throw invalid('If-Match');
  return true;
}

export function isNotModified(input: Conditional, etag: string): boolean {
  const tags = readTags(input, 'if-none-match');
  if (tags === null) return false;
  // A read uses weak comparison.
  return tags === '*' || tags.some((tag) => tag.replace(/^W\//, '') === etag);
}

/** Strong comparison: a weak tag never matches a change. */
export function fits(tags: Tags, etag: string): boolean {
  return tags === '*' || tags.includes(etag);
}

function readTags(input: Conditional, name: 'if-match' | 'if-none-match'): Tags | null {
  const value = input.header(name)?.trim();
  if (value === undefined) return null;
  if (value === '*') return '*';
  if (!listForm.test(value)) throw invalid(name === 'if-match' ? 'If-Match' : 'If-None-Match');
  return value.match(eachTag) ?? [];
}

function invalid(header: string): Refusal {
  return new Refusal('header_invalid', { members: { header } });
}
