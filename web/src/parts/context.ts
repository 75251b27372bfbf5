import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { OwnWrites } from '../api/own-writes.ts';
import type { Session } from '../session/session.ts';
import type { Settings } from '../session/settings.ts';

/** What every screen may need; made once in main.tsx. */
export interface AppParts {
  readonly settings: Settings;
  readonly session: Session;
  readonly api: Api;
  /** The same, and events, for what nobody has pressed a button for: the page is not left to renew the token. */
  readonly quietApi: Api;
  readonly writes: OwnWrites;
  /** Says in a few words, to eyes and to screen readers, what has just been done; with none, says nothing any more. */
  announce(text: string): void;
}

export const AppContext = createContext<AppParts | null>(null);

export function useApp(): AppParts {
  const app = useContext(AppContext);
  if (app === null)
    throw new Error('useApp was called outside of AppContext. Render this part inside of it.');
  return app;
}
