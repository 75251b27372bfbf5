import type { Compilable, CompiledQuery } from 'kysely';
import { RecentMap } from '../base/recent-map.ts';
import type { Read } from './engine.ts';

/** Callers choose filters, so the number of statements is limited (LRU). */
const maxStatements = 300;

class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Compiles each shape of a query once: compiling takes longer than running. */
export function preparedReads(read: Read) {
  const compiled = new RecentMap<string, CompiledQuery>(maxStatements);
  /** `build` gets a placeholder for each value; all queries of one shape share the statement. */
  return (
    shape: string,
    values: readonly unknown[],
    build: (placeholders: readonly never[]) => Compilable,
  ): ReturnType<Read> => {
    let query = compiled.get(shape);
    if (query === undefined) {
      query = build(values.map((_, index) => new Placeholder(index) as never)).compile();
      compiled.set(shape, query);
    }
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? values[one.index] : one));
    return read(query.sql, parameters);
  };
}
