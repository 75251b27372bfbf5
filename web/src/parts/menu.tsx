import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly label: string;
  /** The key that does the same in the list. */
  readonly shortcut?: string;
  /** Ends something: it stands below a line. */
  readonly isBad?: boolean;
  onChoose(): void;
}

interface MenuProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly class?: string;
  readonly tabIndex?: number;
  /** Read when the menu opens. */
  items(): readonly MenuItem[];
}

/** A button with a menu. Arrow keys move in it; Escape closes it and gives the focus back. */
export function Menu({ label, button, class: className = 'icon', tabIndex, items }: MenuProps) {
  const [shown, setShown] = useState<readonly MenuItem[] | null>(null);
  const place = useRef<HTMLSpanElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (shown === null) return;
    place.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const closeOutside = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) setShown(null);
    };
    addEventListener('pointerdown', closeOutside);
    addEventListener('focusin', closeOutside);
    return () => {
      removeEventListener('pointerdown', closeOutside);
      removeEventListener('focusin', closeOutside);
    };
  }, [shown]);

  const close = () => {
    setShown(null);
    opener.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = [...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) all.at(next % all.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the menu in it
    <span
      ref={place}
      class="menu-place"
      onKeyDown={(event) => {
        if (shown === null) return;
        event.stopPropagation();
        move(event);
      }}
    >
      <button
        ref={opener}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={shown !== null}
        tabIndex={tabIndex}
        onClick={() => setShown(shown === null ? items() : null)}
      >
        {button}
      </button>
      {shown !== null && (
        <div class="menu" role="menu" aria-label={label}>
          {shown.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-keyshortcuts={item.shortcut}
              class={item.isBad ? 'bad' : ''}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              {item.label}
              {item.shortcut && (
                <span aria-hidden="true">
                  <kbd>{item.shortcut}</kbd>
                </span>
              )}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
