import type { Parts } from './parts.ts';

/** The audience of all test tokens. */
export const audience = 'https://api.vestibule.example';

/** What `npm test` says to every test file. */
export interface Surroundings {
  /** Everything a test leaves behind goes below this folder, so that test/after can look through it. */
  readonly runDirectory: string;
  readonly audience: string;
  /** Where the parts are to be had that are slow to start: see `part`. */
  readonly partsUrl: string;
  /** Whether services are started from the part `program`; otherwise from the source as it stands. */
  readonly hasProgram?: boolean;
}

export function surroundings(): Surroundings {
  const text = process.env.VESTIBULE_TEST;
  if (text === undefined)
    throw new Error('Run the tests with "npm test", or "npm test -- <file>" for one file.');
  return { ...JSON.parse(text), audience };
}

/** The test file to be run next, or null when all have been given out. */
export async function nextFile(): Promise<string | null> {
  return (await fetch(`${surroundings().partsUrl}/next-file`)).json() as Promise<string | null>;
}

/** A part that all test files share. It starts when the first of them asks for it, and stops with the run. */
export async function part<Name extends keyof Parts>(name: Name): Promise<Parts[Name]> {
  const response = await fetch(`${surroundings().partsUrl}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

/** Of the database that is there in every PostgreSQL, by a user who may do everything. */
export async function postgresUrl(): Promise<string> {
  return (await part('postgres')).url;
}
