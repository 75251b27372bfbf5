import { randomUUID } from 'node:crypto';
import type { Reply } from '../support/load/caller.ts';
import { nextAction, otherState, words } from './declarations.ts';
import type { KeyedRequest } from './journal.ts';
import type { Station } from './work.ts';

interface OwnNote {
  readonly id: string;
  step: number;
  state: string;
  etag: string;
}

const maxOwn = 8;

/**
 * Writes to notes that no other caller touches, one request after the other, a random mixture: creations with and without a
 * key, the same one again, changes, actions, batches, deletions, reads.
 */
export class NoteWriter {
  readonly #station: Station;
  /** Notes that are left to machine clients to delete. */
  readonly #given: string[];
  readonly #own = new Set<OwnNote>();

  constructor(station: Station, given: string[]) {
    this.#station = station;
    this.#given = given;
  }

  run(): Promise<void> {
    return this.#station.round.repeat(() => this.#work());
  }

  #work(): Promise<boolean> {
    const { random } = this.#station.round;
    const chance = random.next();
    const note = random.pick([...this.#own]);
    if (chance < 0.08) return this.#read();
    if (this.#own.size === 0 || chance < 0.16) return this.#create(null);
    if (chance < 0.24) return this.#create(randomUUID());
    if (chance < 0.28) return this.#create(randomUUID(), 2);
    if (chance < 0.36) return this.#again();
    if (this.#own.size > maxOwn) return this.#release(note);
    if (chance < 0.48) return this.#batch(note);
    if (chance < 0.75) return this.#patch(note);
    return this.#act(note);
  }

  async #read(): Promise<boolean> {
    const { random } = this.#station.round;
    const path = random.pick(['/me', '/notes?limit=10', `/notes/count?q=${random.pick(words)}`]);
    return (await this.#station.ask([200], 'GET', path)) !== null;
  }

  /** With `times` 2 the same request twice at once: the first makes the note, and the other one gets the same. */
  async #create(key: string | null, times = 1): Promise<boolean> {
    const { journal, tally } = this.#station.round;
    const request: KeyedRequest = { key, fields: this.#newFields(), id: null };
    if (key !== null) journal.keyed(this.#station.subject).push(request);
    const replies = await Promise.all(Array.from({ length: times }, () => this.#post(request)));
    const [first, second] = replies.filter((reply) => reply?.status === 201) as Reply[];
    if (first === undefined) return !replies.includes(null);
    const { id } = JSON.parse(first.text);
    if (second !== undefined) tally.compare('doubled', `the note of ${key}`, JSON.parse(second.text).id, id);
    request.id = id;
    this.#own.add({ id, step: 0, state: 'open', etag: String(first.headers.get('etag')) });
    return !replies.includes(null);
  }

  /** A caller that did not hear the answer sends the same again. */
  async #again(): Promise<boolean> {
    const { random, tally, journal } = this.#station.round;
    const request = random.pick(journal.keyed(this.#station.subject));
    if (request === undefined) return true;
    const reply = await this.#post(request, [201, 409]);
    if (reply?.status === 409 && !journal.removals.has(String(request.id)))
      tally.find('lost', `${request.id}, whose key says that it is gone: ${reply.text}`);
    if (reply?.status !== 201) return reply !== null;
    const { id } = JSON.parse(reply.text);
    tally.replays += 1;
    tally.compare('doubled', `the note of ${request.key}`, id, request.id ?? id);
    request.id = id;
    return true;
  }

  #post({ key, fields }: KeyedRequest, expected = [201]): Promise<Reply | null> {
    const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
    return this.#station.write('notes', fields.label, expected, 'POST', '/notes', fields, headers);
  }

  /** Sometimes for the version it knows, sometimes for whichever is there. */
  #patch(note: OwnNote): Promise<boolean> {
    const { random } = this.#station.round;
    const headers = random.next() < 0.5 ? { 'if-match': note.etag } : {};
    const fields = { step: note.step + 1, text: this.#text() };
    return this.#change(note, 'notes.changed', fields, ['PATCH', `/notes/${note.id}`, fields, headers]);
  }

  #act(note: OwnNote): Promise<boolean> {
    const state = String(otherState[note.state]);
    const path = `/notes/${note.id}/${nextAction[note.state]}`;
    return this.#change(note, `notes.${state}`, { state }, ['POST', path]);
  }

  async #change(
    note: OwnNote,
    event: string,
    changes: Partial<OwnNote>,
    request: [method: string, path: string, body?: object, headers?: Record<string, string>],
  ): Promise<boolean> {
    const reply = await this.#station.write('notes', `${note.id} ${event}`, [200], ...request);
    if (reply?.status === 200) Object.assign(note, changes, { etag: reply.headers.get('etag') });
    // It is unknown what is there now.
    if (reply === null) this.#own.delete(note);
    return reply !== null;
  }

  /** Two new notes and a change of one, together; sometimes the last part must be refused, and with it all. */
  async #batch(note: OwnNote): Promise<boolean> {
    const { random, journal, tally } = this.#station.round;
    const batch = randomUUID();
    const mark = (part: number) => ({ mark: `${batch} ${part} 3` });
    const made = [0, 1].map((part) => ({ ...this.#newFields(), ...mark(part) }));
    const isRefused = random.next() < 0.3;
    const change = { step: note.step + 1, ...mark(2) };
    const operations = [
      ...made.map((fields) => ({ create: 'notes', fields })),
      { update: 'notes', id: note.id, fields: change, if_match: isRefused ? '"outdated"' : note.etag },
    ];
    const reply = await this.#station.ask([isRefused ? 409 : 200], 'POST', '/batch', { operations });
    if (isRefused && reply === null) return false;
    const names = [...made.map(({ label }) => label), `${note.id} notes.changed`];
    journal.note(
      names.map((name) => this.#station.named('notes', name)),
      reply,
    );
    if (reply === null) this.#own.delete(note);
    if (reply?.status !== 200) return reply !== null;
    const { results } = JSON.parse(reply.text);
    tally.compare('half', `the results of ${batch}`, results.length, operations.length);
    note.step = change.step;
    note.etag = results[2].etag;
    return true;
  }

  /** Deletes it, leaves it to a machine client, or keeps it. */
  async #release(note: OwnNote): Promise<boolean> {
    const { id } = note;
    const { random, journal } = this.#station.round;
    this.#own.delete(note);
    const chance = random.next();
    if (chance < 0.2) return true;
    journal.removals.add(id);
    if (chance < 0.6) {
      this.#given.push(id);
      return true;
    }
    const reply = await this.#station.write('notes', `${id} notes.deleted`, [204], 'DELETE', `/notes/${id}`);
    return reply !== null;
  }

  #newFields() {
    const label = randomUUID();
    this.#station.round.journal.subjects.set(label, this.#station.subject);
    return { label, step: 0, text: this.#text() };
  }

  #text(): string {
    const { random } = this.#station.round;
    return `${random.pick(words)} ${random.pick(words)}`;
  }
}
