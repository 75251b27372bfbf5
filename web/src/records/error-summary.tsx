import type { FieldError } from '../api/client.ts';
import { Notice } from '../parts/notice.tsx';
import { escapePart } from '../schema/draft.ts';
import type { Field } from '../schema/shape.ts';
import { fieldId } from './field-errors.ts';

interface ErrorSummaryProps {
  readonly errors: readonly FieldError[];
  readonly fields: readonly Field[];
}

/** All errors of a form, at its top, with a button for each that leads to the field. */
export function ErrorSummary({ errors, fields }: ErrorSummaryProps) {
  const go = (pointer: string) => {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const element = document.getElementById(fieldId(at));
      if (element !== null) return element.focus();
    }
  };
  return (
    <Notice
      tone="bad"
      title={errors.length === 1 ? 'One field is not valid' : `${errors.length} fields are not valid`}
    >
      <ul>
        {errors.map(({ pointer, message }) => (
          <li key={pointer}>
            <button type="button" class="link" onClick={() => go(pointer)}>
              {labelsOf(fields, pointer.split('/').slice(1)).join(', ')}
            </button>{' '}
            {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The labels along a JSON pointer: "Place, City". */
function labelsOf(fields: readonly Field[], [part, ...rest]: readonly string[]): readonly string[] {
  if (part === undefined) return [];
  const field = fields.find(({ name }) => escapePart(name) === part);
  if (field === undefined) return [part];
  const { label, shape } = field;
  if (shape.kind === 'group') return [label, ...labelsOf(shape.fields, rest)];
  return shape.kind === 'list' && rest[0] !== undefined ? [`${label} ${Number(rest[0]) + 1}`] : [label];
}
