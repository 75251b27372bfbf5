import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import { pointerTo } from '../base/yaml/json-pointer.ts';
import { found, type Say, type Tell } from '../base/yaml/mistakes.ts';
import type { Parse } from './kinds.ts';

/** Of what names the file of a secret, and may be the secret itself: standard error ends up in logs. */
export const untold: Tell = () => 'what was found is not shown, since it may be the secret itself';

/** Names of which a token has to have one: at Amazon Cognito there may be a client for each customer. */
const mostTexts = 1000;

/** Each of these is looked up in every token that was not seen before. */
const mostClaims = 100;

/** The members of one entry of a list in YAML; every mistake is said where it stands, and then the fallback is given. */
export class EntryReader {
  readonly #members: JsonObject;
  readonly #at: string;
  readonly #say: Say;

  constructor(members: JsonObject, at: string, say: Say) {
    this.#members = members;
    this.#at = at;
    this.#say = say;
  }

  /** A text that has to be there; null when it is not, or is wrong. */
  needed<T>(name: string, parse: Parse<T>, tell: Tell = found): T | null {
    if (this.#members[name] === undefined) this.#say(this.#at, `has no "${name}", which is needed`);
    return this.text(name, parse, null, tell);
  }

  text<T, F>(name: string, parse: Parse<T>, fallback: F, tell: Tell = found): T | F {
    return this.#member(name, fallback, (value, at) => {
      const parsed = typeof value === 'string' ? attempt(() => parse(value)) : 'must be a text';
      return this.#took(parsed, at, value, tell) ?? fallback;
    });
  }

  /** A list of texts, or a single one. */
  texts<T>(name: string, parse: Parse<T>, fallback: readonly NoInfer<T>[]): readonly T[] {
    return this.#member(name, fallback, (value, at) => {
      const items = Array.isArray(value) ? value : [value];
      if (items.length === 0) this.#say(at, 'must have at least one item; found an empty list');
      if (this.#isTooLong(items, mostTexts, at)) return fallback;
      return items.flatMap((item, index) => {
        const place = Array.isArray(value) ? pointerTo(at, index) : at;
        const parsed = typeof item === 'string' ? attempt(() => parse(item)) : 'must be a text';
        const taken = this.#took(parsed, place, item);
        return taken === undefined ? [] : [taken];
      });
    });
  }

  whole(name: string, least: number, most: number): number | null {
    return this.#member(name, null, (value, at) => {
      if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
      this.#say(at, `must be a whole number from ${least} to ${most}; ${found(value)}`);
      return null;
    });
  }

  flag(name: string): boolean {
    return this.#member(name, false, (value, at) => {
      if (typeof value !== 'boolean') this.#say(at, `must be true or false; ${found(value)}`);
      return value === true;
    });
  }

  /** Claims by their names: the text that each must have, or `true` for one that only has to be there. */
  claims(name: string, isReserved: (claim: string) => boolean): Readonly<Record<string, string | true>> {
    return this.#member(name, {}, (value, at) => {
      if (!isJsonObject(value)) {
        this.#say(at, `must be a mapping such as { token_use: access }; ${found(value)}`);
        return {};
      }
      if (this.#isTooLong(Object.keys(value), mostClaims, at)) return {};
      for (const [claim, wanted] of Object.entries(value)) {
        const place = pointerTo(at, claim);
        if (isReserved(claim)) this.#say(place, 'has rules of its own and cannot be named here');
        else if (wanted !== true && (typeof wanted !== 'string' || wanted === ''))
          this.#say(
            place,
            `must be the text that the claim has, or true if it only has to be there; ${found(wanted)}`,
          );
      }
      return value as Readonly<Record<string, string | true>>;
    });
  }

  /** Each item a name, or a list of names of which each is inside the one before. */
  paths<Path extends readonly string[]>(name: string, fallback: readonly Path[]): readonly Path[] {
    return this.#member(name, fallback, (value, at) => {
      if (!Array.isArray(value) || value.length === 0) {
        this.#say(at, `must be a list such as [scope, [realm_access, roles]]; ${found(value)}`);
        return fallback;
      }
      if (this.#isTooLong(value, mostClaims, at)) return fallback;
      return value.map((item, index) => {
        const path: unknown[] = Array.isArray(item) ? item : [item];
        this.#isTooLong(path, mostClaims, pointerTo(at, index));
        const isPath = path.length > 0 && path.every((step) => typeof step === 'string' && step !== '');
        if (!isPath)
          this.#say(pointerTo(at, index), `must be the name of a claim, or a list of names; ${found(item)}`);
        return path as unknown as Path;
      });
    });
  }

  /** Said, if it is. */
  #isTooLong({ length }: readonly unknown[], most: number, at: string): boolean {
    if (length > most) this.#say(at, `must have ${most} items at most; found ${length}`);
    return length > most;
  }

  #member<T>(name: string, fallback: T, read: (value: unknown, at: string) => T): T {
    const value = this.#members[name];
    return value === undefined ? fallback : read(value, pointerTo(this.#at, name));
  }

  /** What was parsed; undefined, and said, when it is the sentence of a mistake. */
  #took<T>(parsed: { readonly value: T } | string, at: string, given: unknown, tell = found): T | undefined {
    if (typeof parsed !== 'string') return parsed.value;
    this.#say(at, `${parsed}; ${tell(given)}`);
    return undefined;
  }
}

function attempt<T>(parse: () => T): { readonly value: T } | string {
  try {
    return { value: parse() };
  } catch (error) {
    return (error as Error).message;
  }
}
