import type { Stage } from './stage.ts';

/** The rounds of each that takes part. */
export type Rounds<Entry, Round> = ReadonlyMap<Entry, readonly Round[]>;

/** Round by round rather than peer by peer: a slow minute of the machine then falls on all of them. */
export async function measureInRounds<Entry extends { readonly name: string }, Round>(
  entries: readonly Entry[],
  { options, say }: Stage,
  measure: (entry: Entry) => Promise<Round>,
  inShort: (round: Round) => string,
): Promise<Rounds<Entry, Round>> {
  const rounds = new Map<Entry, Round[]>(entries.map((entry) => [entry, []]));
  for (let number = 1; number <= options.repeat; number++) {
    for (const [entry, own] of rounds) {
      const round = await measure(entry).catch((cause) => {
        throw new Error(`${entry.name}: ${cause.message}`, { cause });
      });
      own.push(round);
      say(`round ${number}  ${entry.name.padEnd(30)}${inShort(round)}`);
    }
  }
  return rounds;
}

/** Every round by itself, for the JSON file. */
export function samplesOf<Entry, Round extends object>(
  rounds: Rounds<Entry, Round>,
  about: (entry: Entry) => object,
): readonly object[] {
  return [...rounds].flatMap(([entry, own]) =>
    own.map((round, index) => ({ ...about(entry), round: index + 1, ...round })),
  );
}
