import type { ComponentChildren } from 'preact';
import { t } from '../parts/words.ts';

interface DownProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Another way to continue. */
  readonly otherwise?: ComponentChildren;
  onRetry(): void;
}

/** The page cannot be used until the service or the provider answers again. */
export function Down({ title, children, otherwise, onRetry }: DownProps) {
  return (
    <main class="down">
      <h1>{title}</h1>
      <p role="alert">{children}</p>
      <button type="button" class="primary" onClick={onRetry}>
        {t.retry}
      </button>
      {otherwise}
    </main>
  );
}
