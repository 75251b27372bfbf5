import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Engine } from './engine.ts';
import type { Database } from './schema.ts';

/** Stands for a value while a statement is made. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

type Run<Values extends readonly unknown[], Row> = (
  database: Database,
  ...values: Values
) => Promise<QueryResult<Row>>;

/**
 * A statement that is made once, at its first use, and run with other values each time. To make one takes longer than to
 * run it. `build` gets placeholders and must only put them into the statement. Rejects with the catalogue's error instead
 * of a driver's.
 */
export function prepare<Values extends readonly unknown[], Row>(
  engine: Pick<Engine, 'unavailable'>,
  build: (...values: Values) => Compilable<Row>,
): Run<Values, Row> {
  let made: CompiledQuery<Row> | null = null;
  return async (database, ...values) => {
    made ??= build(...placeholders<Values>(build.length)).compile();
    const parameters = made.parameters.map((one) => (one instanceof Placeholder ? values[one.index] : one));
    try {
      return await database.executeQuery({ ...made, parameters });
    } catch (error) {
      throw engine.unavailable(error) ?? error;
    }
  };
}

function placeholders<Values extends readonly unknown[]>(count: number): Values {
  const all: readonly unknown[] = Array.from({ length: count }, (_, index) => new Placeholder(index));
  return all as Values;
}
