import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

/** A modal dialog. The browser keeps the focus inside and closes it on Escape. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    const row = opener?.closest('li') ?? null;
    element.current?.showModal();
    return () => {
      if (opener?.isConnected) opener.focus();
      // What was done can take away the button for it, or draw the card in another column; the list may be drawn after this.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const id = row?.dataset.id;
        const now = row?.isConnected || id === undefined ? row : document.querySelector(`[data-id="${id}"]`);
        now?.querySelector('a')?.focus();
      });
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
