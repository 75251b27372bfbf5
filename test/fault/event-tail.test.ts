import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { EventTail } from '../../src/events/tail.ts';
import type { EventStore, StoredEvent } from '../../src/storage/port.ts';
import { newEvent } from '../support/databases/records.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A log in memory whose answers the test holds back. */
class SlowLog {
  readonly events: StoredEvent[] = [];
  readonly #waiting: (() => void)[] = [];
  isSlow = false;

  append(): void {
    const position = (this.events.at(-1)?.position ?? 0) + 1;
    this.events.push({ ...newEvent(position), position });
  }

  async answer(): Promise<void> {
    this.#waiting.shift()?.();
    await turn();
  }

  readonly store = {
    extent: async () => {
      if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return { first: this.events[0]?.position ?? 0, last: this.events.at(-1)?.position ?? 0 };
    },
    list: async ({ after }: { after: number }) => this.events.filter(({ position }) => position > after),
    watch: async () => async () => {},
  } as unknown as EventStore;
}

async function startTail(log: SlowLog, onRewound = () => {}): Promise<EventTail> {
  const said = { warn() {} } as unknown as Log;
  const tail = new EventTail({
    store: log.store,
    hasTopics: false,
    onRewound,
    clock: systemClock,
    log: said,
  });
  await tail.start();
  return tail;
}

describe('the tail of the event log', () => {
  it('delivers every event to a subscriber that joins during a read', async () => {
    const log = new SlowLog();
    log.append();
    const tail = await startTail(log);
    log.isSlow = true;
    tail.look();
    const heard: number[] = [];
    tail.subscribe((events) => heard.push(...events.map(({ position }) => position)));
    log.append();
    log.append();
    await log.answer();
    await turn();
    assert.deepEqual(heard, [2, 3]);
    await tail.stop();
  });

  it('reports a rewound log; a restored database reuses positions', async () => {
    const log = new SlowLog();
    for (let count = 0; count < 5; count += 1) log.append();
    let rewound = 0;
    const tail = await startTail(log, () => {
      rewound += 1;
    });
    const heard: number[] = [];
    tail.subscribe((events) => heard.push(...events.map(({ position }) => position)));
    await turn();
    log.events.length = 2;
    tail.look();
    await turn();
    assert.deepEqual([rewound, tail.last], [1, 2]);
    log.append();
    tail.look();
    await turn();
    assert.deepEqual(heard, [3]);
    await tail.stop();
  });
});
