import type { FieldError } from '../api/client.ts';
import { t } from '../parts/words.ts';
import { type Draft, escapePart, type GroupDraft, isBlank } from '../schema/draft.ts';
import type { Field } from '../schema/shape.ts';

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

/** The labels along a JSON pointer: "Place, City". */
export function labelOf(fields: readonly Field[], pointer: string): string {
  return pathOf(fields, pointer.split('/').slice(1)).labels.join(', ');
}

/** The errors of the service in the words of the page. `sent`: what the person had typed. */
export function inWordsOf(
  fields: readonly Field[],
  sent: GroupDraft,
  errors: readonly FieldError[],
): readonly FieldError[] {
  return errors.map(({ pointer, message }) => {
    const { field, draft } = pathOf(fields, pointer.split('/').slice(1), sent);
    const isMissing = field?.required === true && (draft === undefined || isBlank(draft));
    return {
      pointer,
      message: isMissing ? t.form.missing(message) : t.form.refused(message, field?.limits ?? null),
    };
  });
}

interface Path {
  readonly labels: readonly string[];
  /** The last field on the way; undefined where the schema has none. */
  readonly field?: Field | undefined;
  readonly draft?: Draft | undefined;
}

function pathOf(fields: readonly Field[], [part, ...rest]: readonly string[], sent: GroupDraft = {}): Path {
  if (part === undefined) return { labels: [] };
  const field = fields.find(({ name }) => escapePart(name) === part);
  if (field === undefined) return { labels: [part] };
  const { label, shape, name } = field;
  const draft = sent[name];
  if (shape.kind === 'group' && rest.length > 0) {
    const inner = pathOf(shape.fields, rest, draft as GroupDraft | undefined);
    return { ...inner, labels: [label, ...inner.labels] };
  }
  if (shape.kind !== 'list' || rest[0] === undefined) return { labels: [label], field, draft };
  return { labels: [t.form.item(label, Number(rest[0]) + 1)], field: { ...field, limits: null } };
}
