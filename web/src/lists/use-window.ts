import { useEffect, useRef, useState } from 'preact/hooks';

/** A shorter list is drawn whole. */
const wholeUpTo = 200;
/** Rows above and below those in view, so that scrolling shows no gap. */
const spare = 12;

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The rows that a long list draws: those in view. All rows have one height, so the page is as long as if all were drawn. */
export function useWindow(count: number, rowHeight: number) {
  const place = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Window>({ from: 0, to: wholeUpTo });
  const isWhole = count <= wholeUpTo;
  useEffect(() => {
    if (isWhole) return;
    const look = () => {
      const top = place.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - spare);
      const from = first - (first % spare);
      const to = from + Math.ceil(innerHeight / rowHeight) + 3 * spare;
      setShown((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [isWhole, rowHeight]);
  const from = isWhole ? 0 : Math.min(shown.from, count);
  const to = isWhole ? count : Math.min(shown.to, count);
  return { place, from, to, before: from * rowHeight, after: (count - to) * rowHeight };
}
