import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createParser } from 'eventsource-parser';
import type { ApiCaller } from '../support/http/api-caller.ts';
import { PseudoRandom } from '../support/run/pseudo-random.ts';
import { sized } from '../support/run/size.ts';
import { eventDeclarations } from '../support/services/declarations.ts';
import { deployment } from '../support/services/deployment.ts';
import { someEngine } from '../support/services/service.ts';

const cuts = sized(200, 1_000);

for (const engine of someEngine) {
  describe(`an event stream that is cut again and again, on ${engine}`, () => {
    const two = deployment({ engine, processes: 2, declarations: eventDeclarations });

    /** Reads so many bytes of a stream from an id on, and hangs up. Returns the complete events in order. */
    async function readSome(caller: ApiCaller, from: string, most: number) {
      const cut = new AbortController();
      const seen: { id: string; type: string }[] = [];
      const parser = createParser({
        onEvent: ({ id = '', event = '' }) => void seen.push({ id, type: event }),
      });
      try {
        const response = await fetch(`${caller.url}/api/consumer/v1/events`, {
          headers: {
            authorization: `Bearer ${caller.token}`,
            accept: 'text/event-stream',
            'last-event-id': from,
          },
          signal: cut.signal,
        });
        assert.equal(response.status, 200);
        let left = most;
        for await (const chunk of response.body as ReadableStream<Uint8Array>) {
          parser.feed(new TextDecoder().decode(chunk.subarray(0, left)));
          left -= chunk.length;
          if (left <= 0) break;
        }
      } catch {
        // The process has just been stopped.
      }
      cut.abort();
      return seen;
    }

    it(`delivers each event once after ${cuts} random cuts, at both processes and over a restart`, async () => {
      const random = new PseudoRandom(7);
      const caller = await two().person();
      const begun = String((await caller.get('/events')).json().next);
      const written: string[] = [];
      let isWriting = true;
      const writing = (async () => {
        while (isWriting) written.push((await caller.make('notes', { text: 'x' })).record.id);
      })();
      const known: { id: string; type: string }[] = [];
      let from = begun;
      for (let cut = 0; cut < cuts; cut += 1) {
        // The writer stays at the first process, so that it goes on.
        if (cut === cuts / 2) await two().restart(1);
        const seen = await readSome(caller.at(two().serviceAt(cut)), from, 1 + random.below(1_500));
        known.push(...seen.filter(({ type }) => type === 'notes.created'));
        from = seen.findLast(({ id }) => id !== '')?.id ?? from;
      }
      isWriting = false;
      await writing;
      // Reads the rest as a page.
      for (let after = from; ; ) {
        const page = (await caller.get(`/events?after=${after}`)).json<{
          items: { position: number; type: string; data: { id: string } }[];
          next: number;
        }>();
        known.push(...page.items.map(({ position, type }) => ({ id: String(position), type })));
        if (page.items.length === 0) break;
        after = String(page.next);
      }
      const positions = known.map(({ id }) => Number(id));
      assert.equal(positions.length, written.length, 'nothing is missing, nothing is there twice');
      const first = Number(begun) + 1;
      assert.deepEqual(
        positions,
        Array.from({ length: written.length }, (_, index) => first + index),
      );
      assert.ok(written.length > cuts / 5, `${written.length} were written`);
    });
  });
}
