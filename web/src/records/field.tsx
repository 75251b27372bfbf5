import type { FieldError } from '../api/client.ts';
import { t } from '../parts/words.ts';
import { type Draft, escapePart, type GroupDraft } from '../schema/draft.ts';
import type { Field } from '../schema/shape.ts';
import { errorAt, fieldId } from './field-errors.ts';
import { FlagInput, type InputProps, ScalarInput } from './inputs.tsx';
import { ListInput } from './list-input.tsx';

interface FieldGroupProps {
  readonly fields: readonly Field[];
  readonly draft: GroupDraft;
  readonly errors: readonly FieldError[];
  readonly pointer: string;
  onChange(draft: GroupDraft): void;
}

export function FieldGroup({ fields, draft, errors, pointer, onChange }: FieldGroupProps) {
  return (
    <>
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          draft={draft[field.name] ?? ''}
          errors={errors}
          pointer={`${pointer}/${escapePart(field.name)}`}
          onChange={(part) => onChange({ ...draft, [field.name]: part })}
        />
      ))}
    </>
  );
}

interface FieldRowProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly errors: readonly FieldError[];
  readonly pointer: string;
  onChange(draft: Draft): void;
}

/** One field: its label, its hint, its input, and its error. */
function FieldRow({ field, draft, errors, pointer, onChange }: FieldRowProps) {
  const { label, hint, required, shape } = field;
  const id = fieldId(pointer);
  const error = errorAt(errors, pointer, shape.kind === 'group' || shape.kind === 'list');
  const described = [hint === null ? '' : `${id}-hint`, error === null ? '' : `${id}-error`].join(' ').trim();
  const input: InputProps = { id, shape, draft, described, isWrong: error !== null, required, onChange };
  const words = (
    <>
      {hint !== null && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== null && (
        <p class="field-error" id={`${id}-error`}>
          {t.form.error(label, error)}
        </p>
      )}
    </>
  );
  const mark = !required && <span class="optional"> {t.form.optional}</span>;

  if (shape.kind === 'group' || shape.kind === 'list') {
    return (
      <fieldset class="field group" id={id} tabIndex={-1} aria-describedby={described || undefined}>
        <legend>
          {label}
          {mark}
        </legend>
        {words}
        {shape.kind === 'list' ? (
          <ListInput
            label={label}
            shape={shape.item}
            draft={Array.isArray(draft) ? draft : []}
            errors={errors}
            pointer={pointer}
            onChange={onChange}
          />
        ) : (
          <FieldGroup
            fields={shape.fields}
            draft={typeof draft === 'object' && draft !== null ? (draft as GroupDraft) : {}}
            errors={errors}
            pointer={pointer}
            onChange={onChange}
          />
        )}
      </fieldset>
    );
  }
  if (shape.kind === 'flag') {
    return (
      <div class={`field flag ${error === null ? '' : 'wrong'}`}>
        <FlagInput {...input} />
        <label for={id}>{label}</label>
        {words}
      </div>
    );
  }
  return (
    <div class={`field ${error === null ? '' : 'wrong'}`}>
      <label for={id}>
        {label}
        {mark}
      </label>
      {words}
      <ScalarInput {...input} />
    </div>
  );
}
