import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from './context.ts';
import { Icon } from './icons.tsx';
import { t } from './words.ts';

interface ScreenProps {
  readonly title: string;
  /** Beside the title: the number of records. */
  readonly count?: string;
  readonly lead?: ComponentChildren;
  /** Where the page belongs: its address, and what stands there. */
  readonly back?: { readonly href: string; readonly label: string };
  /** At the right of the bar: views, search, what can be done. */
  readonly actions?: ComponentChildren;
  /** The title stands in the page, not in the bar. */
  readonly isRecord?: boolean;
  readonly children: ComponentChildren;
}

/** Browsers announce a new page themselves, so the first screen does not take the focus. */
let isFirst = true;

/** One screen below its bar. Its title gets the focus when it appears, so that screen readers announce it. */
export function Screen({ title, count, lead, back, actions, isRecord = false, children }: ScreenProps) {
  const { brand } = useApp().settings;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – ${brand.title}`;
  }, [title]);
  const takesFocus = useRef(!isFirst);
  const isNew = useRef(true);
  useEffect(() => {
    if (takesFocus.current) scrollTo(0, 0);
    isFirst = false;
  }, []);
  // Once its record is there, the title moves out of the bar, and would lose the focus.
  useLayoutEffect(() => {
    const isFree = isNew.current || document.activeElement === document.body;
    if (takesFocus.current && isFree) heading.current?.focus({ preventScroll: true });
    isNew.current = false;
  }, [isRecord]);
  const head = (
    <h1 ref={heading} tabIndex={-1} class={isRecord ? '' : 'cut'}>
      {title}
    </h1>
  );
  return (
    <>
      <div class="bar">
        {back && (
          <a class="back" href={back.href}>
            <Icon name="back" />
            <span class="hidden">{t.frame.back}</span> <span class="cut">{back.label}</span>
          </a>
        )}
        {!isRecord && head}
        {count && <span class="bar-count">{count}</span>}
        <span class="gap" />
        {actions}
      </div>
      {(isRecord || lead) && (
        <div class="page-head">
          {isRecord && head}
          {lead && <p class="lead">{lead}</p>}
        </div>
      )}
      {children}
    </>
  );
}
