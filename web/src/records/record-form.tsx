import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldError, Problem } from '../api/client.ts';
import { Notice, ProblemNotice, useWait } from '../parts/notice.tsx';
import { type GroupDraft, readDraft } from '../schema/draft.ts';
import type { Field } from '../schema/shape.ts';
import { ErrorSummary } from './error-summary.tsx';
import { FieldGroup } from './field.tsx';

interface RecordFormProps {
  readonly fields: readonly Field[];
  readonly draft: GroupDraft;
  /** The draft was typed before a reload or a sign-in. */
  readonly isOldDraft?: boolean;
  readonly problem: Problem | null;
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
  const { label = 'Save', busyLabel = 'Saving…', cancel, isFramed = false, context } = props;
  const [unreadable, setUnreadable] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [tries, setTries] = useState(0);
  const summary = useRef<HTMLDivElement>(null);
  const errors = unreadable.length > 0 ? unreadable : (problem?.errors ?? []);
  const isWaiting = useWait(problem) > 0;
  const isWrong = errors.length > 0 || problem !== null;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || isWaiting) return;
    const { values, errors: mistakes } = readDraft(fields, draft);
    setUnreadable(mistakes);
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
        <Notice tone="plain" title="What you typed is still here">
          <button type="button" class="small" onClick={onDiscard}>
            Start over
          </button>
        </Notice>
      )}
      <div ref={summary} tabIndex={-1} class="focused">
        {errors.length > 0 ? (
          <ErrorSummary errors={errors} fields={fields} />
        ) : (
          problem !== null && <ProblemNotice problem={problem} context={context} />
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
