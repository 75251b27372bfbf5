import { describe, Refusal } from '../../base/errors.ts';
import type { Answer, BearerHandler } from '../../base/handler.ts';
import type { ReadLimit } from './read-limit.ts';

interface Limits {
  readonly reads: ReadLimit;
  /** Writes under way, and those of the last minute that were no more than a read, or refused for a budget. */
  readonly attempts: ReadLimit;
}

type Write = (
  ...request: Parameters<BearerHandler>
) => Promise<{ readonly answer: Answer; readonly isCharged: boolean }>;

/**
 * A write that is refused, or was done before, has looked something up for the caller and is charged to no budget of the
 * collection. So it counts as a read. It takes its place before it begins, or any number of them could be under way at
 * once. Writes that succeed cost no reads, nor do those that are refused because a budget is spent; but these, too, keep
 * their place for the minute.
 */
export function countingUncharged({ reads, attempts }: Limits, write: Write): BearerHandler {
  return async (input, caller) => {
    const { id } = caller;
    if (id === null) return (await write(input, caller)).answer;
    attempts.take(id);
    try {
      const { answer, isCharged } = await write(input, caller);
      if (!isCharged) return { ...answer, head: [...answer.head, ...Object.entries(reads.take(id)).flat()] };
      attempts.refund(id);
      return answer;
    } catch (error) {
      const status = error instanceof Refusal ? describe(error.code).status : 500;
      if (error instanceof Refusal && isAnswerToTheCaller(status)) throw withHeaders(error, reads.take(id));
      // A caller that comes again although its budget is spent reads from the database each time: so many a minute.
      if (status !== 429) attempts.refund(id);
      throw error;
    }
  };
}

/** Not what says that the caller is to come again later: a budget of its own is spent, or the service cannot serve it. */
function isAnswerToTheCaller(status: number): boolean {
  return status < 500 && status !== 429;
}

function withHeaders({ code, options }: Refusal, headers: Readonly<Record<string, string>>): Refusal {
  return new Refusal(code, { ...options, headers: { ...options.headers, ...headers } });
}
