import type { Clock } from '../../base/clock.ts';
import { describe, OperatorError, Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { Log } from '../../base/log.ts';
import { errorFields } from '../../base/plain-log.ts';
import { type SecurityEventParts, takeEvent } from './receive-event.ts';

const everyMs = 5_000;
/** While there is more, or something to be told of what came. */
const soonMs = 500;
const longestPauseMs = 60_000;
/**
 * Beside those that are left to be sent again. As many as fit into one answer, each as large as it may be (`auth/compact`,
 * `auth/provider-fetch`).
 */
export const mostAtOnce = 50;

interface EventPollOptions {
  /** One question: what the provider answers to it. */
  readonly ask: (question: JsonObject, stopping: AbortSignal) => Promise<unknown>;
  readonly events: SecurityEventParts;
  /** Whether this process is the one that asks. */
  readonly hold: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** Hears what came of every try: null when it went well. */
  readonly onPolled: (error: unknown) => void;
}

/** What became of an event: its id, and null or why it was not taken. */
type Outcomes = ReadonlyMap<string, Refusal | null>;
const none: Outcomes = new Map();

/** Asks a provider for its security events (RFC 8936), every few seconds, in one process of all. */
export class EventPoll {
  readonly #options: EventPollOptions;
  /** What is still to be told of events that came before; only once that was heard are they gone for good. */
  #outcomes: Outcomes = none;
  /**
   * How many of the last answer were left to be sent again. A transmitter may give those first, so that many more are asked
   * for: or they would fill every answer until their keys are known, and no later one would be seen.
   */
  #left = 0;
  #failuresInARow = 0;
  #cancel: () => void = () => {};
  readonly #stopping = new AbortController();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: EventPollOptions) {
    this.#options = options;
  }

  start(afterMs = 0): void {
    this.#cancel = this.#options.clock.after(afterMs, () => {
      this.#polling = this.#poll().then((pauseMs) => {
        if (!this.#stopping.signal.aborted) this.start(pauseMs);
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel();
    await this.#polling;
  }

  /** How long to wait before the next. */
  async #poll(): Promise<number> {
    const { hold, log, onPolled } = this.#options;
    try {
      if (!(await hold())) return everyMs;
      const { sets, more } = await this.#ask();
      this.#outcomes = await this.#take(sets);
      const left = sets.size - this.#outcomes.size;
      // To ask again at once for the same ones would bring nothing else.
      const isMore = more && left > this.#left;
      this.#left = left;
      this.#failuresInARow = 0;
      onPolled(null);
      return isMore || this.#outcomes.size > 0 ? soonMs : everyMs;
    } catch (error) {
      if (this.#stopping.signal.aborted) return everyMs;
      // It may have been too large an answer.
      this.#left = 0;
      this.#failuresInARow += 1;
      onPolled(error);
      const pauseMs = Math.min(everyMs * 2 ** this.#failuresInARow, longestPauseMs);
      // Written for the operator, and of no input: the file of the token is gone, for instance.
      const detail = error instanceof OperatorError ? { detail: error.message } : {};
      const fields = { ...errorFields(error), ...detail, retry_in_seconds: pauseMs / 1000 };
      log.warn(fields, 'security events not fetched');
      return pauseMs;
    }
  }

  async #ask() {
    const maxEvents = mostAtOnce + this.#left;
    const question = {
      maxEvents,
      returnImmediately: true,
      ack: [...this.#outcomes].filter(([, fault]) => fault === null).map(([id]) => id),
      ...faultsIn(this.#outcomes),
    };
    return readSets(await this.#options.ask(question, this.#stopping.signal), maxEvents);
  }

  /** One after the other. One whose key is not known yet is left to be sent again, and holds up none of this answer. */
  async #take(sets: ReadonlyMap<string, string>): Promise<Outcomes> {
    const outcomes = new Map<string, Refusal | null>();
    for (const [id, text] of sets) {
      const outcome = await this.#takeOne(text);
      if (outcome?.code !== 'keys_unavailable') outcomes.set(id, outcome);
    }
    const left = sets.size - outcomes.size;
    if (left > 0) this.#options.log.warn({ events: left }, 'security events left until their keys are known');
    return outcomes;
  }

  /** Null, or why it was not taken. Throws what is not about this one, such as a database that does not answer. */
  async #takeOne(text: string): Promise<Refusal | null> {
    try {
      await takeEvent(this.#options.events, text, { address: '', isSuspect: () => false });
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isAboutIt = error.code === 'keys_unavailable' || describe(error.code).eventError !== undefined;
      if (isAboutIt) return error;
      throw error;
    }
  }
}

function faultsIn(outcomes: Outcomes) {
  const faults = [...outcomes].flatMap(([id, fault]) => {
    if (fault === null) return [];
    return [[id, { err: describe(fault.code).eventError, description: describe(fault.code).sentence }]];
  });
  return faults.length === 0 ? {} : { setErrs: Object.fromEntries(faults) };
}

function readSets(answer: unknown, maxEvents: number) {
  const sets = isJsonObject(answer) ? (answer.sets ?? {}) : null;
  if (!isJsonObject(answer) || !isJsonObject(sets)) throw new Error('the answer has no "sets"');
  const texts = Object.entries(sets).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { sets: new Map(texts.slice(0, maxEvents)), more: answer.moreAvailable === true };
}
