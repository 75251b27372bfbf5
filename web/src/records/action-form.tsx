import { useState } from 'preact/hooks';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loading } from '../parts/loading.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useLoad } from '../parts/use-load.ts';
import { t } from '../parts/words.ts';
import { personNames } from '../people/person.ts';
import { draftOf } from '../schema/draft.ts';
import { type Field, inWords, type Shape } from '../schema/shape.ts';
import { inputFields } from './form-fields.ts';
import { RecordForm } from './record-form.tsx';
import type { WeighedAction } from './weigh-actions.ts';

interface ActionFormProps {
  readonly collection: Collection;
  readonly record: RecordItem;
  readonly action: WeighedAction;
  /** The name of the record. */
  readonly name: string;
  onClose(): void;
  onTake(input: Record<string, unknown>): Promise<void>;
}

/** Asks for the input of an action. The focus is on the first field. */
export function ActionForm({ collection, record, action, name, onClose, onTake }: ActionFormProps) {
  const people = usePeople(collection, record, action.isChoosing);
  const fields = [...people.fields, ...inputFields(collection, action.sets)];
  const [draft, setDraft] = useState(() => draftOf(fields, record));
  const { problem, attempt } = useAttempt();
  const verb = inWords(action.name);
  return (
    <Dialog title={verb} onClose={onClose}>
      <p class="quoted">{name}</p>
      {action.isFinal && <p>{t.action.final(inWords(action.to))}</p>}
      {people.isLoading && <Loading what={t.people.members} rows={1} />}
      <RecordForm
        isFramed
        fields={fields}
        draft={draft}
        problem={problem}
        collection={collection}
        label={verb}
        busyLabel={t.moment}
        onChange={setDraft}
        onSave={(input) => attempt(() => onTake(people.withAlias(input)))}
        cancel={
          <button type="button" onClick={onClose}>
            {t.cancel}
          </button>
        }
      />
    </Dialog>
  );
}

const aliasInput: Shape = { kind: 'text', long: false, input: 'text', mayBeEmpty: false };

/** The field for the person whom an action chooses: a choice of the members of the parent, or an alias to type if it lists none. */
function usePeople({ name, parent }: Collection, record: RecordItem, isChoosing: boolean) {
  const { api } = useApp();
  const load = async (): Promise<readonly string[]> => {
    if (!isChoosing || parent === undefined) return [];
    const aliases = new Set<string>();
    try {
      const members = api.collection(parent.collection).members(String(record[parent.field]));
      for await (const { alias } of members) aliases.add(alias);
    } catch {
      // Only topmost records list members.
    }
    return [...aliases];
  };
  const { value, isLoading } = useLoad(load, name);
  const names = personNames(value ?? []);
  const byName = new Map([...names].map(([alias, called]) => [called, alias]));
  const field: Field = {
    name: 'member',
    label: t.person.one,
    hint: names.size === 0 ? t.people.choose : null,
    limits: null,
    required: true,
    nullable: false,
    shape: names.size > 0 ? { kind: 'choice', values: [...byName.keys()] } : aliasInput,
  };
  return {
    fields: isChoosing ? [field] : [],
    isLoading: isChoosing && isLoading,
    /** The service knows the chosen person by alias. */
    withAlias: (input: Record<string, unknown>) =>
      isChoosing ? { ...input, member: byName.get(String(input.member)) ?? input.member } : input,
  };
}
