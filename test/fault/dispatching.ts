import { type Clock, ConfirmedTime } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { WebhookDispatcher } from '../../src/events/webhooks/dispatcher.ts';
import type { Sending, Sent } from '../../src/events/webhooks/send.ts';
import type { Box } from '../../src/events/webhooks/signing.ts';
import { BackgroundLease } from '../../src/ops/background-lease.ts';
import type { Storage } from '../../src/storage/port.ts';
import { newLine } from '../support/databases/records.ts';

/** Every webhook in the database counts as written by this service. */
const openBox: Box = { seal: (plain) => plain, unseal: (sealed) => sealed };

const silent = createLog('silent');

/** A dispatcher over a real storage. Its messages go into a list, or to a function of the test. */
export function dispatching(
  storage: Pick<Storage, 'webhooks' | 'deliveries' | 'events' | 'leases'>,
  clock: Clock,
  send: (sending: Sending) => Promise<Sent> = async () => ({ ok: true, status: 204 }),
) {
  const sent: string[] = [];
  let tell: () => void = () => {};
  const lease = new BackgroundLease({ store: storage.leases, clock });
  const dispatcher = new WebhookDispatcher({
    ...storage,
    lease,
    tail: {
      last: 0,
      subscribe(listener) {
        tell = () => listener([]);
        return () => {};
      },
    },
    send: (sending) => {
      sent.push(String(sending.headers['webhook-id']));
      return send(sending);
    },
    box: openBox,
    source: 'https://api.example.org',
    onTried: () => {},
    audit: (action, subject) => newLine({ action, subject }),
    clock,
    time: new ConfirmedTime(clock, silent),
    log: silent,
  });
  return {
    dispatcher,
    /** Also releases the lease. */
    async stop() {
      await dispatcher.stop(0);
      await lease.stop();
    },
    /** The ids of the sent messages, in order. */
    sent,
    /** Something was appended to the log. */
    tell: () => tell(),
  };
}
