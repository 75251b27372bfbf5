/** What `npm test` has started for all test files. */
export interface Surroundings {
  /** Everything a test leaves behind goes below this folder, so that test/after can look through it. */
  readonly runDirectory: string;
  readonly postgresUrl: string;
  readonly mockOrigin: string;
  readonly oidcOrigin: string;
  readonly oidcClient: { readonly id: string; readonly secret: string };
  readonly audience: string;
}

export function surroundings(): Surroundings {
  const text = process.env.VESTIBULE_TEST;
  if (text === undefined)
    throw new Error('Run the tests with "npm test", or "npm test -- <file>" for one file.');
  return JSON.parse(text);
}
