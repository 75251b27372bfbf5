import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import type { RequestOrigin } from '../../src/base/caller.ts';

/** The queue of the service. It notes whether each caller was a suspect when its turn came. */
export class WatchedQueue extends SignatureQueue {
  readonly suspects: boolean[] = [];

  override run(check: () => boolean, origin: RequestOrigin): Promise<boolean> {
    return super.run(() => {
      this.suspects.push(origin.isSuspect());
      return check();
    }, origin);
  }
}
