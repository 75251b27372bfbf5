import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Problem } from '../api/client.ts';
import { wordsFor } from '../api/words.ts';
import { duration } from '../schema/display.ts';
import { useSecondsUntil } from './use-clock.ts';

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
  /** What was done, where that changes the words. */
  readonly context?: string | undefined;
  /** Offered as a button, once it makes sense. */
  readonly onRetry?: (() => void) | undefined;
  readonly retryLabel?: string;
}

/** What went wrong, what can be done about it, and when. */
export function ProblemNotice({ problem, context, onRetry, retryLabel = 'Try again' }: ProblemNoticeProps) {
  const { heading, advice } = wordsFor(problem, context);
  const seconds = useWait(problem);
  return (
    <Notice tone="bad" title={heading}>
      <p>{advice}</p>
      {seconds > 0 && (
        <p class="countdown">
          <span aria-hidden="true">
            Again in <strong>{duration(seconds)}</strong>
          </span>
          <span class="hidden">Again in {duration(problem.retryAfterSeconds ?? 0)}</span>
        </p>
      )}
      <div class="notice-foot">
        {onRetry && (
          <button type="button" class="small" onClick={onRetry} disabled={seconds > 0}>
            {retryLabel}
          </button>
        )}
        <code class="code">{problem.status > 0 ? `${problem.status} ${problem.code}` : problem.code}</code>
      </div>
    </Notice>
  );
}

/** How many seconds the service asks to wait from the moment of its answer. */
export function useWait(problem: Problem | null): number {
  const [until, setUntil] = useState(0);
  const known = useRef<Problem | null>(null);
  if (problem !== known.current) {
    known.current = problem;
    setUntil(problem?.retryAfterSeconds ? Date.now() + problem.retryAfterSeconds * 1000 : 0);
  }
  return useSecondsUntil(until);
}

/** A notice that takes the focus when it appears, because what it says is what counts now. */
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
