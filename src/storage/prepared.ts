import type { Compilable, CompiledQuery } from 'kysely';
import { RecentMap } from '../base/recent-map.ts';
import type { Read, Row } from './engine.ts';

/** Callers choose filters, so the number of statements is limited (LRU). */
const mostStatements = 300;

class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Compiles each shape of a query once: to compile takes longer than to run. */
export class PreparedReads {
  readonly #read: Read;
  readonly #made = new RecentMap<string, CompiledQuery>(mostStatements);

  constructor(read: Read) {
    this.#read = read;
  }

  /** `build` gets a placeholder for each value; all queries of one shape share the statement. */
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
