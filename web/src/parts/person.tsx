import { useState } from 'preact/hooks';
import { Problem } from '../api/client.ts';
import type { Person } from '../session/provider.ts';
import { useApp } from './context.ts';
import { type Loaded, useLoad } from './use-load.ts';

/** Name and picture, sent by the provider to this page only. */
export function usePerson(): Loaded<Person> {
  const { session } = useApp();
  const load = () =>
    session.person().catch((error: unknown) => {
      const title = error instanceof Error ? error.message : String(error);
      throw new Problem(0, { code: 'userinfo_refused', title }, error);
    });
  return useLoad<Person>(load, 'person');
}

interface PortraitProps {
  readonly person: Person | null;
  readonly size: number;
  /** Needed if no name stands beside the picture. */
  readonly alt?: string;
}

/** The picture, or the first letter of the name if the picture is missing or blocked. */
export function Portrait({ person, size, alt = '' }: PortraitProps) {
  const [isBroken, setBroken] = useState(false);
  const picture = person?.picture;
  if (!picture || isBroken) {
    return (
      <span class={`portrait letter s${size}`} aria-hidden="true">
        {[...(person?.name ?? '?')][0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      class={`portrait s${size}`}
      src={picture}
      alt={alt}
      width={size}
      height={size}
      referrerpolicy="no-referrer"
      onError={() => setBroken(true)}
    />
  );
}
