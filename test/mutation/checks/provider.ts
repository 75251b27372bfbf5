import { checksOf, type Mutant } from '../mutant.ts';

const refresh = ['test/fault/key-refresh.test.ts'];
const fetching = ['test/fault/provider-fetch.test.ts'];
const bounds = ['test/fault/bounded-memory.test.ts'];

/** How the provider's keys are fetched, kept and given up. */
export const providerChecks: readonly Mutant[] = [
  ...checksOf('src/auth/provider-fetch.ts', fetching, [
    [
      'one deadline',
      'AbortSignal.timeout(…)',
      'AbortSignal.timeout(3_600_000)',
      'one silent answer keeps the keys from being renewed',
    ],
    [
      'no redirects',
      "redirect: 'manual'",
      "redirect: 'follow'",
      'an open redirect at the provider serves keys of anybody',
    ],
    [
      'status 200 and no other',
      'status !== 200',
      'status >= 300',
      'a part of an answer is taken for the whole',
    ],
    [
      'the size of the answer',
      'if (size > mostBytes)',
      'if (size > 1e12)',
      'an endless answer fills the memory',
    ],
    [
      'the answer is UTF-8',
      "new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })",
      "new TextDecoder('utf-8', { ignoreBOM: true })",
      'what is no text is taken for one',
    ],
    [
      'an order not to keep the answer',
      'return 0;',
      'return null;',
      'keys are kept longer than the provider says',
      refresh,
    ],
  ]),
  ...checksOf('src/auth/provider-keys.ts', refresh, [
    [
      'the bound of the age of keys',
      'return this.#isTooOld ? null : this.#current;',
      'return this.#current;',
      'whoever keeps us from the provider keeps a stolen key alive',
    ],
    [
      'one fetch at a time',
      'this.#inFlight ??= this.#fetch().finally(() => {\n      this.#inFlight = null;\n    });\n    return this.#inFlight;',
      'return this.#fetch();',
      'every caller at the start asks the provider',
    ],
    [
      'the cool-down for unknown names',
      'if (now < mayFetchAt) {',
      'if (Number.isNaN(now)) {',
      'every invented name is a request to the provider',
    ],
    [
      'a name that comes too early is looked for later',
      'this.#schedule((mayFetchAt - now) / 1000, () => this.#seekNow());',
      '',
      'a flood of invented names hides a rotation',
    ],
    [
      'only a token that looks right is worth a request',
      ' || !looksRight()',
      '',
      'anybody without any token can use up the cool-down',
    ],
    [
      'the memory of unknown names',
      'this.#unknownKids.has(…) || ',
      '',
      'one invented name is a request in every cool-down',
    ],
    [
      'a changed set makes unknown names worth asking for',
      'if (changed) this.#unknownKids.clear();',
      '',
      'a rotation is overlooked for minutes',
    ],
    [
      'no request for unknown names while the provider fails',
      ' || this.#failuresInARow > 0) return;',
      ') return;',
      'invented names defeat the back-off',
    ],
    [
      'the back-off',
      'first * 2 ** (this.#failuresInARow - 1)',
      'first',
      'a provider in trouble is asked every second',
    ],
    [
      'the jitter of the back-off',
      'step * (1 + (this.#options.random ?? Math.random)() / 4)',
      'step',
      'all processes come back in step',
    ],
    [
      'Retry-After',
      'Math.max(this.#backOff(), Math.min(…))',
      'this.#backOff()',
      'a provider that asks for rest gets none',
    ],
    [
      'the bound of Retry-After',
      'Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds)',
      '(retryAfterSeconds ?? 0)',
      'one answer puts off the next fetch for days',
    ],
    [
      'the shortest time between fetches',
      'Math.max(maxAgeSeconds ?? unstated, shortest)',
      '(maxAgeSeconds ?? unstated)',
      'max-age=0 becomes a fetch without end',
    ],
    [
      'the longest time between fetches',
      'shortest), longest, ',
      'shortest), ',
      'a removed key works for years',
    ],
    [
      'another set is another generation',
      '(changed ? 1 : 0)',
      '0',
      'tokens of a removed key are still remembered',
    ],
    [
      'the age of a stored set',
      'this.#adopt(set, clock.monotonic() - ageMs, 0);',
      'this.#adopt(set, clock.monotonic(), 0);',
      'each restart makes old keys young again',
    ],
  ]),
  ...checksOf('src/auth/unknown-kids.ts', bounds, [
    [
      'the number of remembered names',
      'new RecentMap<string, number>(mostRemembered)',
      'new Map<string, number>()',
      'invented names fill the memory',
    ],
    [
      'names are forgotten',
      'return this.secondsLeft(kid) > 0;',
      'return this.#forgetAt.has(kid);',
      'a name that was used too early never works',
      refresh,
    ],
  ]),
  ...checksOf(
    'src/auth/stored-key-set.ts',
    ['test/attack/stored-key-set.test.ts'],
    [
      [
        'the stored set is ours',
        'return isOurs ? JSON.parse(found.content) : null;',
        'return JSON.parse(found.content);',
        'whoever can write to the database plants a key',
      ],
      [
        'the checksum, not its length alone',
        'found.mac.length === expected.length && timingSafeEqual(…)',
        'found.mac.length === expected.length',
        'whoever can write to the database plants a key',
      ],
      [
        'the stored set of this very address',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file
        '`${name}\\0${content}`',
        'content',
        'the keys of one provider stand in for those of another',
      ],
    ],
  ),
];
