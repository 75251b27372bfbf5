import type { Config } from '../../config/settings.ts';

/** What a restart would begin with. A database that is not there or does not answer is no mistake in the settings. */
export async function storedKeys(config: Config) {
  const { storedKeySets } = await import('../../app/check.ts');
  const { state, sentence, keys } = await storedKeySets(config);
  const { providers, jwksMaxStaleSeconds } = config;
  const known = providers.map(({ name }, index) => ({
    name,
    who: providers.length === 1 ? 'the provider' : `"${name}"`,
    times: timesOf(keys[index] ?? null, jwksMaxStaleSeconds),
  }));
  return { database: { state, sentence }, keys: known };
}

type StoredTimes = ReturnType<typeof timesOf>;

function timesOf(keys: { readonly fetchedAt: number; readonly refreshAt: number } | null, most: number) {
  if (keys === null) return null;
  const ageMs = Date.now() - keys.fetchedAt;
  const seconds = (milliseconds: number) => Math.max(Math.round(milliseconds / 1000), 0);
  return {
    age_seconds: seconds(ageMs),
    next_fetch_in_seconds: seconds(keys.refreshAt - Date.now()),
    stale_seconds_left: seconds(most * 1000 - ageMs),
  };
}

/** Of one provider by itself, of several by their names. */
export function keysAsData(keys: readonly { readonly name: string; readonly times: StoredTimes }[]) {
  const [first, ...others] = keys;
  if (others.length === 0) return { provider_keys: first?.times ?? null };
  return { providers: Object.fromEntries(keys.map(({ name, times }) => [name, times])) };
}

export function keysLine(who: string, times: StoredTimes): string {
  if (times === null)
    return `No keys of ${who} are stored that could be read: "npx vestibule serve" fetches them when it starts.`;
  return `The stored keys of ${who} are ${times.age_seconds} s old, are to be fetched again in ${times.next_fetch_in_seconds} s, and can be used for ${times.stale_seconds_left} s more.`;
}
