import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Answered, Person } from '../support/people/person.ts';
import { atOnce, type Deployment } from '../support/services/deployment.ts';

/** Attempts of many people at once under one meetup. A test makes them once, a drill often. */

export async function meetupWith(target: Deployment, seats: number) {
  const ada = await Person.of(target);
  const id = await ada.make('meetups', { title: 'Talk', starts: '2999-01-01T18:00:00Z', seats });
  await ada.post(`meetups/${id}/publish`);
  return { ada, id };
}

/** The counts of a meetup, which equal a recount. */
export async function countsUnder(ada: Person, id: string): Promise<Record<string, number>> {
  const items = await ada.caller.all('registrations', `&meetup=${id}&sort=created_at`);
  const { registrations } = (await ada.get(`meetups/${id}`)).body.counts;
  const count = (state: string) => items.filter((one) => one.state === state).length;
  const counted = { confirmed: count('confirmed'), waiting: count('waiting'), present: count('present') };
  assert.deepEqual(counted, registrations);
  return registrations;
}

/** Everyone registers for 20 seats, a quarter cancels, and the organiser confirms some out of turn. */
export async function raceForSeats(target: Deployment, people: readonly Person[]): Promise<void> {
  const seats = 20;
  const { ada, id } = await meetupWith(target, seats);
  const made = await atOnce(people.length, async (index) => {
    const person = people[index] as Person;
    const key = { 'idempotency-key': randomUUID() };
    const { status, body } = await untilServed(() =>
      person.send('POST', 'registrations', { meetup: id }, key),
    );
    assert.equal(status, 201, body.code);
    if (index % 4 !== 0) return body.id as string;
    const cancelled = await untilServed(() => person.post(`registrations/${body.id}/cancel`));
    assert.equal(cancelled.status, 200, cancelled.body.code);
    return body.id as string;
  });
  const early = await atOnce(10, (index) =>
    untilServed(() => ada.post(`registrations/${made.at(-1 - index)}/confirm`)),
  );
  assert.ok(early.every(({ status }) => [200, 409].includes(status)));
  const { confirmed = 0, waiting = 0 } = await countsUnder(ada, id);
  assert.deepEqual([confirmed, confirmed + waiting], [seats, people.length - Math.ceil(people.length / 4)]);
}

/** A slow machine answers 503 to requests that wait too long: they are sent again, as a client would. */
async function untilServed(send: () => Promise<Answered>): Promise<Answered> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send();
    if (answer.status !== 503 || tries === 20) return answer;
  }
}

/** One person registers many times, at all processes. */
export async function raceForKey(target: Deployment, tries: number): Promise<void> {
  const { id } = await meetupWith(target, 5);
  const eve = await Person.of(target);
  const made = await atOnce(tries, (index) =>
    eve.at(target.serviceAt(index)).post('registrations', { meetup: id }),
  );
  assert.equal(made.filter(({ status }) => status === 201).length, 1);
  assert.ok(made.every(({ status, body }) => status === 201 || body.code === 'not_unique'));
}
