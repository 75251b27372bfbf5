import type { Across, Exposition } from './exposition.ts';
import type { KeySetStatus } from './health.ts';

/** How old the keys of each provider are, how long they can be used, and what is wrong with them. */
export function describeKeySets(exposition: Exposition, keySets: () => readonly KeySetStatus[]): void {
  const describe = (
    name: string,
    help: string,
    value: (status: KeySetStatus) => number,
    across: Across = 'least',
  ) =>
    exposition.add({ name, type: 'gauge', help, across }, () =>
      keySets().map((status) => ({ labels: { provider: status.name }, value: value(status) })),
    );
  describe(
    'vestibule_jwks_age_seconds',
    'Seconds since the keys of a provider were fetched; NaN while there are none.',
    ({ ageSeconds }) => ageSeconds ?? Number.NaN,
    'most',
  );
  describe(
    'vestibule_jwks_stale_seconds_left',
    'Seconds until the keys are too old to be used.',
    (keys) => keys.staleLeftSeconds,
  );
  describe(
    'vestibule_jwks_next_fetch_seconds',
    'Seconds until the keys are fetched again.',
    (keys) => keys.nextFetchSeconds,
  );
  describe('vestibule_jwks_usable_keys', 'Keys of a provider that may verify tokens.', (keys) => keys.keys);
  describe(
    'vestibule_jwks_alarming_keys',
    'Published keys that nobody should use: weak, symmetric, private, ambiguous.',
    (keys) => keys.alarmingKeys,
    'most',
  );
}
