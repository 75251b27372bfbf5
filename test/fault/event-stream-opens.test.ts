import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type CheckStanding, createCheckStanding } from '../../src/auth/authenticate.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Refusal } from '../../src/base/errors.ts';
import type { Outlet } from '../../src/base/handler.ts';
import { createKeyedDigest } from '../../src/base/keyed-digest.ts';
import { createLog } from '../../src/base/log.ts';
import { readEvents } from '../../src/consumer/feed/read-events.ts';
import { createRevocationNames } from '../../src/consumer/pseudonym.ts';
import { Standing } from '../../src/consumer/standing.ts';
import { LongPolls, StreamLimit } from '../../src/events/stream-limit.ts';
import { Streams } from '../../src/events/streams.ts';
import { EventTail } from '../../src/events/tail.ts';
import { ReadLimit } from '../../src/records/requests/read-limit.ts';
import { ClientDirectory } from '../../src/tokens/client-directory.ts';
import { register } from '../support/databases/batches.ts';
import { anyKeys, createTestDatabase } from '../support/databases/databases.ts';
import { anyLine } from '../support/databases/records.ts';
import { inputWith } from '../support/http/input.ts';
import { until } from '../support/run/polling.ts';
import { someEngine } from '../support/services/service.ts';
import { verifiedToken } from '../support/tokens/verified-caller.ts';

const token = verifiedToken();
const { caller } = token;

/** The receiving end of a stream: all that was written, also after its end, and whether it has ended. */
class Written implements Outlet {
  readonly unsent = 0;
  text = '';
  hasEnded = false;

  write(text: string): void {
    this.text += text;
  }
  async send(text: string): Promise<void> {
    this.write(text);
  }
  end(): void {
    this.hasEnded = true;
  }
  cut(): void {
    this.hasEnded = true;
  }
  onClose(): void {}
}

for (const engine of someEngine) {
  describe(`events of a caller suspended right after authentication, on ${engine}`, () => {
    /** `GET /events` on its own database, and a function that suspends the caller and waits for the notification. */
    async function start(ends: AsyncDisposableStack) {
      const storage = await createTestDatabase(engine).then((empty) => empty.open());
      ends.defer(() => storage.close());
      await register(storage, 'usr_a', 'user', 1);
      const log = createLog('silent');
      const clock = systemClock;
      const store = storage.events;
      const tail = new EventTail({ store, hasTopics: false, onRewound: () => {}, clock, log });
      const streamLimit = new StreamLimit(5);
      const longPolls = new LongPolls();
      const checkStanding: CheckStanding = (one) => createCheckStanding(standing)(one);
      const streams = new Streams({ tail, store, checkStanding, clock });
      const standing = new Standing({
        store: storage.standing,
        names: createRevocationNames(createKeyedDigest(new Uint8Array(32))),
        clients: new ClientDirectory({ store: storage.clients, clientMac: anyKeys.clientMac, log }),
        ownIssuer: 'https://api.example',
        onChange: async () => {
          streams.recheck();
          longPolls.recheck(checkStanding);
        },
        clock,
        time: clock,
        log,
      });
      await standing.start();
      ends.defer(() => standing.stop());
      await tail.start();
      ends.defer(() => tail.stop());
      await checkStanding(token);
      const reads = new ReadLimit(1_000, clock);
      const checkAgain = checkStanding;
      const read = readEvents([], {
        store,
        tail,
        streams,
        streamLimit,
        longPolls,
        checkAgain,
        reads,
        audienceOf: null,
        records: storage.records,
        clock,
      });
      const suspend = async () => {
        await storage.consumers.setState('usr_a', 'suspended', anyLine);
        await until(
          async () => checkStanding(token),
          () => false,
          'it is never heard of',
        ).catch((error: unknown) => assert.ok(error instanceof Refusal, String(error)));
      };
      return { read, suspend };
    }

    it('a stream ends at once without events', async () => {
      await using ends = new AsyncDisposableStack();
      const { read, suspend } = await start(ends);
      const accept = (name: string) => (name === 'accept' ? 'text/event-stream' : undefined);
      const answer = await read(inputWith({ header: accept }), caller, token);
      await suspend();
      const outlet = new Written();
      answer.live?.(outlet);
      assert.equal(outlet.hasEnded, true);
      // Closing waits for running queries, and a stream that begins has one.
      await ends.disposeAsync();
      await setImmediate();
      assert.equal(outlet.text, 'event: end\ndata: {"reason":"consumer_suspended"}\n\n');
    });

    it('a long poll is refused at once', async () => {
      await using ends = new AsyncDisposableStack();
      const { read, suspend } = await start(ends);
      await suspend();
      // Waiting callers are checked from time to time for a closed connection.
      const hasHungUp = () => assert.fail('it waits');
      await assert.rejects(
        async () => read(inputWith({ query: 'wait=30', hasHungUp }), caller, token),
        (error) => error instanceof Refusal && error.code === 'consumer_suspended',
      );
    });
  });
}
