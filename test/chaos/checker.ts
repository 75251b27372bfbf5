import type { Caller } from './caller.ts';
import type { CounterJournal, Journal, Leaving, Tally, Version } from './journal.ts';

interface Found {
  readonly id: string;
  readonly label: string;
  readonly version: NonNullable<Version>;
}

/**
 * Compares the stored records with the answers while there are no writers. The outcome of unanswered requests is then known,
 * and the journal continues from there.
 */
export class Checker {
  readonly #tally: Tally;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  async check(journal: Journal, caller: Caller): Promise<void> {
    const found = new Map((await this.#all(caller)).map((record) => [record.id, record]));
    this.#tally.checkedRecords += found.size;
    for (const [id, counter] of journal.counters) this.#checkCounter(id, counter, found.get(id));
    for (const [id, versions] of journal.records) this.#checkRecord(journal, id, versions, found.get(id));
    this.#checkUnexpected(journal, [...found.values()]);
    await this.#checkUsage(journal, caller, found.size);
    await this.#sendAgain(journal, caller);
  }

  /** A caller who has erased everything has nothing; after an unanswered erasure it has everything or nothing. */
  async checkLeaving({ subject, made, erasure }: Leaving, caller: Caller): Promise<void> {
    const { length } = await this.#all(caller);
    const { records } = await this.#usage(caller);
    if (erasure !== 'not asked') this.#tally.mayBeMissing += made;
    const mayBe = erasure === 'done' ? [0] : erasure === 'unanswered' ? [0, made] : [made, made + 1];
    if (!mayBe.includes(length))
      this.#tally.find('lost', `${subject}, whose erasure is ${erasure}, has ${length} of ${made} records`);
    if (records !== length) this.#tally.find('usage', `${subject} has ${length} records, counted ${records}`);
  }

  #checkRecord(journal: Journal, id: string, versions: readonly Version[], found: Found | undefined): void {
    const version = found?.version ?? null;
    const at = versions.findIndex((each) => isSame(each, version));
    if (at === -1) {
      const told = versions.map((each) => JSON.stringify(each)).join(' or ');
      this.#tally.find('lost', `${id} of ${journal.subject} is ${JSON.stringify(version)} and was ${told}`);
    }
    if (at > 0) {
      this.#tally.unansweredDone += 1;
      if (!journal.given.has(id)) journal.charged += 1;
    }
    journal.records.set(id, [version]);
  }

  /** Every step up to the last was made once: by one who was told so, or by one who had no answer. */
  #checkCounter(id: string, counter: CounterJournal, found: Found | undefined): void {
    const last = found?.version.step ?? -1;
    for (const step of counter.acknowledged)
      if (step > last) this.#tally.find('lost', `step ${step} of ${id}, which is at ${last}`);
    for (let step = 1; step <= last; step += 1) {
      if (counter.acknowledged.has(step)) continue;
      if (!counter.unanswered.has(step)) this.#tally.find('doubled', `step ${step} of ${id} was of nobody`);
      else this.#tally.unansweredDone += 1;
      counter.acknowledged.add(step);
    }
    counter.unanswered.clear();
  }

  /** Every stored record was acknowledged, or requested without an answer; once. */
  #checkUnexpected(journal: Journal, found: readonly Found[]): void {
    for (const { id, label, version } of found) {
      if (journal.records.has(id) || journal.counters.has(id)) continue;
      const key = journal.asked.get(label);
      if (key === undefined) {
        this.#tally.find('doubled', `${id} of ${journal.subject}, which nobody asked for`);
        continue;
      }
      journal.asked.delete(label);
      if (key !== null) journal.keys.set(key, { label, id });
      journal.records.set(id, [version]);
      journal.charged += 1;
      this.#tally.unansweredDone += 1;
    }
  }

  async #checkUsage(journal: Journal, caller: Caller, found: number): Promise<void> {
    const { records, writes, resetsAt } = await this.#usage(caller);
    if (records !== found)
      this.#tally.find('usage', `${journal.subject} has ${found} records, counted ${records}`);
    const steps = [...journal.counters.values()].reduce(
      (sum, { acknowledged }) => sum + acknowledged.size,
      0,
    );
    const charged = journal.charged + steps;
    if (journal.dayEndsAt !== resetsAt) {
      // Changes are counted from midnight on, and it is unknown which of those before this look were made yesterday.
      journal.chargedBefore = Math.max(charged - writes, journal.chargedBefore);
      journal.dayEndsAt = resetsAt;
    }
    const today = charged - journal.chargedBefore;
    if (writes !== today)
      this.#tally.find('usage', `${journal.subject} has made ${today} changes, counted ${writes}`);
  }

  /** A request with a key can be repeated if the record is missing; one without a key never arrived. */
  async #sendAgain(journal: Journal, caller: Caller): Promise<void> {
    for (const [label, key] of journal.asked) {
      journal.asked.delete(label);
      if (key === null) continue;
      const headers = { 'idempotency-key': key };
      const { status, text } = await caller.send('POST', '/notes', { label, step: 0 }, headers);
      if (status !== 201) {
        this.#tally.find('answer', `the same again: ${status} ${text}`);
        continue;
      }
      const { id } = JSON.parse(text) as { id: string };
      journal.keys.set(key, { label, id });
      journal.records.set(id, [{ step: 0, state: 'open' }]);
      journal.charged += 1;
    }
  }

  async #all(caller: Caller): Promise<Found[]> {
    const found: Found[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await this.#read(caller, `/notes?limit=200${from}`);
      for (const { id, label, step, state } of page.items)
        found.push({ id, label, version: { step, state } });
      cursor = page.next;
    }
    return found;
  }

  async #usage(caller: Caller) {
    const { collections } = await this.#read(caller, '/me/usage');
    const [{ records, writes }] = collections;
    return {
      records: records.used as number,
      writes: writes.used as number,
      resetsAt: Date.parse(writes.resets_at),
    };
  }

  async #read(caller: Caller, path: string) {
    const { status, text } = await caller.send('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return JSON.parse(text);
  }
}

function isSame(one: Version, other: Version): boolean {
  return one?.step === other?.step && one?.state === other?.state;
}
