import type { ComponentChildren } from 'preact';
import type { Collection } from '../api/types.ts';
import { useApp } from '../parts/context.ts';
import { useLoad } from '../parts/use-load.ts';
import { linkTo } from '../parts/use-route.ts';
import { inWords } from '../schema/shape.ts';

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
  const roles = create.map((role) => `“${inWords(role).toLowerCase()}”`).join(' or ');
  return `Only people with the role ${roles} can create records here. You do not have this role.`;
}

interface NewLinkProps {
  readonly collection: Collection;
  readonly children: ComponentChildren;
}

/** The link to the form, for callers who may create records. */
export function NewLink({ collection, children }: NewLinkProps) {
  // The screen of the parent has a link of its own.
  if (useMayCreate(collection) !== true || collection.parent !== undefined) return null;
  return (
    <a class="button primary" href={linkTo('data', collection.name, 'new')}>
      {children}
    </a>
  );
}
