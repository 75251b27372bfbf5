import { useRef } from 'preact/hooks';

/** Keeps the focus in a list of records whose items and buttons come and go. */
export function useListFocus() {
  const list = useRef<HTMLUListElement>(null);
  /** Once it is drawn; where there is no such record any more, the title of the screen. */
  const focusOn = (position: number) =>
    setTimeout(() => {
      const titles = list.current?.querySelectorAll<HTMLElement>('.record-title') ?? [];
      (titles[position] ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    });
  /** If the record or button with the focus goes away, the focus stays at that place in the list. */
  const keepFocus = (change: () => void) => {
    const cards = [...(list.current?.children ?? [])];
    const position = cards.findIndex((card) => card.contains(document.activeElement));
    change();
    setTimeout(() => position !== -1 && document.activeElement === document.body && focusOn(position));
  };
  return { list, focusOn, keepFocus };
}
