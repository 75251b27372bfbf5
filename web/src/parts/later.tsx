import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Loading } from './loading.tsx';
import { Notice } from './notice.tsx';
import { t } from './words.ts';

/**
 * A part of the page that is loaded when it is first shown: the first view does without it. `isOver`: it comes over what is
 * there, so nothing stands in its place meanwhile.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isOver = false,
): ComponentType<Props> {
  let Found: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [state, setState] = useState<'loading' | 'there' | 'failed'>(Found === null ? 'loading' : 'there');
    const get = () => {
      setState('loading');
      load().then(
        (found) => {
          Found = found;
          setState('there');
        },
        () => setState('failed'),
      );
    };
    useEffect(() => {
      if (Found === null) get();
    }, []);
    if (Found !== null) return <Found {...props} />;
    if (state === 'loading') return isOver ? null : <Loading what={t.frame.part} />;
    return (
      <Notice tone="bad" title={t.frame.partMissing}>
        <button type="button" class="small" onClick={get}>
          {t.retry}
        </button>
      </Notice>
    );
  };
}
