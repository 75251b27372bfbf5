import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { CDPSession } from 'playwright-core';
import { declarationsFolder } from '../support/services/declarations.ts';
import { browsing } from './browser.ts';
import type { Visitor } from './browser-visitor.ts';

const rows = 2_000;
const inBatch = 50;
/** The page is drawn smoothly if no task is longer than 50 ms. */
const longestMs = 200;
const mark = 'traced from here';
const eventsInSecond = 50;
const seconds = 30;
const ticksInSecond = 10;
/** The JavaScript heap may grow by so much while the list shows changes of the same records. */
const heapGrowth = 2_000_000;

interface Trace {
  /** Durations in microseconds, `tdur` without the time in which the thread waited for a processor. */
  readonly traceEvents: readonly { name: string; pid: number; tid: number; tdur?: number }[];
}

const running = await browsing({
  COLLECTIONS_DIR: declarationsFolder({
    parcels: `
title: Parcels
schema:
  required: [label, weight]
  properties: { label: { type: string, maxLength: 60 }, weight: { type: integer } }
states: { sorted: { load: loaded }, loaded: { unload: sorted } }
limits: { per_user: 100000, writes: 1000000/min }
`,
  }),
});

describe('a list of 2,000 rows', () => {
  let visitor: Visitor;
  let chromium: CDPSession;
  let ids: readonly string[] = [];
  before(async () => {
    visitor = await running.signedIn('Many');
    chromium = await visitor.context.newCDPSession(visitor.page);
    for (let made = 0; made < rows; made += inBatch)
      await batch(
        Array.from({ length: inBatch }, (_, at) => ({
          create: 'parcels',
          fields: { label: `Parcel ${made + at + 1}`, weight: at },
        })),
      );
    ids = (await visitor.elsewhere().all('parcels')).map(({ id }) => id);
    assert.equal(ids.length, rows);
  });

  async function batch(operations: readonly object[]): Promise<void> {
    const reply = await visitor.elsewhere().send('POST', '/batch', { operations });
    assert.equal(reply.status, 200, reply.text);
  }

  /**
   * Traces the page from now on. The returned function gives the processor time of its longest task, in milliseconds: on a
   * machine that does nothing else a task takes as long.
   */
  async function traceTasks(): Promise<() => Promise<number>> {
    const browser = visitor.context.browser() ?? assert.fail();
    await browser.startTracing(visitor.page, { categories: ['toplevel', 'blink.user_timing'] });
    await visitor.page.evaluate(`performance.mark('${mark}')`);
    return async () => {
      const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as Trace;
      const page = traceEvents.find(({ name }) => name === mark) ?? assert.fail('The trace has no mark.');
      const tasks = traceEvents.filter(
        ({ name, pid, tid }) => /RunTask$/.test(name) && pid === page.pid && tid === page.tid,
      );
      assert.ok(tasks.length > 10, 'The trace has no tasks.');
      return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000);
    };
  }

  async function heapBytes(): Promise<number> {
    await chromium.send('HeapProfiler.collectGarbage');
    return (await chromium.send('Runtime.getHeapUsage')).usedSize;
  }

  const lastAt = "Number([...document.querySelectorAll('li[data-at]')].at(-1)?.dataset.at ?? -1)";
  const titles = () => visitor.page.locator('li[data-at] .row-title');

  it('is loaded to its end by scrolling, and draws only the rows in view', async (context) => {
    await visitor.open('data', 'parcels');
    await visitor.title(`Parcel ${rows}`).waitFor();
    const longest = await traceTasks();
    await visitor.page.evaluate(`new Promise((loaded) => {
      const step = () => {
        scrollTo(0, document.documentElement.scrollHeight);
        if (${lastAt} === ${rows - 1}) loaded();
        else requestAnimationFrame(step);
      };
      step();
    })`);
    await visitor.title('Parcel 1').waitFor();
    const drawn = await titles().count();
    const taskMs = await longest();
    context.diagnostic(`loading: the longest task took ${taskMs} ms, and ${drawn} rows are drawn`);
    assert.ok(drawn < 200, `${drawn} rows are drawn`);
    assert.ok(taskMs < longestMs, `a task took ${taskMs} ms`);
  });

  it('is scrolled from its end to its top without a long task', async (context) => {
    const longest = await traceTasks();
    await visitor.page.evaluate(`new Promise((there) => {
      const step = () => {
        scrollBy(0, -innerHeight / 2);
        if (scrollY === 0) there();
        else requestAnimationFrame(step);
      };
      step();
    })`);
    await visitor.title(`Parcel ${rows}`).waitFor();
    const taskMs = await longest();
    context.diagnostic(`scrolling: the longest task took ${taskMs} ms`);
    assert.ok(taskMs < longestMs, `a task took ${taskMs} ms`);
  });

  it('shows 50 events a second without a long task, and its memory stays as it is', async (context) => {
    await visitor.seesConnection('Live');
    const perTick = eventsInSecond / ticksInSecond;
    /** Changes records for a while, the newest ones, so that the rows in view change. */
    const change = async (duringSeconds: number) => {
      const startedAt = performance.now();
      for (let tick = 0; tick < duringSeconds * ticksInSecond; tick += 1) {
        await batch(
          Array.from({ length: perTick }, (_, at) => ({
            update: 'parcels',
            id: ids[(tick * perTick + at) % inBatch],
            fields: { weight: tick },
          })),
        );
        const aheadMs = startedAt + ((tick + 1) * 1_000) / ticksInSecond - performance.now();
        if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      }
      return (performance.now() - startedAt) / 1_000;
    };
    const shows = async (weight: number) =>
      visitor.row(`Parcel ${rows}`).getByText(String(weight), { exact: true }).waitFor();
    // What the page compiles and keeps once is there before the measurement.
    await change(5);
    await shows(5 * ticksInSecond - ticksInSecond);
    const before = await heapBytes();
    const took = await change(seconds);
    await shows(seconds * ticksInSecond - ticksInSecond);
    const grown = (await heapBytes()) - before;
    // A trace of more seconds is larger than what is seen.
    const longest = await traceTasks();
    await change(5);
    const taskMs = await longest();
    const rate = Math.round((seconds * eventsInSecond) / took);
    context.diagnostic(
      `live: ${rate} events a second, the longest task took ${taskMs} ms, the heap of ${Math.round(before / 1e5) / 10} MB grew by ${Math.round(grown / 1e3)} kB`,
    );
    assert.ok(taskMs < longestMs, `a task took ${taskMs} ms`);
    assert.ok(grown < heapGrowth, `the heap grew by ${grown} bytes`);
  });
});
