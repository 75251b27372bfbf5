import { useEffect, useRef } from 'preact/hooks';

/** A mouse picks up after so many pixels, a finger after so long: shorter touches scroll. */
const [dragPx, pressMs] = [6, 300];
/** So near to the edge of the board it scrolls. */
const edgePx = 48;

interface CarryOptions {
  onPickUp(id: string): void;
  /** The column below the pointer. */
  onOver(lane: string): void;
  onDrop(): void;
  /** Let go outside of all columns, or interrupted. */
  onEnd(): void;
}

/** Carrying cards with a mouse or a finger. The card follows the pointer; the columns know nothing of it. */
export function useCarry(options: CarryOptions) {
  const latest = useRef(options);
  latest.current = options;
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);

  const begin = (down: PointerEvent) => {
    const card = (down.target as HTMLElement).closest<HTMLElement>('[data-id]');
    if (card === null || down.button !== 0) return;
    const isFinger = down.pointerType === 'touch';
    let isCarrying = false;
    const pickUp = () => {
      isCarrying = true;
      card.setPointerCapture(down.pointerId);
      latest.current.onPickUp(card.dataset.id ?? '');
    };
    const press = isFinger ? setTimeout(pickUp, pressMs) : undefined;

    const move = (event: PointerEvent) => {
      const [x, y] = [event.clientX - down.clientX, event.clientY - down.clientY];
      if (!isCarrying) {
        if (Math.hypot(x, y) < dragPx) return;
        // The finger scrolls.
        if (isFinger) return end();
        pickUp();
      }
      card.style.translate = `${x}px ${y}px`;
      const lane = laneAt(event, card);
      if (lane !== undefined) latest.current.onOver(lane);
      scrollAtEdge(card.closest('.board'), event.clientX);
    };
    const up = (event: PointerEvent) => {
      const wasCarrying = isCarrying;
      const lane = laneAt(event, card);
      end();
      if (!wasCarrying) return;
      // The click that follows would open the record.
      addEventListener('click', preventOnce, { capture: true, once: true });
      setTimeout(() => removeEventListener('click', preventOnce, { capture: true }));
      if (lane === undefined) latest.current.onEnd();
      else latest.current.onDrop();
    };
    const cancel = () => {
      end();
      if (isCarrying) latest.current.onEnd();
    };
    const hold = (event: Event) => isCarrying && event.preventDefault();
    const end = () => {
      clearTimeout(press);
      card.style.translate = '';
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', up);
      removeEventListener('pointercancel', cancel);
      removeEventListener('touchmove', hold);
      stop.current = () => {};
    };
    stop.current = end;
    addEventListener('pointermove', move);
    addEventListener('pointerup', up);
    addEventListener('pointercancel', cancel);
    addEventListener('touchmove', hold, { passive: false });
  };
  return { onPointerDown: begin };
}

function laneAt({ clientX, clientY }: PointerEvent, card: HTMLElement): string | undefined {
  const below = document.elementsFromPoint(clientX, clientY).filter((one) => !card.contains(one));
  return below.map((one) => one.closest<HTMLElement>('[data-lane]')).find((lane) => lane !== null)?.dataset
    .lane;
}

function scrollAtEdge(board: Element | null, x: number): void {
  if (board === null) return;
  const { left, right } = board.getBoundingClientRect();
  if (x < left + edgePx) board.scrollLeft -= 12;
  else if (x > right - edgePx) board.scrollLeft += 12;
}

function preventOnce(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
