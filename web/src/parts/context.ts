import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { OwnWrites } from '../api/own-writes.ts';
import type { Session } from '../session/session.ts';
import type { Settings } from '../session/settings.ts';

/** The parts that all screens share; made once in main.tsx. */
export interface AppParts {
  readonly settings: Settings;
  readonly session: Session;
  readonly api: Api;
  /** The API for requests in the background, and for events. It never goes to the provider to renew the token. */
  readonly quietApi: Api;
  readonly writes: OwnWrites;
  /** Shows a short message and announces it to screen readers; an empty text removes it. */
  announce(text: string): void;
}

export const AppContext = createContext<AppParts | null>(null);

export function useApp(): AppParts {
  const app = useContext(AppContext);
  if (app === null)
    throw new Error('useApp was called outside of AppContext. Render this part inside of it.');
  return app;
}
