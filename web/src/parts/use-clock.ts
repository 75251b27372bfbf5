import { useEffect, useState } from 'preact/hooks';

/** The time, updated once a second. */
export function useClock(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The seconds that are left until a time; 0 after it. */
export function useSecondsUntil(timeMs: number): number {
  return Math.max(0, Math.ceil((timeMs - useClock()) / 1000));
}

export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return isOnline;
}

/** The time, updated with each minute. */
export function useMinutes(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setNow(Date.now()), 60_000 - (now % 60_000));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
