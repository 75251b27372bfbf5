import type { FieldError } from '../api/client.ts';
import { t } from '../parts/words.ts';
import type { Field, Shape } from './shape.ts';

/** A record in a form: the texts of the inputs, unchanged. They become values when the form is sent. */
export type Draft = string | boolean | null | readonly Draft[] | { readonly [name: string]: Draft };

export type GroupDraft = Readonly<Record<string, Draft>>;

export function draftOf(fields: readonly Field[], record: Readonly<Record<string, unknown>>): GroupDraft {
  return Object.fromEntries(fields.map(({ name, shape }) => [name, partDraft(shape, record[name])]));
}

export function partDraft(shape: Shape, value: unknown): Draft {
  switch (shape.kind) {
    case 'flag':
      return typeof value === 'boolean' ? value : null;
    case 'choice':
      return value === undefined ? '' : choiceKey(value);
    case 'moment':
      return typeof value === 'string' ? toLocal(value) : '';
    case 'list':
      return Array.isArray(value) ? value.map((item) => partDraft(shape.item, item)) : [];
    case 'group':
      return draftOf(shape.fields, isObject(value) ? value : {});
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? '' : String(value);
  }
}

export function choiceKey(value: unknown): string {
  return JSON.stringify(value);
}

interface Reading {
  readonly values: Record<string, unknown>;
  /** Texts that are not a value of their type. The service validates everything else. */
  readonly errors: readonly FieldError[];
}

export function readDraft(fields: readonly Field[], draft: GroupDraft, pointer = ''): Reading {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    const at = `${pointer}/${escapePart(field.name)}`;
    const value = readPart(field.shape, draft[field.name] ?? '', at, errors, field.required);
    if (value !== undefined) values[field.name] = value;
    else if (field.required && field.nullable) values[field.name] = null;
  }
  return { values, errors };
}

/** Undefined if the input is empty. */
function readPart(
  shape: Shape,
  draft: Draft,
  pointer: string,
  errors: FieldError[],
  required: boolean,
): unknown {
  switch (shape.kind) {
    case 'flag':
      return typeof draft === 'boolean' ? draft : required ? false : undefined;
    case 'choice':
      return draft === '' || typeof draft !== 'string' ? undefined : JSON.parse(draft);
    case 'list': {
      const items = Array.isArray(draft) ? draft : [];
      const read = items.map((item, index) =>
        readPart(shape.item, item, `${pointer}/${index}`, errors, true),
      );
      return read.length === 0 && !required ? undefined : read.map((item) => item ?? '');
    }
    case 'group': {
      if (!required && isBlank(draft)) return undefined;
      const group = readDraft(shape.fields, isObject(draft) ? (draft as GroupDraft) : {}, pointer);
      errors.push(...group.errors);
      return group.values;
    }
    default:
      return readText(shape, typeof draft === 'string' ? draft : '', pointer, errors, required);
  }
}

function readText(
  shape: Shape,
  text: string,
  pointer: string,
  errors: FieldError[],
  required: boolean,
): unknown {
  if (text === '') return required && shape.kind === 'text' && shape.mayBeEmpty ? '' : undefined;
  switch (shape.kind) {
    case 'number': {
      const number = Number(text.trim().replace(',', '.'));
      if (Number.isFinite(number)) return number;
      errors.push({ pointer, message: t.form.number });
      return undefined;
    }
    case 'moment': {
      const time = new Date(text);
      if (!Number.isNaN(time.getTime())) return time.toISOString();
      errors.push({ pointer, message: t.form.moment });
      return undefined;
    }
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        errors.push({ pointer, message: t.form.json });
        return undefined;
      }
    default:
      return text;
  }
}

/** True if all inputs are empty. */
export function isBlank(draft: Draft): boolean {
  if (typeof draft !== 'object' || draft === null) return draft === '' || draft === null;
  return Object.values(draft).every(isBlank);
}

/** A date and time for an input of the browser: in the local time zone, without zero seconds. */
function toLocal(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
  return local.replace(/(:00)?\.000$/, '');
}

export function escapePart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
