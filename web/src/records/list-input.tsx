import { useRef } from 'preact/hooks';
import type { FieldError } from '../api/client.ts';
import { t } from '../parts/words.ts';
import { type Draft, partDraft } from '../schema/draft.ts';
import type { Shape } from '../schema/shape.ts';
import { errorAt, fieldId } from './field-errors.ts';
import { FlagInput, ScalarInput } from './inputs.tsx';

interface ListInputProps {
  readonly label: string;
  /** The shape of one item. */
  readonly shape: Shape;
  readonly draft: readonly Draft[];
  readonly errors: readonly FieldError[];
  readonly pointer: string;
  onChange(draft: readonly Draft[]): void;
}

/** A list of single values: one input for each, with buttons to add and remove items. */
export function ListInput({ label, shape, draft, errors, pointer, onChange }: ListInputProps) {
  const addButton = useRef<HTMLButtonElement>(null);
  const add = () => {
    onChange([...draft, partDraft(shape, undefined)]);
    setTimeout(() => document.getElementById(fieldId(`${pointer}/${draft.length}`))?.focus());
  };
  const remove = (position: number) => {
    onChange(draft.filter((_, index) => index !== position));
    addButton.current?.focus();
  };
  return (
    <div class="list-input">
      {draft.map((item, index) => {
        const at = `${pointer}/${index}`;
        const error = errorAt(errors, at, false);
        const input = {
          id: fieldId(at),
          shape,
          draft: item,
          described: error === null ? '' : `${fieldId(at)}-error`,
          isWrong: error !== null,
          required: true,
          label: t.form.item(label, index + 1),
          onChange: (part: Draft) =>
            onChange(draft.map((one, position) => (position === index ? part : one))),
        };
        return (
          <div key={index}>
            <div class="list-row">
              {shape.kind === 'flag' ? <FlagInput {...input} /> : <ScalarInput {...input} />}
              <button type="button" class="small quiet" onClick={() => remove(index)}>
                {t.form.remove}
                <span class="hidden"> {t.form.item(label, index + 1)}</span>
              </button>
            </div>
            {error !== null && (
              <p class="field-error" id={`${fieldId(at)}-error`}>
                {t.form.error(t.form.item(label, index + 1), error)}
              </p>
            )}
          </div>
        );
      })}
      <button type="button" class="small" ref={addButton} onClick={add}>
        {t.form.add}
        <span class="hidden"> {t.form.addTo(label)}</span>
      </button>
    </div>
  );
}
