import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface ScreenProps {
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Shown beside the title. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Browsers announce a new page themselves, so the first screen does not take the focus. */
let isFirst = true;

/** One screen. Its title gets the focus when it appears, so that screen readers announce it. */
export function Screen({ title, lead, aside, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Vestibule`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) {
      heading.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst = false;
  }, []);
  return (
    <>
      <div class="screen-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {aside}
      </div>
      {children}
    </>
  );
}
