import { useRef } from 'preact/hooks';

/** Keeps the focus in a list whose items and buttons come and go. */
export function useListFocus() {
  const list = useRef<HTMLUListElement>(null);
  /** Focuses a record after the next render; the title of the screen if there is no such record. */
  const focusOn = (position: number) =>
    setTimeout(() => {
      const titles = list.current?.querySelectorAll<HTMLElement>('.record-title') ?? [];
      (titles[position] ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    });
  /** If a change removes the element with the focus, the record at the same position gets it. */
  const keepFocus = (change: () => void) => {
    const cards = [...(list.current?.children ?? [])];
    const position = cards.findIndex((card) => card.contains(document.activeElement));
    change();
    setTimeout(() => position !== -1 && document.activeElement === document.body && focusOn(position));
  };
  return { list, focusOn, keepFocus };
}
