import { useId, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import { type Collection, fieldsOf, type RecordItem } from '../api/types.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Focused, Notice, ProblemNotice, useWait } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import { display, displayMoment } from '../schema/display.ts';
import type { Field } from '../schema/shape.ts';
import { labelOf } from './field-errors.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ConflictProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly mine: Fields;
  readonly theirs: RecordItem;
  /** Why the last try to save was refused. */
  readonly problem: Problem | null;
  onSave(values: Record<string, unknown>): Promise<void>;
  /** Returns to the form, to change the version that is saved now. */
  onEdit(values: Record<string, unknown>): void;
  onGiveUp(): void;
}

/** Two versions of one record, field by field, for the person to choose from. */
export function Conflict(props: ConflictProps) {
  const { collection, fields, mine, theirs, problem, onSave, onEdit, onGiveUp } = props;
  const [takeTheirs, setTakeTheirs] = useState<ReadonlySet<string>>(new Set());
  const differing = fields.filter(({ name }) => !isSame(mine[name], theirs[name]));
  const choose = (name: string, isTheirs: boolean) => {
    const others = [...takeTheirs].filter((one) => one !== name);
    setTakeTheirs(new Set(isTheirs ? [...others, name] : others));
  };
  const chosen = () => merged(fields, mine, fieldsOf(collection, theirs), takeTheirs);
  const isWaiting = useWait(problem) > 0;
  return (
    <div class="conflict">
      <Focused>
        <Notice tone="bad" title={t.conflict.title}>
          <p>{t.conflict.lead(displayMoment(theirs.updated_at))}</p>
        </Notice>
      </Focused>
      {problem !== null && <ProblemNotice problem={problem} collection={collection} />}
      {problem?.errors.map(({ pointer, message }) => (
        <p key={pointer} class="field-error">
          {t.form.error(labelOf(fields, pointer), t.form.refused(message, null))}
        </p>
      ))}
      {differing.length === 0 && <p>{t.conflict.same}</p>}
      {differing.map((field) => (
        <Choice
          key={field.name}
          field={field}
          mine={mine[field.name]}
          theirs={theirs[field.name]}
          isTheirs={takeTheirs.has(field.name)}
          onChoose={(isTheirs) => choose(field.name, isTheirs)}
        />
      ))}
      <div class="buttons">
        <BusyButton
          class="primary"
          busyLabel={t.saving}
          disabled={isWaiting}
          onPress={() => onSave(chosen())}
        >
          {t.conflict.save}
        </BusyButton>
        <button type="button" onClick={() => onEdit(chosen())}>
          {t.conflict.edit}
        </button>
        <button type="button" class="quiet" onClick={onGiveUp}>
          {t.conflict.discard}
        </button>
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly field: Field;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly isTheirs: boolean;
  onChoose(isTheirs: boolean): void;
}

function Choice({ field: { label, shape }, mine, theirs, isTheirs, onChoose }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset class="versus">
      <legend>{label}</legend>
      <label class={isTheirs ? '' : 'chosen'}>
        <input type="radio" name={name} checked={!isTheirs} onChange={() => onChoose(false)} />
        <span class="versus-whose">{t.conflict.yours}</span>
        <span class="versus-value">{display(shape, mine)}</span>
      </label>
      <label class={isTheirs ? 'chosen' : ''}>
        <input type="radio" name={name} checked={isTheirs} onChange={() => onChoose(true)} />
        <span class="versus-whose">{t.conflict.theirs}</span>
        <span class="versus-value">{display(shape, theirs)}</span>
      </label>
    </fieldset>
  );
}

/** The saved version, with the caller's values in the fields where those were chosen. */
function merged(
  fields: readonly Field[],
  mine: Fields,
  theirs: Fields,
  takeTheirs: ReadonlySet<string>,
): Record<string, unknown> {
  const values = { ...theirs };
  for (const { name } of fields) {
    if (takeTheirs.has(name)) continue;
    if (mine[name] === undefined) delete values[name];
    else values[name] = mine[name];
  }
  return values;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
