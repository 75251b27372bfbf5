import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Outcome } from '../api/api.ts';
import type { Problem } from '../api/problem.ts';

export interface Loaded<T> {
  /** Null until it is there. It stays while it is loaded again. */
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads something when a part appears and whenever `key` changes. An answer that comes too late is not looked at. */
export function useLoad<T>(load: () => Promise<Outcome<T>>, key: string): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(true);
  const latest = useRef(load);
  latest.current = load;
  const turn = useRef(0);
  const reload = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    setLoading(true);
    const outcome = await latest.current();
    if (mine !== turn.current) return;
    setLoading(false);
    setProblem(outcome.ok ? null : outcome.problem);
    if (outcome.ok) setValue(outcome.body);
  }, []);
  // The key is what stands for everything `load` depends on.
  useEffect(() => {
    void reload();
    return () => {
      turn.current += 1;
    };
  }, [reload, key]);
  return { value, problem, isLoading, reload: () => void reload() };
}
