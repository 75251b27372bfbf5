import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface BusyButtonProps {
  readonly children: ComponentChildren;
  readonly busyLabel: string;
  readonly class?: string;
  readonly disabled?: boolean;
  /** Added to the label for screen readers: the name of the record. */
  readonly about?: string;
  onPress(): Promise<unknown>;
}

/** A button for an action that takes a while. It shows progress and ignores a second press. */
export function BusyButton(props: BusyButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await props.onPress();
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={props.class ?? ''}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      disabled={props.disabled}
      onClick={press}
    >
      {isBusy ? props.busyLabel : props.children}
      {props.about && <span class="hidden"> {props.about}</span>}
    </button>
  );
}
