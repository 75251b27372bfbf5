import { useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { later } from '../parts/later.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { ActionDialog } from '../records/action-dialog.tsx';
import { DeleteDialog } from '../records/delete-dialog.tsx';
import { ifMatchFor } from '../records/if-match.ts';
import { nameOf } from '../records/record-name.ts';
import { type WeighedAction, weighActions } from '../records/weigh-actions.ts';
import { inWords } from '../schema/shape.ts';

const ActionForm = later(() => import('../records/action-form.tsx').then((found) => found.ActionForm), true);

interface DeedsOptions {
  onChanged(record: RecordItem): void;
  onGone(id: string): void;
}

type Asked =
  | { readonly what: 'action'; readonly record: RecordItem; readonly action: WeighedAction }
  | { readonly what: 'delete'; readonly record: RecordItem };

/** What a person can do to a record from a row, a card or its page: one set of dialogs for all of them. */
export function useDeeds(collection: Collection, { onChanged, onGone }: DeedsOptions) {
  const { api, announce } = useApp();
  const { problem, attempt, forget } = useAttempt();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [about, setAbout] = useState<string | null>(null);
  const records = api.collection(collection.name);
  const name = asked === null ? '' : nameOf(collection, asked.record);

  /** Does it; another person may have been faster, so a refusal shows the record as it is now. */
  const act = async (
    record: RecordItem,
    { name: action }: WeighedAction,
    input?: Record<string, unknown>,
  ) => {
    try {
      const now = await records.act(record.id, action, input, await ifMatchFor(api, collection, record));
      onChanged(now);
      announce(t.row.marked(inWords(String(now.state)), nameOf(collection, now)));
    } catch (error) {
      if ((error as Problem).code === 'invalid_transition')
        await records.get(record.id).then(onChanged, () => {});
      throw error;
    }
  };
  const trying = (record: RecordItem, work: () => Promise<void>) => {
    setAbout(record.id);
    return attempt(work);
  };

  return {
    /** Of the last thing that was tried outside of a dialog, and the record that it was about. */
    problem,
    about,
    forget,
    /** Takes the action, or asks for its input first. */
    take(record: RecordItem, action: WeighedAction): Promise<void> {
      if (!isAsking(action)) return trying(record, () => act(record, action));
      setAsked({ what: 'action', record, action });
      return Promise.resolve();
    },
    /** Changes a boolean field. */
    tick(record: RecordItem, field: string): Promise<void> {
      const value = record[field] !== true;
      return trying(record, async () => {
        const version = await ifMatchFor(api, collection, record);
        const now = await records.update(record.id, { [field]: value }, version);
        onChanged(now);
        announce((value ? t.row.done : t.row.undone)(nameOf(collection, now)));
      });
    },
    async copyLink(record: RecordItem): Promise<void> {
      // The clipboard is undefined without HTTPS, and the browser may refuse access to it.
      const link = `${location.origin}/${linkTo('data', collection.name, record.id, 'open')}`;
      const writing = async () => navigator.clipboard.writeText(link);
      await writing().then(
        () => announce(t.list.linkCopied),
        () => announce(t.list.linkNotCopied),
      );
    },
    askDelete: (record: RecordItem) => setAsked({ what: 'delete', record }),
    dialogs: (
      <>
        {asked?.what === 'action' && hasInput(asked.action) && (
          <ActionForm
            collection={collection}
            record={asked.record}
            action={asked.action}
            name={name}
            onClose={() => setAsked(null)}
            onTake={(input) => act(asked.record, asked.action, input).then(() => setAsked(null))}
          />
        )}
        {asked?.what === 'action' && !hasInput(asked.action) && (
          <ActionDialog
            action={asked.action}
            name={name}
            onClose={() => setAsked(null)}
            onTake={() =>
              trying(asked.record, () => act(asked.record, asked.action)).then(() => setAsked(null))
            }
          />
        )}
        {asked?.what === 'delete' && (
          <DeleteDialog
            collection={collection}
            record={asked.record}
            name={name}
            alternatives={weighActions(collection, asked.record).filter(({ isFinal }) => isFinal)}
            onClose={() => setAsked(null)}
            onGone={onGone}
          />
        )}
      </>
    ),
  };
}

export type Deeds = ReturnType<typeof useDeeds>;

export function hasInput({ sets, isChoosing }: WeighedAction): boolean {
  return sets.length > 0 || isChoosing;
}

/** A dialog comes before the action. */
export function isAsking(action: WeighedAction): boolean {
  return action.isFinal || hasInput(action);
}
