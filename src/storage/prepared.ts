import type { Compilable, CompiledQuery } from 'kysely';
import type { Connection } from './transaction.ts';

/** Stands for a value while a statement is made. */
class Placeholder {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

interface Result<Row> {
  readonly rows: readonly Row[];
  readonly rowCount: number | null;
}

type Run<Values extends readonly unknown[], Row> = (
  connection: Connection,
  ...values: Values
) => Promise<Result<Row>>;

/**
 * A statement that is made once, at its first use, and run with other values each time, straight on a connection. To make
 * one takes longer than to run it, and the builder's own way to a connection leaves as much garbage as all the rest.
 * `build` gets placeholders and must only put them into the statement.
 */
export function prepare<Values extends readonly unknown[], Row>(
  build: (...values: Values) => Compilable<Row>,
): Run<Values, Row> {
  let made: CompiledQuery<Row> | null = null;
  return (connection, ...values) => {
    made ??= build(...placeholders<Values>(build.length)).compile();
    const parameters = made.parameters.map((one) => (one instanceof Placeholder ? values[one.index] : one));
    return connection.run(made.sql, parameters) as Promise<Result<Row>>;
  };
}

function placeholders<Values extends readonly unknown[]>(count: number): Values {
  const all: readonly unknown[] = Array.from({ length: count }, (_, index) => new Placeholder(index));
  return all as Values;
}
