import { randomUUID } from 'node:crypto';
import type { Reply } from '../support/load/caller.ts';
import type { Station } from './work.ts';

/** A circle as those who want to join it know it. */
export interface Circle {
  readonly id: string;
  invite(): Promise<Reply | null>;
  endInvitation(id: string): Promise<Reply | null>;
}

/** Counts up a circle, at all processes at once. Each step is for one of those who try. */
export async function countUp({ id }: { readonly id: string }, station: Station): Promise<boolean> {
  const found = await station.ask([200], 'GET', `/circles/${id}`);
  if (found?.status !== 200) return found !== null;
  const step = Number(JSON.parse(found.text).step) + 1;
  const headers = { 'if-match': String(found.headers.get('etag')) };
  const name = `${id} circles.changed`;
  const path = `/circles/${id}`;
  return (await station.write('circles', name, [200, 412], 'PATCH', path, { step }, headers)) !== null;
}

/** A person that joins circles of others by their codes, takes places in them, and leaves again. */
export class Member {
  readonly #station: Station;
  readonly #circles: readonly Circle[];
  readonly #places: Map<string, string>;

  constructor(station: Station, circles: readonly Circle[], places: Map<string, string>) {
    this.#station = station;
    this.#circles = circles;
    this.#places = places;
  }

  run(): Promise<void> {
    return this.#station.round.repeat(() => this.#work());
  }

  #work(): Promise<boolean> {
    const { random, journal } = this.#station.round;
    const circle = random.pick(this.#circles);
    const place = this.#places.get(circle.id);
    const isMember = journal.memberships.get(this.#membership(circle)) === true;
    if (place !== undefined && random.next() < 0.6) return this.#giveBack(circle, place);
    if (!isMember) return random.next() < 0.8 ? this.#join(circle) : this.#tryOutside(circle);
    if (random.next() < 0.2) return this.#leave(circle);
    if (place === undefined) return this.#take(circle);
    return countUp(circle, this.#station);
  }

  #membership({ id }: Circle): string {
    return `${this.#station.subject} in ${id}`;
  }

  async #join(circle: Circle): Promise<boolean> {
    const { memberships } = this.#station.round.journal;
    const invitation = await circle.invite();
    if (invitation?.status !== 201) return invitation !== null;
    const { id, code } = JSON.parse(invitation.text);
    memberships.set(this.#membership(circle), null);
    const reply = await this.#station.ask([200, 409], 'POST', '/invitations', { code });
    if (reply === null) return false;
    memberships.set(this.#membership(circle), reply.status === 200);
    // A circle has at most a hundred open codes.
    return reply.status === 200 || (await circle.endInvitation(id)) !== null;
  }

  async #leave(circle: Circle): Promise<boolean> {
    const { memberships } = this.#station.round.journal;
    memberships.set(this.#membership(circle), null);
    const reply = await this.#station.ask([204], 'DELETE', `/circles/${circle.id}/members/me`);
    if (reply !== null) memberships.set(this.#membership(circle), reply.status !== 204);
    return reply !== null;
  }

  /** Without the role neither the circle nor a place in it can be reached. */
  async #tryOutside({ id }: Circle): Promise<boolean> {
    const fields = { circle: id, label: 'of nobody' };
    const replies = [
      await this.#station.ask([404], 'GET', `/circles/${id}`),
      await this.#station.ask([404], 'PATCH', `/circles/${id}`, { step: 0 }),
      await this.#station.ask([422], 'POST', '/places', fields),
    ];
    return !replies.includes(null);
  }

  async #take(circle: Circle): Promise<boolean> {
    const label = randomUUID();
    this.#station.round.journal.subjects.set(label, this.#station.subject);
    const fields = { circle: circle.id, label };
    const reply = await this.#station.write('places', label, [201], 'POST', '/places', fields);
    if (reply?.status === 201) this.#places.set(circle.id, JSON.parse(reply.text).id);
    return reply !== null;
  }

  async #giveBack(circle: Circle, id: string): Promise<boolean> {
    const path = `/places/${id}`;
    const left = await this.#station.write('places', `${id} places.gone`, [200], 'POST', `${path}/leave`);
    if (left?.status !== 200) return left !== null;
    this.#places.delete(circle.id);
    return (await this.#station.write('places', `${id} places.deleted`, [204], 'DELETE', path)) !== null;
  }
}
