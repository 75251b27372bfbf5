import { t } from '../parts/words.ts';
import { displayChoice } from '../schema/display.ts';
import { choiceKey, type Draft } from '../schema/draft.ts';
import type { Shape } from '../schema/shape.ts';

export interface InputProps {
  readonly id: string;
  readonly shape: Shape;
  readonly draft: Draft;
  /** The ids of the hint and the error. */
  readonly described: string;
  readonly isWrong: boolean;
  readonly required: boolean;
  /** For an input without a label element. */
  readonly label?: string;
  onChange(draft: Draft): void;
}

/** An input for one value. The text is kept as typed until the form is sent. */
export function ScalarInput({ id, shape, draft, described, isWrong, required, label, onChange }: InputProps) {
  const common = {
    id,
    value: typeof draft === 'string' ? draft : '',
    'aria-describedby': described || undefined,
    'aria-invalid': isWrong || undefined,
    'aria-required': required || undefined,
    'aria-label': label,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  switch (shape.kind) {
    case 'choice':
      return (
        <select {...common}>
          <option value="">{required ? t.form.choose : t.form.nothing}</option>
          {shape.values.map((value) => (
            <option key={choiceKey(value)} value={choiceKey(value)}>
              {displayChoice(value)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input {...common} type="text" inputMode={shape.whole ? 'numeric' : 'decimal'} autocomplete="off" />
      );
    case 'date':
      return <input {...common} type="date" />;
    case 'moment':
      return <input {...common} type="datetime-local" step="any" />;
    case 'json':
      return <textarea {...common} class="json" rows={5} spellcheck={false} />;
    case 'text':
      return shape.long ? (
        <textarea {...common} rows={4} />
      ) : (
        <input {...common} type="text" inputMode={shape.input} autocomplete="off" />
      );
    default:
      return null;
  }
}

export function FlagInput({ id, draft, described, isWrong, onChange }: InputProps) {
  return (
    <input
      id={id}
      type="checkbox"
      checked={draft === true}
      aria-describedby={described || undefined}
      aria-invalid={isWrong || undefined}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
