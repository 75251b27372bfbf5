import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { caught, Problem } from '../api/client.ts';

export interface Loaded<T> {
  /** Null until it was loaded. The old value stays while it is loaded again. */
  readonly value: T | null;
  readonly problem: Problem | null;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads a value when the component appears and whenever `key` changes. An outdated answer is ignored. */
export function useLoad<T>(load: () => Promise<T>, key: string): Loaded<T> {
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
    const outcome = await latest.current().catch(caught);
    if (mine !== turn.current) return;
    setLoading(false);
    const isRefused = outcome instanceof Problem;
    setProblem(isRefused ? outcome : null);
    if (!isRefused) setValue(() => outcome);
  }, []);
  // The key stands for everything that `load` depends on.
  useEffect(() => {
    void reload();
    return () => {
      turn.current += 1;
    };
  }, [reload, key]);
  return { value, problem, isLoading, reload: () => void reload() };
}
