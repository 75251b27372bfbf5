import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Data, load, Refused } from './data.ts';

const everyMs = 2_000;

export interface Loaded {
  readonly data: Data | null;
  /** Since when the service has not answered; null while it does. */
  readonly lostAt: Date | null;
  /** The status of a refusal: 401 asks for the token. */
  readonly refused: number | null;
}

const nothing: Loaded = { data: null, lostAt: null, refused: null };

/** Asks every two seconds while the page is seen. The last data stay when the service does not answer. */
export function useData(token: string): Loaded & { readonly retry: () => void } {
  const [loaded, setLoaded] = useState(nothing);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      if (document.hidden) return;
      clearTimeout(timer);
      const answer = await load<Data>('console/data', token).then(
        (data): Loaded => ({ data, lostAt: null, refused: null }),
        (error: unknown) => (error instanceof Refused ? error.status : null),
      );
      if (isOver) return;
      setLoaded((before) => {
        if (answer !== null && typeof answer === 'object') return answer;
        if (answer === 401) return { ...nothing, refused: answer };
        return { ...before, lostAt: before.lostAt ?? new Date(), refused: answer };
      });
      // A wrong token is not sent again and again.
      if (answer !== 401) timer = setTimeout(ask, everyMs);
    };
    void ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [token, attempt]);
  return { ...loaded, retry: useCallback(() => setAttempt((count) => count + 1), []) };
}
