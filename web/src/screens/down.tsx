import type { ComponentChildren } from 'preact';
import { Arch } from '../parts/arch.tsx';

interface DownProps {
  readonly title: string;
  readonly children: ComponentChildren;
  onRetry(): void;
}

/** Nothing can be done before somebody answers again. */
export function Down({ title, children, onRetry }: DownProps) {
  return (
    <main class="down">
      <Arch size={72} />
      <h1>{title}</h1>
      <p role="alert">{children}</p>
      <button type="button" class="primary" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}
