/** What statements run on. They are done in the order in which they come; none needs to wait for the answer to another. */
export interface Connection {
  run(sql: string, parameters: readonly unknown[]): Promise<StatementResult>;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** How many rows were inserted, changed or deleted; of others nobody asks for it. */
  readonly rowCount: number | null;
}

/** A connection on which a transaction can be begun. */
export interface TransactionConnection extends Connection {
  readonly begin: string;
  /** The error to go on with instead of a driver's. */
  explain(error: unknown): unknown;
  /** Never rejects: what cannot be undone now is undone when the connection ends. */
  undo(): Promise<void>;
}

/**
 * One transaction. The first statements are on their way before it is known that it has begun, and some before it is
 * known what became of those before them. Nothing stays of what follows one that failed; no more is sent, and nothing is
 * committed. The first are best reads: what PostgreSQL does without a transaction, it does for good.
 */
export async function inTransaction<T>(
  connection: TransactionConnection,
  work: (transaction: Connection) => Promise<T>,
): Promise<T> {
  const statements = new Statements(connection);
  try {
    void statements.run(connection.begin, []);
    const result = await work(statements);
    await statements.settled();
    await statements.run('commit', []);
    return result;
  } catch (error) {
    await connection.undo();
    throw error;
  }
}

class Statements implements Connection {
  readonly #connection: TransactionConnection;
  #last: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(connection: TransactionConnection) {
    this.#connection = connection;
  }

  run(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const result = this.#run(sql, parameters);
    this.#last = result;
    // Whoever gave the statement need not wait for it.
    result.catch(() => {});
    return result;
  }

  /** All have been answered, the last one last; rejects when one of them failed. */
  async settled(): Promise<void> {
    await this.#last;
    this.#checkNoneFailed();
  }

  async #run(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    this.#checkNoneFailed();
    try {
      return await this.#connection.run(sql, parameters);
    } catch (error) {
      this.#failure ??= { error: this.#connection.explain(error) };
      throw this.#failure.error;
    }
  }

  #checkNoneFailed(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
