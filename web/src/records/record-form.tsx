import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldError, Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { Notice, ProblemNotice, useWait } from '../parts/notice.tsx';
import { t } from '../parts/words.ts';
import { type GroupDraft, readDraft } from '../schema/draft.ts';
import type { Field } from '../schema/shape.ts';
import { ErrorSummary } from './error-summary.tsx';
import { FieldGroup } from './field.tsx';
import { inWordsOf } from './field-errors.ts';

interface RecordFormProps {
  readonly fields: readonly Field[];
  readonly draft: GroupDraft;
  /** The draft was typed before a reload or a sign-in. */
  readonly isOldDraft?: boolean;
  readonly problem: Problem | null;
  /** What the problem is about. */
  readonly collection?: Collection;
  /** Selects the words for the problem. */
  readonly context?: string;
  /** The label of the button that sends the form. */
  readonly label?: string;
  readonly busyLabel?: string;
  /** The link or button that leaves the form. */
  readonly cancel: ComponentChildren;
  /** The form is in a dialog, and needs no frame of its own. */
  readonly isFramed?: boolean;
  onChange(draft: GroupDraft): void;
  onDiscard?(): void;
  onSave(values: Record<string, unknown>): Promise<void>;
}

/** A form made from the schema. The service validates the values; its errors are shown at the fields. */
export function RecordForm(props: RecordFormProps) {
  const { fields, draft, isOldDraft = false, problem, onChange, onDiscard, onSave } = props;
  const { label = t.save, busyLabel = t.saving, cancel, isFramed = false, context, collection } = props;
  const [unreadable, setUnreadable] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [tries, setTries] = useState(0);
  const summary = useRef<HTMLDivElement>(null);
  const [sent, setSent] = useState(draft);
  const errors = unreadable.length > 0 ? unreadable : inWordsOf(fields, sent, problem?.errors ?? []);
  const isWaiting = useWait(problem) > 0;
  const isWrong = errors.length > 0 || problem !== null;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || isWaiting) return;
    const { values, errors: mistakes } = readDraft(fields, draft);
    setUnreadable(mistakes);
    setSent(draft);
    setBusy(true);
    if (mistakes.length === 0) await onSave(values);
    setBusy(false);
    setTries((count) => count + 1);
  };

  // After each try, but not while the person types.
  useEffect(() => {
    if (!isWrong) return;
    summary.current?.focus({ preventScroll: true });
    summary.current?.scrollIntoView({ block: 'nearest' });
  }, [tries]);

  return (
    <form class={isFramed ? 'form' : 'card form'} onSubmit={submit} noValidate aria-busy={isBusy}>
      {isOldDraft && (
        <Notice tone="plain" title={t.form.kept}>
          <button type="button" class="small" onClick={onDiscard}>
            {t.form.startOver}
          </button>
        </Notice>
      )}
      <div ref={summary} tabIndex={-1} class="focused">
        {errors.length > 0 ? (
          <ErrorSummary errors={errors} fields={fields} />
        ) : (
          problem !== null && <ProblemNotice problem={problem} context={context} collection={collection} />
        )}
      </div>
      <FieldGroup fields={fields} draft={draft} errors={errors} pointer="" onChange={onChange} />
      <div class="buttons form-foot">
        <button type="submit" class="primary" aria-disabled={isBusy} disabled={isWaiting}>
          {isBusy ? busyLabel : label}
        </button>
        {cancel}
      </div>
    </form>
  );
}
