import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/client.ts';
import type { OwnWrites } from '../api/own-writes.ts';
import type { Session } from '../session/session.ts';
import type { Settings } from '../session/settings.ts';

/** What every screen may need; made once in main.tsx. */
export interface House {
  readonly settings: Settings;
  readonly session: Session;
  readonly api: Api;
  /** The same, and events, for what nobody has pressed a button for: the page is not left to renew the token. */
  readonly quietApi: Api;
  readonly writes: OwnWrites;
  /** Says in a few words, to eyes and to screen readers, what has just been done; with none, says nothing any more. */
  announce(text: string): void;
}

export const HouseContext = createContext<House | null>(null);

export function useHouse(): House {
  const house = useContext(HouseContext);
  if (house === null) throw new Error('There is no house around this part.');
  return house;
}
