import { Buffer } from 'node:buffer';
import { eventOfErasure } from '../events/catalogue.ts';
import type { AuditLine, Erasure, ErasureNotes, ParentLink, Storage } from '../storage/port.ts';

interface Parts {
  readonly storage: Pick<Storage, 'erasures' | 'records'>;
  readonly digestOf: ErasureNotes['digestOf'];
  readonly audit: AuditLine;
  readonly links: readonly ParentLink[];
}

const atOnce = 1_000;

/** The erasures that a restored database does not know, because they came after the backup. */
export async function missingErasures(
  { list }: Pick<Storage['erasures'], 'list'>,
  known: readonly Erasure[],
): Promise<readonly Erasure[]> {
  const missing = new Map(known.map((erasure) => [erasure.id, erasure]));
  for (const { id } of await allErasures(list)) missing.delete(id);
  return [...missing.values()];
}

/** Repeats these erasures for callers that a backup brought back. Returns their number. */
export async function eraseAgain(
  { storage, digestOf, audit, links }: Parts,
  erasures: readonly Erasure[],
): Promise<number> {
  const byDigest = new Map(erasures.map((erasure) => [nameOf(erasure.digest), erasure]));
  let count = 0;
  for await (const owner of erasures.length === 0 ? [] : allOwners(storage.erasures)) {
    const erasure = byDigest.get(nameOf(digestOf(owner)));
    if (erasure === undefined) continue;
    const line = audit('consumer.erased', '(erased)', { again: true });
    await storage.records.eraseAgain(owner, line, eventOfErasure(owner, erasure.at), erasure, links);
    count += 1;
  }
  await storage.erasures.add(erasures);
  return count;
}

export async function allErasures(list: Storage['erasures']['list']): Promise<readonly Erasure[]> {
  const all: Erasure[] = [];
  for (;;) {
    const page = await list(all.at(-1)?.id ?? '', atOnce);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

async function* allOwners({ owners }: Pick<Storage['erasures'], 'owners'>): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await owners(after, atOnce);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

function nameOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('base64url');
}
