import type { Compilable, CompiledQuery } from 'kysely';
import { RecentMap } from '../base/recent-map.ts';
import type { Read, Row } from './engine.ts';

/** Callers choose what they filter by, so there is no end of different statements; those used last are kept. */
const mostStatements = 300;

/** Stands for a value while a statement is made. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Reads whose statements are made once and run with other values each time: to make one takes longer than to run it. */
export class PreparedReads {
  readonly #read: Read;
  readonly #made = new RecentMap<string, CompiledQuery>(mostStatements);

  constructor(read: Read) {
    this.#read = read;
  }

  /** `build` gets a placeholder for each value and only puts it into the statement: all of one shape are the same. */
  run(
    shape: string,
    values: readonly unknown[],
    build: (placeholders: readonly never[]) => Compilable,
  ): Promise<readonly Row[]> {
    let made = this.#made.get(shape);
    if (made === undefined) {
      made = build(values.map((_, index) => new Placeholder(index) as never)).compile();
      this.#made.set(shape, made);
    }
    const parameters = made.parameters.map((one) => (one instanceof Placeholder ? values[one.index] : one));
    return this.#read(made.sql, parameters);
  }
}
