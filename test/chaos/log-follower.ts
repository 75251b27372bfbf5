import type { Caller } from './caller.ts';
import type { Journal, Tally, Version } from './journal.ts';
import { otherState, type Round, Station, untilOver } from './work.ts';

interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly data: {
    readonly id: string;
    readonly owner: string;
    readonly revision: string;
    readonly state: string;
    readonly from?: string;
    readonly fields?: { readonly step: number };
  };
}

interface Known {
  readonly owner: string;
  readonly revision: string;
  readonly version: NonNullable<Version>;
}

/**
 * Reads the log of events as a machine client does, while everybody writes and after each kill, and knows from it alone what is
 * there. Every change moves a record by one step or one state, so that one that is missing, told twice or told too early
 * does not fit what came before it.
 */
export class LogFollower {
  readonly #tally: Tally;
  readonly #known = new Map<string, Known>();
  readonly #callerAt: (process: number) => Caller;
  #at = 0;
  #missing = 0;

  constructor(tally: Tally, callerAt: (process: number) => Caller) {
    this.#tally = tally;
    this.#callerAt = callerAt;
  }

  /** Positions that no reader has seen: events of callers who were erased meanwhile. */
  get missing(): number {
    return this.#missing;
  }

  /** At one process until the round is over. */
  run(process: number, round: Round): Promise<void> {
    const station = new Station(this.#callerAt(process), process, round);
    return untilOver(round, async () => {
      const reply = await station.ask([200], 'GET', `/events?after=${this.#at}&wait=1`);
      if (reply?.status !== 200) return false;
      this.#take(JSON.parse(reply.text));
      return true;
    });
  }

  /** Reads to the end while there are no writers. */
  async catchUp(): Promise<void> {
    for (;;) {
      const { status, text } = await this.#callerAt(0).send('GET', `/events?after=${this.#at}`);
      if (status !== 200) throw new Error(`GET /events: ${status} ${text}`);
      const page = JSON.parse(text) as { items: LoggedEvent[]; next: number };
      this.#take(page);
      if (page.items.length === 0) return;
    }
  }

  /** What the log says is there is what a journal, which was just checked, knows to be there. */
  compare(journal: Journal): void {
    for (const [id, [version = null]] of journal.records) {
      const told = this.#known.get(id)?.version ?? null;
      if (told?.step === version?.step && told?.state === version?.state) continue;
      const is = `${JSON.stringify(version)} and the log says ${JSON.stringify(told)}`;
      this.#tally.find('event', `${id} of ${journal.subject} is ${is}`);
    }
  }

  #take({ items, next }: { readonly items: readonly LoggedEvent[]; readonly next: number }): void {
    for (const event of items) {
      if (event.position <= this.#at) this.#tally.find('event', `position ${event.position} came twice`);
      this.#missing += event.position - this.#at - 1;
      this.#at = event.position;
      this.#tally.events += 1;
      this.#follow(event);
    }
    this.#missing += Math.max(next - this.#at, 0);
    this.#at = Math.max(next, this.#at);
  }

  #follow({ position, type, data }: LoggedEvent): void {
    if (type === 'consumer.erased') {
      for (const [id, { owner }] of this.#known) if (owner === data.owner) this.#known.delete(id);
      return;
    }
    const before = this.#known.get(data.id);
    const after = { step: data.fields?.step ?? -1, state: data.state };
    if (!fits(type, data, before, after)) {
      const was = `after ${JSON.stringify(before?.version ?? null)}`;
      this.#tally.find('event', `${type} of ${data.id} at ${position}: ${JSON.stringify(data)} ${was}`);
    }
    if (type === 'notes.deleted') this.#known.delete(data.id);
    else this.#known.set(data.id, { owner: data.owner, revision: data.revision, version: after });
  }
}

function fits(
  type: string,
  { revision, from }: LoggedEvent['data'],
  before: Known | undefined,
  { step, state }: NonNullable<Version>,
): boolean {
  if (type === 'notes.created') return before === undefined && step === 0 && state === 'open';
  if (before === undefined) return false;
  const { version } = before;
  if (type === 'notes.deleted') return revision === before.revision && state === version.state;
  if (revision === before.revision) return false;
  if (type === 'notes.changed') return step === version.step + 1 && state === version.state;
  return step === version.step && from === version.state && state === otherState[version.state];
}
