import type { Clock } from '../base/clock.ts';
import { parseDuration } from '../base/duration.ts';
import { alertRules } from './alert-table.ts';
import type { History } from './history.ts';

export const alertsElsewhere = alertRules.flatMap(({ name, find }) => (find === null ? [name] : []));

/** Evaluates the alerts whenever the metrics are read, and stores since when each condition holds. */
export class Alerts {
  readonly #clock: Clock;
  readonly #since = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  evaluate(history: History) {
    const now = this.#clock.monotonic();
    return alertRules.flatMap(({ name, severity, holdsFor, find, advice: markdown }) => {
      if (find === null) return [];
      const forSeconds = (parseDuration(holdsFor) ?? 0) / 1000;
      const advice = withoutLinks(markdown);
      const before = this.#since.get(name);
      const found = find(history);
      const since = new Map([...found.keys()].map((about) => [about, before?.get(about) ?? now]));
      this.#since.set(name, since);
      const subjects = [...found].map(([about, value]) => {
        const seconds = (now - (since.get(about) as number)) / 1000;
        return { about, value, seconds, is_firing: seconds >= forSeconds };
      });
      const isFiring = subjects.some((subject) => subject.is_firing);
      const state = isFiring ? 'firing' : subjects.length > 0 ? 'pending' : 'ok';
      return [{ name, severity, state, for_seconds: forSeconds, subjects, advice }];
    });
  }
}

/** Links become the path of the document: the console has no documents. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\(([^)]*)\)/g, (_, text: string, target: string) => {
    return `${text} (docs/${target.startsWith('#') ? `operations.md${target}` : target})`;
  });
}
