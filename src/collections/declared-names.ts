import { isJsonObject } from '../base/json-object.ts';
import type { Form } from '../base/json-schema.ts';

/** Parts of a declaration in the names of the code: `owned_by` is `ownedBy`. */

type InCode<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InCode<Rest>>}`
  : Name;

/** Null for a key that is not declared. */
export type Loaded<Declared> = {
  readonly [Key in keyof Declared & string as InCode<Key>]: undefined extends Declared[Key]
    ? Exclude<Declared[Key], undefined> | null
    : Declared[Key];
};

export function loaded<Declared>(form: Form<Declared>, declared: Declared): Loaded<Declared> {
  const inCode = (key: string) => key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const keys = Object.keys(form.properties as object) as (keyof Declared & string)[];
  return Object.fromEntries(keys.map((key) => [inCode(key), declared[key] ?? null])) as Loaded<Declared>;
}

/** The reverse of `loaded`, without what is null, false or empty. */
export function declaredNames(part: object): Readonly<Record<string, unknown>> {
  const entries = Object.entries(part).flatMap(([name, value]) => {
    const declared = isJsonObject(value) ? declaredNames(value) : value;
    const isEmpty = typeof declared === 'object' && Object.keys(declared ?? {}).length === 0;
    const key = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return isEmpty || declared === false ? [] : [[key, declared]];
  });
  return Object.fromEntries(entries);
}
