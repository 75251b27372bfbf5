import type { ServerResponse } from 'node:http';
import { ByteBudget, type Holder } from './byte-budget.ts';

/** Memory for answers that callers have not taken yet, in all and for one address. */
export const maxUnsentBytesInAll = 64 * 1024 * 1024;
export const maxUnsentBytesPerAddress = 32 * 1024 * 1024;
/** What an answer in pieces counts for: a page of records, and the piece that is being sent. */
export const bytesOfAnswerInPieces = 1024 * 1024;
const smallAnswerBytes = 4_096;

/** Bounds the memory of answers that callers read slowly. Past that the oldest one is cut off. */
export class UnsentAnswers {
  readonly #budget = new ByteBudget(maxUnsentBytesInAll, maxUnsentBytesPerAddress, 'unsent answers');

  /** For an answer in one piece that the system has not taken at once. */
  hold(response: ServerResponse, bytes: number, addressOf: () => string): void {
    if (bytes > smallAnswerBytes) this.#count(response, bytes, addressOf());
  }

  holdPieces(response: ServerResponse, address: string): void {
    this.#count(response, bytesOfAnswerInPieces, address);
  }

  #count(response: ServerResponse, bytes: number, key: string): void {
    const budget = this.#budget;
    const release = () => {
      response.off('close', release);
      budget.finish(holder);
      budget.giveBack(holder, bytes);
    };
    const holder: Holder = {
      key,
      holdsBytes: true,
      giveWay() {
        release();
        response.destroy();
      },
    };
    budget.take(holder, bytes);
    budget.begin(holder);
    response.once('close', release);
  }
}
