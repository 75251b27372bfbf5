import { useState } from 'preact/hooks';
import { caught, type Problem } from '../api/client.ts';
import { useApp } from './context.ts';

/** Runs an action of the person and keeps the problem of the last try. A new try removes earlier messages. */
export function useAttempt() {
  const { announce, writes } = useApp();
  const [problem, setProblem] = useState<Problem | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    announce('');
    await writes.follow(work()).catch((error) => setProblem(caught(error)));
  };
  return { problem, attempt, forget: () => setProblem(null) };
}
