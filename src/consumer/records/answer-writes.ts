import type { Socket } from 'node:net';
import { breathe } from '../../base/giving-way.ts';
import { toPlain } from '../../base/plain-error.ts';
import { onLines } from '../../base/thread-line.ts';
import type { Collection } from '../collections/collection.ts';
import { patchRecord, removeRecord, replaceRecord, takeAction } from './change.ts';
import { createRecord } from './create.ts';
import type { CollectionWriteParts, WriteParts } from './parts.ts';
import { asTold, type WriteCall, type WriteReply } from './write-call.ts';
import type { Write, WriteHandler } from './write-handler.ts';

interface ServedCollection {
  readonly collection: Collection;
  readonly path: string;
}

/**
 * The thread's side of `write-thread.ts`: does the writes that come over the line, many at once, and answers each. When
 * no more can come, and all are answered, it ends the line.
 */
export function answerWrites(
  line: Socket,
  served: readonly ServedCollection[],
  parts: Omit<WriteParts, 'clock'>,
): void {
  let now = 0;
  const clock = { now: () => now };
  const handlers = new Map(
    served.flatMap(({ collection, path }) =>
      handlersOf({ ...parts, clock, collection, path }).map(
        ([write, handle]) => [`${collection.name} ${write}`, handle] as const,
      ),
    ),
  );
  const answer = async (call: WriteCall): Promise<WriteReply> => {
    const { id, collection, write, writer } = call;
    try {
      const handle = handlers.get(`${collection} ${write}`);
      if (handle === undefined) throw new Error(`"${collection}" has no "${write}".`);
      return { id, answer: await handle(asTold(call), writer) };
    } catch (error) {
      return { id, error: toPlain(error) };
    }
  };
  let underWay = 0;
  let mayEnd = false;
  const endIfDone = () => {
    if (mayEnd && underWay === 0) line.end();
  };
  onLines(line, (lines) => {
    for (const text of lines) {
      breathe();
      const call: WriteCall = JSON.parse(text);
      ({ now } = call);
      underWay += 1;
      void answer(call).then((reply) => {
        line.write(`${JSON.stringify(reply)}\n`);
        underWay -= 1;
        endIfDone();
      });
    }
  });
  line.once('end', () => {
    mayEnd = true;
    endIfDone();
  });
}

function handlersOf(parts: CollectionWriteParts): readonly (readonly [Write, WriteHandler])[] {
  const actions = parts.collection.machine?.actions ?? [];
  return [
    ['create', createRecord(parts)],
    ['replace', replaceRecord(parts)],
    ['patch', patchRecord(parts)],
    ['remove', removeRecord(parts)],
    ...[...actions].map((action) => [`take ${action}`, takeAction(parts, action)] as const),
  ];
}
