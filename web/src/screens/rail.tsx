import { useEffect, useState } from 'preact/hooks';
import type { Collection } from '../api/types.ts';
import { planOf } from '../lists/plan.ts';
import { isOurs } from '../lists/use-row-keys.ts';
import { BrandMark } from '../parts/brand.tsx';
import { useApp } from '../parts/context.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { later } from '../parts/later.tsx';
import { Menu } from '../parts/menu.tsx';
import { Portrait, usePerson } from '../parts/person.tsx';
import { goTo, linkTo } from '../parts/use-route.ts';
import { useWide } from '../parts/use-wide.ts';
import { t } from '../parts/words.ts';
import { hasOwnList } from '../records/family.ts';

const KeysDialog = later(() => import('../parts/keys-dialog.tsx').then((found) => found.KeysDialog));

/** So many collections stand in the bar of a phone; the others are behind "More". */
const inBar = 4;

interface RailProps {
  readonly collections: readonly Collection[];
  readonly here: readonly string[];
}

/** The collections: at the side on a desk, at the bottom on a phone. */
export function Rail({ collections, here: [page, name] }: RailProps) {
  const { settings } = useApp();
  const isWide = useWide();
  const shown = collections.filter(isInRail);
  const current = rootOf(collections, page === 'data' ? name : undefined);
  const inReach = isWide ? shown : shown.slice(0, inBar);
  const [hasKeysShown, setKeysShown] = useState(false);
  useGoKeys(shown, () => setKeysShown(true));
  return (
    <header class="rail">
      <a class="brand" href={linkTo()}>
        <BrandMark />
        <span class="cut">{settings.brand.title}</span>
      </a>
      <nav aria-label={t.frame.collections}>
        <ul>
          {inReach.map((collection) => (
            <li key={collection.name}>
              <a
                href={linkTo('data', collection.name)}
                aria-current={collection.name === current ? 'page' : undefined}
              >
                <Icon name={iconOf(collection)} />
                <span class="cut">{collection.title}</span>
              </a>
            </li>
          ))}
          {shown.length > inReach.length && (
            <li>
              <Menu
                label={t.frame.more}
                class="rail-more"
                button={
                  <>
                    <Icon name="dots" />
                    <span class="cut">{t.frame.more}</span>
                  </>
                }
                items={() =>
                  shown
                    .slice(inBar)
                    .map(({ name: other, title }) => ({ label: title, onChoose: () => goTo('data', other) }))
                }
              />
            </li>
          )}
        </ul>
      </nav>
      <Me isHere={page === 'you'} />
      {hasKeysShown && <KeysDialog onClose={() => setKeysShown(false)} />}
    </header>
  );
}

function Me({ isHere }: { readonly isHere: boolean }) {
  const { value } = usePerson();
  const name = value?.name ?? t.account.title;
  return (
    <a
      class="me"
      href={linkTo('you')}
      aria-current={isHere ? 'page' : undefined}
      aria-label={t.frame.account(name)}
    >
      <Portrait person={value} size={26} />
      <span class="cut">{name}</span>
    </a>
  );
}

/** Those that have a list of their own, but for records under others that nobody plans or works through. */
function isInRail(collection: Collection): boolean {
  if (!hasOwnList(collection)) return false;
  if (collection.parent === undefined) return true;
  const { views } = planOf(collection);
  return views.includes('board') || views.includes('agenda');
}

/** The collection in the rail to which a record under others belongs. */
function rootOf(collections: readonly Collection[], name: string | undefined): string | undefined {
  const found = collections.find((one) => one.name === name);
  if (found === undefined || isInRail(found)) return found?.name;
  return rootOf(collections, found.parent?.collection);
}

function iconOf(collection: Collection): IconName {
  const { views } = planOf(collection);
  if (views.includes('agenda')) return 'day';
  if (views.includes('board')) return 'board';
  return collection.roles === undefined ? 'note' : 'people';
}

/** G and a digit go to a collection, / to the search, N to a new record; ? shows all keys. */
function useGoKeys(shown: readonly Collection[], showKeys: () => void): void {
  useEffect(() => {
    let isGoing = false;
    const hear = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (!isOurs(event) || target.closest('input, select, textarea, dialog, [role=menu]')) return;
      const place = isGoing ? Number(event.key) : Number.NaN;
      isGoing = event.key === 'g';
      const goal = shown[place - 1];
      if (goal !== undefined) goTo('data', goal.name);
      else if (event.key === '/') document.querySelector<HTMLElement>('input[type=search]')?.focus();
      else if (event.key === '?') showKeys();
      else if (event.key === 'n') document.querySelector<HTMLElement>('[data-key=n]')?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [shown.length]);
}
