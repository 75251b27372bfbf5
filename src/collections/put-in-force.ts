import { isDeepStrictEqual } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import type { DeclaredIndexes, RecordStore } from '../storage/port.ts';
import { checkAgainst, sentenceOf } from './check-against.ts';
import type { Collection } from './collection.ts';
import { toDeclaration } from './declaration.ts';
import type { StoredDeclarations } from './stored-declarations.ts';

interface Force {
  readonly declared: readonly Collection[];
  readonly declarations: StoredDeclarations;
  readonly records: RecordStore;
}

/** Makes the declarations those that count from now on; refuses when records that exist would not fit them. */
export async function putInForce({ declared, declarations, records }: Force): Promise<void> {
  const stored = await declarations.load();
  const next = declared.map(toDeclaration);
  // Most starts change nothing, and then nobody needs to count.
  const isSame = isDeepStrictEqual([...stored.values()], JSON.parse(JSON.stringify(next)));
  if (!isSame) refuseBreaking(await checkAgainst({ stored, declared, records }));
  await records.prepare(declared.map(toIndexes));
  if (!isSame) await declarations.save(next);
}

/** Every write pays for every index, so none is made that no question needs. */
function toIndexes({ name, index, access, limits }: Collection): DeclaredIndexes {
  const listedByOthers = access.read === 'everyone' || access.clients === 'any';
  return { name, index, listedByOthers, expires: limits.expireMs !== null, bytes: limits.bytes };
}

function refuseBreaking(verdicts: Awaited<ReturnType<typeof checkAgainst>>): void {
  const breaking = verdicts.filter(({ verdict }) => verdict === 'breaking');
  if (breaking.length === 0) return;
  throw new OperatorError(
    `The declarations do not fit the records that exist:\n${breaking.map((verdict) => `  ${sentenceOf(verdict)}`).join('\n')}\nDeclare what fits, or start once with --allow-breaking-schemas: such records can then be read, and changed only into ones that fit.`,
  );
}
