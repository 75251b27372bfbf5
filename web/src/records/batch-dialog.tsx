import { useRef, useState } from 'preact/hooks';
import { Problem } from '../api/client.ts';
import type { Collection, RecordItem } from '../api/types.ts';
import { wordsFor } from '../api/words.ts';
import { shortened } from '../events/sentence.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { useApp } from '../parts/context.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Notice, ProblemNotice } from '../parts/notice.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { t } from '../parts/words.ts';
import { inWords } from '../schema/shape.ts';
import { aboutOf, someOf } from './collection-words.ts';
import { nameOf } from './record-name.ts';
import { useBatch } from './use-batch.ts';
import type { WeighedAction } from './weigh-actions.ts';

const maxNames = 5;

export interface BatchResult {
  readonly deleted: readonly string[];
  readonly changed: readonly RecordItem[];
}

interface BatchDialogProps {
  readonly collection: Collection;
  readonly records: readonly RecordItem[];
  /** Null: the records are to be deleted. */
  readonly action: WeighedAction | null;
  onClose(wasRefused: boolean): void;
  onDone(done: BatchResult): void;
}

/** Asks before one batch changes several records. When the service refuses one of them, none has changed. */
export function BatchDialog({ collection, records, action, onClose, onDone }: BatchDialogProps) {
  const { announce } = useApp();
  const [chosen, setChosen] = useState(records);
  const { problem, attempt, forget } = useAttempt();
  const wasRefused = useRef(false);
  const send = useBatch(collection, action);
  const verb = action === null ? t.deletion.yes : inWords(action.name);
  const what = someOf(collection, chosen.length);
  const refused = problem === null ? null : refusedOf(problem, chosen);

  const run = () =>
    attempt(async () => {
      try {
        const changed = (await send(chosen)).filter((record) => record !== undefined);
        onClose(false);
        onDone({ deleted: action === null ? chosen.map(({ id }) => id) : [], changed });
        announce(doneInWords(what, action === null ? null : changed));
      } catch (error) {
        wasRefused.current = true;
        throw error;
      }
    });
  const leaveOut = (record: RecordItem) => {
    const rest = chosen.filter((one) => one !== record);
    if (rest.length === 0) return onClose(true);
    forget();
    setChosen(rest);
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('dialog[open] > .buttons button')?.focus();
  };

  return (
    <Dialog
      title={action === null ? t.selection.askDelete(what) : t.selection.ask(verb, what)}
      onClose={() => onClose(wasRefused.current)}
    >
      <Names names={chosen.map((record) => nameOf(collection, record))} />
      {action === null && <p>{t.selection.deleting}</p>}
      {action?.isFinal && <p>{t.selection.final(inWords(action.to))}</p>}
      {chosen.length > 1 && <p class="soft">{t.selection.allOrNone}</p>}
      {problem !== null &&
        (refused === null ? (
          <ProblemNotice problem={problem} collection={collection} />
        ) : (
          <Refused collection={collection} {...refused} onLeaveOut={() => leaveOut(refused.record)} />
        ))}
      <div class="buttons">
        <button type="button" onClick={() => onClose(wasRefused.current)}>
          {t.cancel}
        </button>
        <BusyButton class={action === null ? 'danger' : 'primary'} busyLabel={t.moment} onPress={run}>
          {verb}
        </BusyButton>
      </div>
    </Dialog>
  );
}

/** The names of the first few. */
function Names({ names }: { readonly names: readonly string[] }) {
  const more = names.length - maxNames;
  return (
    <ul class="batch-names">
      {names.slice(0, maxNames).map((name, index) => (
        <li key={index} class="quoted">
          {name}
        </li>
      ))}
      {more > 0 && <li class="soft">{t.selection.moreNames(more)}</li>}
    </ul>
  );
}

interface Refusal {
  readonly record: RecordItem;
  /** Why it was refused. */
  readonly problem: Problem;
}

/** Null if the refusal names no record. */
function refusedOf({ index = -1, cause }: Problem, records: readonly RecordItem[]): Refusal | null {
  const record = records[index];
  return record !== undefined && cause instanceof Problem ? { record, problem: cause } : null;
}

interface RefusedProps extends Refusal {
  readonly collection: Collection;
  onLeaveOut(): void;
}

function Refused({ collection, record, problem, onLeaveOut }: RefusedProps) {
  const { heading, advice } = wordsFor(problem, 'batch', aboutOf(collection, problem));
  return (
    <Notice tone="bad" title={t.selection.nothingChanged}>
      <p>{t.selection.refused(shortened(nameOf(collection, record)))}</p>
      <p class="notice-advice">
        {heading}. {advice}
      </p>
      <div class="notice-foot">
        <button type="button" class="small" onClick={onLeaveOut}>
          {t.selection.leaveOut}
        </button>
        <code class="code">
          {problem.status} {problem.code}
        </code>
      </div>
    </Notice>
  );
}

/** `changed`: null where the records were deleted. */
function doneInWords(what: string, changed: readonly RecordItem[] | null): string {
  if (changed === null) return t.selection.deleted(what);
  const states = new Set(changed.map(({ state }) => state));
  const [state] = states;
  if (states.size !== 1 || typeof state !== 'string') return t.selection.changed(what);
  return t.row.marked(inWords(state), what);
}
