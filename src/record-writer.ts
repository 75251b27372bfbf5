import { giveWay, letEngineGiveWay } from './base/giving-way.ts';
import { createRecordId, createRevision } from './base/random.ts';
import { callLine, type LineAddress } from './base/thread-line.ts';
import { threadTask } from './base/threads.ts';
import type { CollectionFile } from './consumer/collections/read-collection.ts';
import { readCollections } from './consumer/collections/read-collections.ts';
import { answerWrites } from './consumer/records/answer-writes.ts';
import { createKeyedDigest } from './consumer/records/keyed-digest.ts';
import { TurnsByOwner } from './consumer/records/turns-by-owner.ts';
import type { SharedDatabase } from './storage/port.ts';
import { openShared } from './storage/shared.ts';

/** The composition root of the thread on which records are written; `app.ts` is that of everything else. */
export interface RecordWriterTask {
  readonly line: LineAddress;
  readonly database: SharedDatabase;
  readonly declarations: readonly CollectionFile[];
  /** What every address of a collection begins with. */
  readonly prefix: string;
  readonly digestKey: Uint8Array;
  readonly newcomersPerHour: number;
}

/** A tenth of a core is left for writes when reads want all of it. */
const behindReads = 10;

const { line, database, declarations, prefix, digestKey, newcomersPerHour } = threadTask<RecordWriterTask>();
const collections = readCollections(declarations);
const storage = await openShared(database);
const socket = callLine(line);
answerWrites(
  socket,
  collections.map((collection) => ({ collection, path: `${prefix}/${collection.name}` })),
  {
    store: storage.records,
    consumers: storage.consumers,
    turns: new TurnsByOwner(),
    digest: createKeyedDigest(digestKey),
    newcomersPerHour,
    newId: createRecordId,
    newRevision: createRevision,
  },
);
// Not before: somebody waits for the call.
socket.once('connect', () => {
  giveWay(behindReads);
  letEngineGiveWay(behindReads);
});
// With the line and the database closed nothing keeps the thread.
socket.once('close', () => void storage.close());
