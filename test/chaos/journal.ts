/** The possible states of a record, as far as a journal follows it; null if it does not exist. */
export type Version = { readonly step: number; readonly state: string } | null;

export type FindingKind = 'lost' | 'doubled' | 'usage' | 'event' | 'answer' | 'start';

/** Something that should not have been. */
export interface Finding {
  readonly kind: FindingKind;
  readonly what: string;
}

const dayMs = 86_400_000;

/** The requests of one owner and their answers: what must be stored, what may be, and nothing else. */
export class Journal {
  readonly subject: string;
  /** By id. Two versions while the answer to a change is out, else one. */
  readonly records = new Map<string, readonly Version[]>();
  /** Records that were asked for without an answer, by their label; with the key they were asked for with. */
  readonly asked = new Map<string, string | null>();
  /** Records that were made with a key, by the key. */
  readonly keys = new Map<string, { readonly label: string; readonly id: string }>();
  /** Records that are left to machine clients, whose changes are not charged to this owner. */
  readonly given = new Set<string>();
  /** Records that many change at once, by id. */
  readonly counters = new Map<string, CounterJournal>();
  /** Changes that are charged to this owner: acknowledged, or found to be done. */
  charged = 0;
  /** Those of the days before the one in which usage was last looked at. */
  chargedBefore = 0;
  dayEndsAt = (Math.floor(Date.now() / dayMs) + 1) * dayMs;

  constructor(subject: string) {
    this.subject = subject;
  }
}

/** A record whose step increases with each change, and only without a conflict. */
export class CounterJournal {
  /** The steps that were acknowledged. */
  readonly acknowledged = new Set<number>();
  /** Records that were requested without an answer. */
  readonly unanswered = new Set<number>();
}

/** A caller who creates a few records and then erases everything. */
export interface Leaving {
  readonly subject: string;
  made: number;
  erasure: 'not asked' | 'unanswered' | 'done';
}

/** What happened in a run, counted. */
export class Tally {
  readonly findings: Finding[] = [];
  /** Answers by what was asked and their status. */
  readonly answers = new Map<string, number>();
  kills = 0;
  databaseKills = 0;
  starts = 0;
  acknowledged = 0;
  /** Writes without an answer, and how many of those turned out to be done. */
  unanswered = 0;
  unansweredDone = 0;
  /** Refused without being begun, by a process that had no time for more. */
  overloaded = 0;
  replays = 0;
  erased = 0;
  checkedRecords = 0;
  /** Read from the log. */
  events = 0;
  /** The most positions that callers who were erased can have taken with them. */
  mayBeMissing = 0;

  count(asked: string, status: number): void {
    const name = `${asked} ${status}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
  }

  find(kind: FindingKind, what: string): void {
    this.findings.push({ kind, what });
  }

  of(kind: FindingKind): number {
    return this.findings.filter((finding) => finding.kind === kind).length;
  }
}
