import type { Collection } from '../api/types.ts';
import { Icon } from '../parts/icons.tsx';
import { useAddressOption } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { findView, keepView } from '../session/traces.ts';
import type { View } from './plan.ts';

/** The view of a collection: that of the address, else the one that was used last on this device, else the first. */
export function useView({ name }: Collection, views: readonly View[]): [View, (view: View) => void] {
  const [asked, setAsked] = useAddressOption('view');
  const known = [asked, findView(name)].find((view) => views.includes(view as View));
  const show = (view: View) => {
    keepView(name, view);
    setAsked(view);
  };
  return [(known as View | undefined) ?? views[0] ?? 'list', show];
}

interface ViewTabsProps {
  readonly views: readonly View[];
  readonly shown: View;
  onShow(view: View): void;
}

export function ViewTabs({ views, shown, onShow }: ViewTabsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a frame of its own
    <div class="views" role="group" aria-label={t.list.views}>
      {views.map((view) => (
        <button key={view} type="button" aria-pressed={view === shown} onClick={() => onShow(view)}>
          <Icon name={view} size={16} />
          <span class="wide">{t.list.view[view]}</span>
        </button>
      ))}
    </div>
  );
}
