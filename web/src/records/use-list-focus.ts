import { useRef } from 'preact/hooks';

/** Keeps the focus in a list whose rows come and go. Rows are counted as the list has them, of which not all are drawn. */
export function useListFocus() {
  const list = useRef<HTMLElement | null>(null);
  /** Focuses a record after the next render; the last one if there are fewer; the title of the page if there is none. */
  const focusOn = (position: number) =>
    setTimeout(() => {
      const titles = [...(list.current?.querySelectorAll<HTMLElement>('[data-at] .row-title') ?? [])];
      const there = titles.find((title) => placeOf(title) === position) ?? titles.at(-1);
      (there ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    });
  /** If a change removes the element with the focus, the record at the same position gets it. */
  const keepFocus = (change: () => void) => {
    const focused = document.activeElement;
    const position = list.current?.contains(focused) ? placeOf(focused) : -1;
    change();
    setTimeout(() => position !== -1 && document.activeElement === document.body && focusOn(position));
  };
  return { list, focusOn, keepFocus };
}

/** The place in the list of the row that an element is in; -1 outside of all rows. */
function placeOf(element: Element | null): number {
  return Number(element?.closest<HTMLElement>('[data-at]')?.dataset.at ?? -1);
}
