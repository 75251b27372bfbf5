import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog, LogOutput, maxWaiting } from '../../src/base/log.ts';
import { until } from '../support/run/polling.ts';

/** A reader that takes at most so much at a time, or nothing at all. */
class Reader {
  room = Number.POSITIVE_INFINITY;
  writes = 0;
  #text = '';

  readonly write = (bytes: Uint8Array): number => {
    if (this.room === 0) throw Object.assign(new Error('no room'), { code: 'EAGAIN' });
    const taken = bytes.subarray(0, this.room);
    this.writes += 1;
    this.#text += Buffer.from(taken).toString('latin1');
    return taken.length;
  };

  /** Each line parsed: one that was cut would not be JSON. */
  lines(): Record<string, unknown>[] {
    const text = Buffer.from(this.#text, 'latin1').toString();
    const lines = text.split('\n');
    assert.equal(lines.pop(), '', 'the last line ends, too');
    return lines.map((line) => JSON.parse(line));
  }
}

function opened() {
  const reader = new Reader();
  const output = new LogOutput(reader.write);
  return { reader, output, log: createLog('trace', output) };
}

const numbers = (lines: Record<string, unknown>[]) => lines.map(({ number }) => number);

describe('the log output', () => {
  it('writes many lines in one write, in order and soon', async () => {
    const { reader, log } = opened();
    for (let number = 0; number < 50; number += 1) log.info({ number });
    assert.equal(reader.writes, 0);
    const read = () => reader.lines();
    const lines = await until(read, ({ length }) => length === 50, 'they do not come');
    assert.equal(reader.writes, 1);
    assert.deepEqual(numbers(lines), [...Array(50).keys()]);
  });

  it('writes a warning at once, with all lines before it', () => {
    const { reader, log } = opened();
    log.info({ number: 1 });
    log.warn({ number: 2 });
    assert.deepEqual(numbers(reader.lines()), [1, 2]);
    log.info({ number: 3 });
    assert.equal(reader.lines().length, 2);
    log.fatal({ number: 4 });
    assert.deepEqual(numbers(reader.lines()), [1, 2, 3, 4]);
  });

  it('writes early when many lines come', () => {
    const { reader, log } = opened();
    for (let number = 0; number < 2_000; number += 1) log.info({ number });
    assert.ok(reader.writes > 1 && reader.writes < 50, `${reader.writes} writes`);
  });

  it('writes whole lines in chunks small enough to be atomic, for a shared reader', () => {
    const pieces: string[] = [];
    const output = new LogOutput((bytes) => {
      pieces.push(Buffer.from(bytes).toString());
      return bytes.length;
    }, true);
    const log = createLog('trace', output, { process: 2 });
    for (let number = 0; number < 500; number += 1) log.info({ number });
    log.info({ number: 500, long: 'ä'.repeat(3_000) });
    log.warn({ number: 501 });
    for (const piece of pieces) {
      const isLong = piece.includes('long') && piece.split('\n').length === 2;
      assert.ok(Buffer.byteLength(piece) <= 4_096 || isLong, 'a pipe takes it at once');
      assert.ok(piece.endsWith('\n'), 'it ends with a line');
    }
    const lines = pieces
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(numbers(lines), [...Array(502).keys()]);
    assert.ok(lines.every(({ process }) => process === 2));
  });

  it('cuts no line for a slow reader', async () => {
    const { reader, output, log } = opened();
    reader.room = 7;
    for (let number = 0; number < 200; number += 1) log.info({ number, text: 'ärger ☃' });
    output.flush();
    assert.deepEqual(numbers(reader.lines()), [...Array(200).keys()]);
  });

  it('buffers a limited number of lines for a stalled reader, drops later ones and reports the count', async () => {
    const { reader, output, log } = opened();
    reader.room = 0;
    const text = 'x'.repeat(1_000);
    const written = Math.ceil((2 * maxWaiting) / 1_000);
    for (let number = 0; number < written; number += 1) log.info({ number, text });
    assert.ok(output.dropped > 0.4 * written && output.dropped < 0.6 * written, `${output.dropped} dropped`);
    reader.room = 100_000;
    const kept = written - output.dropped;
    const read = () => reader.lines();
    const lines = await until(read, ({ length }) => length > kept, 'they do not come');
    assert.deepEqual(numbers(lines.slice(0, kept)), [...Array(kept).keys()]);
    const last = lines.at(-1);
    assert.deepEqual([last?.level, last?.dropped, lines.length], [40, written - kept, kept + 1]);
    log.warn({ number: -1 });
    assert.equal(reader.lines().at(-1)?.number, -1, 'and then all is as before');
  });
});
