import { loadConfig } from '../../../src/config/load.ts';
import { explainToken } from '../../../src/operate/explain.ts';
import { canaryWords, encodings } from '../faults/canaries.ts';
import type { Settings } from '../services/service.ts';
import { type Outcome, runProgram } from './outcome.ts';

/** What `vestibule explain` finds for a service of these settings, without a process of its own. */
export async function explained(settings: Settings, token: string) {
  return explainToken(await loadConfig(settings), token);
}

export function runExplain(settings: Settings, input: string, ...options: string[]): Promise<Outcome> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const parameters = ['bin/vestibule.js', 'explain', ...options];
  return runProgram(process.execPath, parameters, { env: { PATH, NODE_COMPILE_CACHE, ...settings }, input });
}

/** Shorter parts of a token are found in any text by chance. */
const shortestPart = 12;

/** The parts of a token, or of its personal claims, that a text contains; expected to be empty. */
export function leaksOf(token: string, text: string): readonly string[] {
  const words = canaryWords.flatMap((word) => [...encodings(word).values()].map(String));
  const parts = token.split(/[.\s]/).filter((part) => part.length >= shortestPart);
  return [...words, ...parts].filter((part) => text.includes(part));
}
