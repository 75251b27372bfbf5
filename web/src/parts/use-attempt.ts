import { useState } from 'preact/hooks';
import { caught, type Problem } from '../api/client.ts';
import { useApp } from './context.ts';

/** What somebody wants to be done, and why the last try came to nothing. What was said before is taken back. */
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
