import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Announcement {
  readonly text: string;
  readonly number: number;
}

const shownForMs = 5000;
/** Distance from the edge of the window. */
const marginPx = 16;
const stepPx = 8;

/** Shows what has just been done as a toast. The live region is always in the page, because screen readers do not announce a region that appears together with its text. */
export function Announcer({ latest }: { readonly latest: Announcement | null }) {
  const [shown, setShown] = useState<Announcement | null>(null);
  const toast = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    setShown(latest);
    const timer = setTimeout(() => setShown(null), shownForMs);
    return () => clearTimeout(timer);
  }, [latest]);
  useLayoutEffect(() => {
    const { current } = toast;
    if (current === null) return;
    const place = () => moveOffControls(current);
    place();
    // The content below it can change while it is shown, and the page can scroll.
    const observer = new ResizeObserver(place);
    observer.observe(document.body);
    addEventListener('scroll', place);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', place);
    };
  }, [shown]);
  return (
    <div class="announcer" role="status" aria-live="polite">
      {shown !== null && shown.text !== '' && (
        <p key={shown.number} ref={toast} class="toast">
          {shown.text}
        </p>
      )}
    </div>
  );
}

/** Moves the toast to the lowest place in the window where it covers no control and no error. A place that is still free is kept. */
function moveOffControls(toast: HTMLElement): void {
  const { left, right, height, bottom } = toast.getBoundingClientRect();
  const controls = [
    ...document.querySelectorAll('#app :is(a, button, input, select, textarea, [role=alert])'),
  ]
    .map((control) => control.getBoundingClientRect())
    .filter((control) => control.left < right && control.right > left);
  const isFree = (at: number) =>
    controls.every((control) => control.top >= at || control.bottom <= at - height);
  if (toast.style.bottom !== '' && isFree(bottom)) return;
  const lowest = innerHeight - marginPx;
  let at = lowest;
  while (!isFree(at) && at - height > marginPx) at -= stepPx;
  toast.style.bottom = `${innerHeight - (isFree(at) ? at : lowest)}px`;
}
