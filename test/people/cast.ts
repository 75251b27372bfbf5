import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DeclaredService } from '../support/declared-service.ts';
import { type Expected, type State, sampleOf } from './expected-matrix.ts';
import { Person } from './person.ts';

/** A step of a walk: who takes which action, and what it leads to. */
export interface Step {
  readonly action: string;
  readonly actor: string;
  readonly from: State;
  readonly to: State;
  /** The roles by action that somebody has before and after it. */
  readonly before: readonly string[];
  readonly held: readonly string[];
}

/** Where a record can get to, and the shortest way there. */
export interface Place {
  readonly state: State;
  readonly held: readonly string[];
  readonly steps: readonly Step[];
}

/** Every pair of a state and the roles that are held in it, by a search through the state machine. */
export function placesOf(expected: Expected): readonly Place[] {
  const places: Place[] = [{ state: expected.states[0] ?? null, held: [], steps: [] }];
  const keyOf = ({ state, held }: Pick<Place, 'state' | 'held'>) => `${state} ${held.toSorted().join()}`;
  const known = new Set(places.map(keyOf));
  for (const place of places)
    for (const [action, { to, grants, revokes }] of Object.entries(expected.actions.get(place.state) ?? {})) {
      const actor = actorOf(expected, place, action);
      if (actor === null) continue;
      const held = [
        ...place.held.filter((role) => !revokes.includes(role)),
        ...(grants === null ? [] : [grants]),
      ];
      if (known.has(keyOf({ state: to, held }))) continue;
      known.add(keyOf({ state: to, held }));
      const step = { action, actor, from: place.state, to, before: place.held, held };
      places.push({ state: to, held, steps: [...place.steps, step] });
    }
  return places;
}

/** Who takes an action there. One that grants a role is taken by the person who is to have it. */
function actorOf(expected: Expected, { state, held }: Place, action: string): string | null {
  const { by = [], grants = null } = expected.actions.get(state)?.[action] ?? {};
  if (grants !== null) return by.includes('everyone') && !held.includes(grants) ? grants : null;
  const isThere = (role: string) =>
    expected.origins[role] !== 'granted' && !(role === 'client' && expected.clients !== 'any');
  return by.find((role) => isThere(role) || held.includes(role)) ?? null;
}

/** The people of one record: one for each role, who has no other. */
export class Cast {
  readonly #target: DeclaredService;
  readonly #expected: Expected;
  readonly #people = new Map<string, Person>();
  id = '';

  constructor(target: DeclaredService, expected: Expected) {
    this.#target = target;
    this.#expected = expected;
  }

  get path(): string {
    return `${this.#expected.name}/${this.id}`;
  }

  async as(role: string): Promise<Person> {
    const known = this.#people.get(role);
    if (known !== undefined) return known;
    const { scopes } = this.#expected;
    const person =
      role === 'client'
        ? new Person(await this.#target.machine('clerk'))
        : await Person.of(this.#target, {
            sub: randomUUID(),
            ...(scopes[role] ? { scope: scopes[role] } : {}),
          });
    this.#people.set(role, person);
    return person;
  }

  /** Makes the record, and lets in those who have a role by invitation. */
  async begin(owner = 'owner'): Promise<void> {
    const { name, creators, scopes, origins } = this.#expected;
    let creator: Person;
    if (owner === 'owner') {
      const sub = randomUUID();
      this.#people.set('owner', await Person.of(this.#target, { sub }));
      const scope = creators.includes('everyone') ? undefined : scopes[String(creators[0])];
      // The same person with a token that lets it create.
      creator = scope === undefined ? await this.as('owner') : await Person.of(this.#target, { sub, scope });
    } else {
      creator = await this.as(owner);
      this.#people.set('owner', creator);
    }
    this.id = await creator.make(name, requiredFields(this.#expected));
    for (const [role, origin] of Object.entries(origins))
      if (origin === 'invited') await creator.invites(this.path, role, await this.as(role));
  }

  async walk(steps: readonly Step[]): Promise<void> {
    for (const { action, actor, to } of steps) {
      const { status, body } = await this.act(await this.as(actor), action);
      assert.equal(status, 200, `${action} by ${actor}: ${JSON.stringify(body)}`);
      if (body.state !== undefined) assert.equal(body.state, to);
    }
  }

  /** Takes an action, with the input that it needs where it is declared. */
  act(person: Person, action: string) {
    const { actions, fields } = this.#expected;
    const sets = [...actions.values()].flatMap((of) => of[action]?.sets ?? []);
    const input = Object.fromEntries(sets.map((name) => [name.replace(/\?$/, ''), sampleOf(fields, name)]));
    return person.post(`${this.path}/${action}`, sets.length === 0 ? undefined : input);
  }
}

export function requiredFields({ fields }: Expected): object {
  return Object.fromEntries((fields.required ?? []).map((name) => [name, sampleOf(fields, name)]));
}
