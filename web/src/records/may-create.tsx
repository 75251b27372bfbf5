import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { Icon } from '../parts/icons.tsx';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { t } from '../parts/words.ts';
import { singularOf } from './collection-words.ts';
import { roleName } from './roles.ts';

/** True if the caller may create records; null until it is known. Only the scopes of the token decide. */
export function useMayCreate({ name, access, roles = {} }: Collection): boolean | null {
  const { quietApi } = useApp();
  const creators = access.create ?? ['everyone'];
  const isOpen = creators.includes('everyone');
  const { value, isLoading } = useLoad(async () => (isOpen ? [] : (await quietApi.me()).scopes), name);
  if (isOpen) return true;
  // Without an answer the page offers it, and the service decides.
  if (value === null) return isLoading ? null : true;
  return creators.some((role) => value.includes(roles[role]?.scope ?? ''));
}

export function whoCreates({ access: { create = [] } }: Collection): string {
  return t.list.creators(create.map(roleName));
}

/** The link to the form, for callers who may create records. */
export function NewLink({ collection }: { readonly collection: Collection }) {
  // The screen of the parent has a link of its own.
  if (useMayCreate(collection) !== true || collection.parent !== undefined) return null;
  return (
    <a class="button primary" data-key="n" href={linkTo('data', collection.name, 'new')}>
      <Icon name="plus" size={16} />
      <span class="wide">{t.newOne(singularOf(collection))}</span>
    </a>
  );
}
