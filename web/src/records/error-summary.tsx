import type { FieldError } from '../api/client.ts';
import { Notice } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import type { Field } from '../schema/shape.ts';
import { fieldId, labelOf } from './field-errors.ts';

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
    <Notice tone="bad" title={t.form.errors(errors.length)}>
      <ul>
        {errors.map(({ pointer, message }) => (
          <li key={pointer}>
            <button type="button" class="link" onClick={() => go(pointer)}>
              {t.form.error(labelOf(fields, pointer), message)}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
