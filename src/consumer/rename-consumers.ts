import type { Clock } from '../base/clock.ts';
import { eventOfRenaming } from '../events/catalogue.ts';
import type { AuditLine, ConsumerStore, Renaming, RenamingState } from '../storage/port.ts';
import { createPseudonym } from './pseudonym.ts';
import { formerName } from './records/decide/spent-budgets.ts';
import { createKeyedDigest } from './records/keyed-digest.ts';

/** A line of the mapping, once nothing of its subjects is left in it. */
export interface MappedCaller extends Renaming {
  readonly line: number;
}

/** For how many lines what was found, and how many records have changed hands. */
export interface RenamingCounts extends Readonly<Record<RenamingState, number>> {
  readonly records: number;
}

export interface RenamingReport {
  readonly counts: RenamingCounts;
  /** The lines whose new pseudonym has data of its own. */
  readonly taken: readonly number[];
}

interface OutlookParts {
  readonly consumers: Pick<ConsumerStore, 'examineRenaming'>;
  readonly keys: Readonly<Record<'pseudonym' | 'records' | 'erasures', Uint8Array>>;
}

interface Parts extends OutlookParts {
  readonly consumers: Pick<ConsumerStore, 'examineRenaming' | 'rename' | 'noteRenamings'>;
  readonly audit: AuditLine;
  readonly clock: Clock;
}

/** The two issuers, as the tokens of the provider before and of the one from now on name them. */
export interface IssuerChange {
  readonly from: string;
  readonly to: string;
}

/** What would become of callers who sign in at another provider; nothing is changed. Only here do two subjects and a pseudonym meet. */
export function createOutlook({ consumers, keys }: OutlookParts, issuers: IssuerChange) {
  const pseudonymOf = createPseudonym(keys.pseudonym);
  const [records, erasures] = [createKeyedDigest(keys.records), createKeyedDigest(keys.erasures)];
  return {
    /** What is to be renamed, from here on without the subjects. */
    mapped(line: number, subjects: IssuerChange): MappedCaller {
      const from = String(pseudonymOf({ issuer: issuers.from, subject: subjects.from }));
      const to = String(pseudonymOf({ issuer: issuers.to, subject: subjects.to }));
      const former = { from: formerName(records, from), to: formerName(records, to) };
      return { line, from, to, noted: new Uint8Array(erasures.of(from)), former };
    },

    examine: (callers: readonly MappedCaller[]): Promise<RenamingReport> =>
      count(callers, async (caller) => ({ state: await consumers.examineRenaming(caller), records: 0 })),
  };
}

export type Outlook = ReturnType<typeof createOutlook>;

/** Callers who sign in at another provider go on with what they had. */
export function createRenamings(parts: Parts, issuers: IssuerChange) {
  const { consumers, audit, clock } = parts;

  /** One transaction each. The audit says that it began, whatever ends it, and then how far it got. */
  async function rename(callers: readonly MappedCaller[], name: string): Promise<RenamingReport> {
    const tally = new Tally();
    await consumers.noteRenamings(audit('consumer.migration_started', name, { lines: callers.length }));
    try {
      return await count(
        callers,
        (caller) => consumers.rename(caller, eventOfRenaming(caller.from, caller.to, clock.now())),
        tally,
      );
    } finally {
      const { due: migrated, ...others } = tally.report().counts;
      await consumers.noteRenamings(audit('consumer.migrated', name, { migrated, ...others }));
    }
  }

  return { ...createOutlook(parts, issuers), rename };
}

export type Renamings = ReturnType<typeof createRenamings>;

class Tally {
  readonly #counts = { due: 0, done: 0, unknown: 0, taken: 0, records: 0 };
  readonly #taken: number[] = [];

  add(line: number, state: RenamingState, records: number): void {
    this.#counts[state] += 1;
    this.#counts.records += records;
    if (state === 'taken') this.#taken.push(line);
  }

  report(): RenamingReport {
    return { counts: { ...this.#counts }, taken: [...this.#taken] };
  }
}

async function count(
  callers: readonly MappedCaller[],
  work: (caller: MappedCaller) => Promise<{ readonly state: RenamingState; readonly records: number }>,
  tally = new Tally(),
): Promise<RenamingReport> {
  for (const caller of callers) {
    const { state, records } = await work(caller);
    tally.add(caller.line, state, records);
  }
  return tally.report();
}

/** Under which pseudonym a caller is kept who was migrated from this one; null when nobody was. */
export async function currentPseudonym(
  consumers: Pick<ConsumerStore, 'renamedTo'>,
  key: Uint8Array,
  id: string,
): Promise<string | null> {
  const current = await consumers.renamedTo(createKeyedDigest(key).of(id));
  // Who came back to its first provider has been renamed from its own pseudonym, too.
  return current === id ? null : current;
}
