import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import type { Collection } from '../api/types.ts';
import { wordsFor } from '../api/words.ts';
import { aboutOf } from '../records/collection-words.ts';
import { duration } from '../schema/display.ts';
import { useSecondsUntil } from './use-clock.ts';
import { t } from './words.ts';

interface NoticeProps {
  readonly tone: 'plain' | 'good' | 'bad';
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <p class="notice-title">{title}</p>
      {children}
    </div>
  );
}

interface ProblemNoticeProps {
  readonly problem: Problem;
  /** Selects other words for the same code. */
  readonly context?: string | undefined;
  /** What the problem is about, and how many records below one are in the way. */
  readonly collection?: Collection | undefined;
  readonly count?: number;
  /** Offers a button to try again, after the wait that the service asks for. */
  readonly onRetry?: (() => void) | undefined;
}

/** Says what went wrong, what the person can do, and when. */
export function ProblemNotice({ problem, context, collection, count, onRetry }: ProblemNoticeProps) {
  const { heading, advice } = wordsFor(problem, context, collection && aboutOf(collection, problem, count));
  const seconds = useWait(problem);
  return (
    <Notice tone="bad" title={heading}>
      <p>{advice}</p>
      {seconds > 0 && (
        <p class="countdown">
          <span aria-hidden="true">{t.retryIn(duration(seconds))}</span>
          <span class="hidden">{t.retryIn(duration(problem.retryAfterSeconds ?? 0))}</span>
        </p>
      )}
      <div class="notice-foot">
        {onRetry && (
          <button type="button" class="small" onClick={onRetry} disabled={seconds > 0}>
            {t.retry}
          </button>
        )}
        <code class="code">{problem.status > 0 ? `${problem.status} ${problem.code}` : problem.code}</code>
      </div>
    </Notice>
  );
}

/** The seconds that are left of the wait that the service asked for. */
export function useWait(problem: Problem | null): number {
  const [until, setUntil] = useState(0);
  const known = useRef<Problem | null>(null);
  if (problem !== known.current) {
    known.current = problem;
    setUntil(problem?.retryAfterSeconds ? Date.now() + problem.retryAfterSeconds * 1000 : 0);
  }
  return useSecondsUntil(until);
}

/** Takes the focus when it appears, for a notice that matters most. */
export function Focused({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} tabIndex={-1} class="focused">
      {children}
    </div>
  );
}
