import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import type { Answers, FromChild, Question, Start, ToChild } from './messages.ts';

/** How a process came to its end; both are null when it could not even be started. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The end of a process may be heard of before what it said last. */
const lastWordsMs = 50;

/** One process as its supervisor sees it. */
export class Child {
  readonly process: number;
  readonly startedAt: number;
  /** Its address, once it takes connections; null when it ended first. */
  readonly listening: Promise<string | null>;
  readonly ended: Promise<Ending>;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #asked = new Map<number, (answer: Answers[Question] | null) => void>();
  readonly #given = new Map<number, { readonly socket: Socket; readonly onFailed: () => void }>();
  #lastId = 0;
  #isListening = false;

  constructor(worker: Worker, start: Start, clock: Clock) {
    this.process = start.process;
    this.startedAt = clock.monotonic();
    this.#worker = worker;
    this.#clock = clock;
    const ended = Promise.withResolvers<Ending>();
    const listening = Promise.withResolvers<string | null>();
    this.ended = ended.promise;
    this.listening = listening.promise;
    worker.once('exit', (code, signal) => ended.resolve({ code, signal }));
    worker.on('error', () => {
      if (worker.process.pid === undefined) ended.resolve({ code: null, signal: null });
    });
    worker.on('message', (message: FromChild) => {
      if ('id' in message) this.#asked.get(message.id)?.(message.answer);
      else if ('taken' in message) this.#forget(message.taken);
      else {
        this.#isListening = true;
        listening.resolve(message.listening);
      }
    });
    void ended.promise.then(() => {
      this.#isListening = false;
      listening.resolve(null);
      for (const answer of this.#asked.values()) answer(null);
      clock.after(lastWordsMs, () => {
        for (const { onFailed } of this.#given.values()) onFailed();
      });
    });
    this.#send({ start });
  }

  /** Whether the system, or its supervisor, gives it connections. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Null when it does not answer in time. */
  async ask<Q extends Question>(question: Q, withinMs: number): Promise<Answers[Q] | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answers[Question] | null>();
    this.#asked.set(id, resolve);
    const cancel = this.#clock.after(withinMs, () => resolve(null));
    this.#send({ ask: question, id });
    const answer = await promise;
    cancel();
    this.#asked.delete(id);
    return answer as Answers[Q] | null;
  }

  /**
   * Hands a connection over. It is kept here as well until the process says that it has it: Node would leave it hanging when
   * the process ends first. `onFailed` is called then.
   */
  give(socket: Socket, onFailed: () => void): void {
    this.#lastId += 1;
    this.#given.set(this.#lastId, { socket, onFailed });
    const message = { connection: this.#lastId } satisfies ToChild;
    this.#worker.send(message, socket, { keepOpen: true }, () => {});
  }

  signal(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  /** The process has the connection; this end of it is closed. */
  #forget(connection: number): void {
    this.#given.get(connection)?.socket.destroy();
    this.#given.delete(connection);
  }

  /** A child that is gone is heard of by its end. */
  #send(message: ToChild): void {
    this.#worker.send(message, undefined, {}, () => {});
  }
}
