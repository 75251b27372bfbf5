/** How a program of the benchmark that runs by itself is told what to do, and tells what came out. */
export const givenVariable = 'BENCH_GIVEN';

export function readGiven<Given>(): Given {
  return JSON.parse(process.env[givenVariable] ?? '') as Given;
}

export function printResult(result: object): void {
  process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
}
