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
  /** Selects other words for the same code. */
  readonly context?: string | undefined;
  /** Offers a button to try again, after the wait that the service asks for. */
  readonly onRetry?: (() => void) | undefined;
  readonly retryLabel?: string;
}

/** Says what went wrong, what the person can do, and when. */
export function ProblemNotice({ problem, context, onRetry, retryLabel = 'Try again' }: ProblemNoticeProps) {
  const { heading, advice } = wordsFor(problem, context);
  const seconds = useWait(problem);
  return (
    <Notice tone="bad" title={heading}>
      <p>{advice}</p>
      {seconds > 0 && (
        <p class="countdown">
          <span aria-hidden="true">
            Try again in <strong>{duration(seconds)}</strong>
          </span>
          <span class="hidden">Try again in {duration(problem.retryAfterSeconds ?? 0)}</span>
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
