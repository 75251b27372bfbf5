import type { TestEvent } from 'node:test/reporters';

/** How one test ended, as a line of JSON. */
export interface Ended {
  readonly passed: boolean;
  readonly name: string;
  /** Failed by itself, rather than because what it rests on did not start. */
  readonly byItself: boolean;
}

/** A reporter for `node --test`: a line for each test that ended, and nothing of suites. */
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    if (event.data.details.type === 'suite') continue;
    const error = event.type === 'test:fail' ? event.data.details.error : undefined;
    const ended: Ended = {
      passed: event.type === 'test:pass',
      name: event.data.name,
      byItself: (error as { failureType?: string } | undefined)?.failureType === 'testCodeFailure',
    };
    yield `${JSON.stringify(ended)}\n`;
  }
}
