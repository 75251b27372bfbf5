import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Person } from '../support/people/person.ts';
import type { Deployment } from '../support/services/deployment.ts';
import { type Expected, type State, sampleOf } from './expected-matrix.ts';

/** A step of a walk: who takes which action, and what it leads to. */
export interface Step {
  readonly action: string;
  readonly actor: string;
  readonly from: State;
  readonly to: State;
  /** The roles by action that a person has before and after it. */
  readonly before: readonly string[];
  readonly held: readonly string[];
}

/** The states that a record can reach, and the shortest way to each. */
export interface Place {
  readonly state: State;
  readonly held: readonly string[];
  readonly steps: readonly Step[];
  /** True if the record finds no place under its parent. */
  readonly isFull: boolean;
}

/** Every pair of a state and the roles that are held in it, by a search through the state machine. */
export function placesOf(expected: Expected): readonly Place[] {
  const overflow = expected.family?.overflow ?? null;
  const start = { held: [], steps: [] };
  const places: Place[] = [
    { ...start, state: expected.states[0] ?? null, isFull: false },
    ...(overflow === null ? [] : [{ ...start, state: overflow, isFull: true }]),
  ];
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
      places.push({ state: to, held, steps: [...place.steps, step], isFull: place.isFull });
    }
  return places;
}

/** Who takes an action there. One that grants a role is taken by the person who is to have it. */
function actorOf(expected: Expected, { state, held }: Place, action: string): string | null {
  const { by = [], grants = null, isChosen = false } = expected.actions.get(state)?.[action] ?? {};
  if (grants !== null && !isChosen) {
    const needed = expected.family?.neededFor(grants) ?? 'everyone';
    return by.includes(needed) && !held.includes(grants) ? grants : null;
  }
  const isThere = (role: string) =>
    expected.origins[role] !== 'granted' && !(role === 'client' && expected.clients !== 'any');
  return by.find((role) => isThere(role) || held.includes(role)) ?? null;
}

/** Where the parent of a record can get to, divided at the place where the record is created; `after` is null where it cannot be. */
export interface PlaceAbove {
  readonly state: State;
  readonly before: readonly Step[];
  readonly after: readonly Step[] | null;
}

/** Undefined for a collection without a parent. */
export function placesAbove({ family }: Expected): readonly (PlaceAbove | undefined)[] {
  if (family === null) return [undefined];
  const { parent, accepts } = family;
  const isAccepting = (state: State | undefined) => accepts === null || accepts.includes(state ?? null);
  return placesOf(parent).map(({ state, steps }) => {
    const passed = [parent.states[0], ...steps.map(({ to }) => to)];
    const count = passed.findIndex(isAccepting);
    if (count < 0) return { state, before: steps, after: null };
    return { state, before: steps.slice(0, count), after: steps.slice(count) };
  });
}

interface Beginning {
  readonly owner?: 'owner' | 'client';
  readonly above?: PlaceAbove | undefined;
  readonly isFull?: boolean;
}

/** The people of one record and of those above it: one for each role, who has no other that is not needed for it. */
export class Cast {
  readonly #target: Deployment;
  readonly #expected: Expected;
  readonly #people = new Map<string, Person>();
  readonly parent: Cast | null;
  id = '';

  constructor(target: Deployment, expected: Expected) {
    this.#target = target;
    this.#expected = expected;
    this.parent = expected.family === null ? null : new Cast(target, expected.family.parent);
  }

  get path(): string {
    return `${this.#expected.name}/${this.id}`;
  }

  get root(): Cast {
    return this.parent?.root ?? this;
  }

  async as(role: string): Promise<Person> {
    const person = this.#people.get(role) ?? (await this.#person(role));
    this.#people.set(role, person);
    return person;
  }

  async #person(role: string): Promise<Person> {
    const { scopes, origins, family } = this.#expected;
    if (role === 'client') return new Person(await this.#target.machine('clerk'));
    if (family !== null && this.parent !== null) {
      if (role === 'owner' || origins[role] === 'parent') return this.parent.as(family.roleAbove(role));
      if (family.neededFor(role) !== null) return this.another(role);
    }
    return Person.of(this.#target, {
      sub: randomUUID(),
      ...(scopes[role] ? { scope: scopes[role] } : {}),
    });
  }

  /** A further person with what it needs for a role. */
  async another(role: string): Promise<Person> {
    const { origins, family } = this.#expected;
    if (family !== null && this.parent !== null && role !== 'everyone')
      return this.parent.another(family.roleAbove(role));
    const person = await Person.of(this.#target, { sub: randomUUID() });
    if (origins[role] === 'invited') await (await this.as('owner')).invites(this.path, role, person);
    return person;
  }

  /** Makes the record and those above it, and lets in those who have a role by invitation. */
  async begin({ owner = 'owner', above, isFull = false }: Beginning = {}): Promise<void> {
    const { name, origins } = this.#expected;
    await this.beginAbove(above);
    const creator = await this.#creator(owner);
    if (isFull) await (await this.another('everyone')).make(name, this.fields);
    this.id = await creator.make(name, this.fields);
    for (const [role, origin] of Object.entries(origins))
      if (origin === 'invited') await creator.invites(this.path, role, await this.as(role));
  }

  /** Makes the record above, and takes it to where records are created under it. */
  async beginAbove(above: PlaceAbove | undefined): Promise<void> {
    if (this.parent === null) return;
    await this.parent.begin();
    const place = above ?? placesAbove(this.#expected).find((one) => one?.after);
    await this.parent.walk(place?.before ?? []);
  }

  async #creator(owner: 'owner' | 'client'): Promise<Person> {
    const { creators, scopes, family } = this.#expected;
    if (family?.isParents) return this.as(String(creators[0]));
    if (family !== null || owner === 'client') {
      const creator = owner === 'client' ? await this.as(owner) : await this.another('owner');
      this.#people.set('owner', creator);
      return creator;
    }
    const sub = randomUUID();
    this.#people.set('owner', await Person.of(this.#target, { sub }));
    const scope = creators.includes('everyone') ? undefined : scopes[String(creators[0])];
    // The same person with a token that lets it create.
    return scope === undefined ? this.as('owner') : Person.of(this.#target, { sub, scope });
  }

  /** The fields of a new record. */
  get fields(): object {
    const { fields, family } = this.#expected;
    const own = (fields.required ?? []).map((name) => [name, sampleOf(fields, name)]);
    return { ...Object.fromEntries(own), ...(family === null ? {} : { [family.field]: this.parent?.id }) };
  }

  async walk(steps: readonly Step[]): Promise<void> {
    for (const { action, actor, to } of steps) {
      const { status, body } = await this.act(await this.as(actor), action);
      assert.equal(status, 200, `${action} by ${actor}: ${JSON.stringify(body)}`);
      if (body.state !== undefined) assert.equal(body.state, to);
    }
  }

  /** Takes an action, with the input that it needs where it is declared. */
  async act(person: Person, action: string) {
    const { actions, fields } = this.#expected;
    const declared = [...actions.values()].flatMap((of) => of[action] ?? []);
    const sets = declared.flatMap((one) => one.sets);
    const chosen = declared.find(({ isChosen }) => isChosen)?.grants ?? null;
    const input = {
      ...Object.fromEntries(sets.map((name) => [name.replace(/\?$/, ''), sampleOf(fields, name)])),
      ...(chosen === null ? {} : { member: await (await this.as(chosen)).aliasIn(this.root.path) }),
    };
    const body = Object.keys(input).length === 0 ? undefined : input;
    return person.send('POST', `${this.path}/${action}`, body, this.version);
  }

  /** Changes are made without having read the record. */
  get version(): Readonly<Record<string, string>> {
    return this.#expected.needsVersion ? { 'if-match': '*' } : {};
  }
}
