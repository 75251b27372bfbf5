import { systemClock } from '../../../src/base/clock.ts';
import { signatureAlgorithms } from '../../../src/base/provider-rules.ts';
import { isScopeName } from '../../../src/base/scopes.ts';
import { isHttpsOrLoopback } from '../../../src/base/url.ts';
import { kindOf } from './authorization.ts';
import type { VerifierOptions } from './options.ts';

type Test = (value: unknown, options: VerifierOptions) => boolean;

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isUrl = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) && isHttpsOrLoopback(value);
const isWhole = (least: number) => (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least;
const isListOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(test);
const isFunction = (value: unknown) => typeof value === 'function';
const has = (value: unknown, ...names: string[]) =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => isFunction((value as Record<string, unknown>)[name]));

/** Characters that need no escape in a quoted string of a header. */
const isQuotable = (value: unknown) =>
  typeof value === 'string' && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
const isAlgorithm = (value: unknown) => (signatureAlgorithms as readonly unknown[]).includes(value);

/** The expected form of each option. All but the first two may be missing. */
const rules: Readonly<Record<keyof VerifierOptions, readonly [expected: string, test: Test]>> = {
  issuer: [
    'the provider as its tokens name it in "iss": an address with https (plain http on loopback only), or any text beside "jwksUrl"',
    (value, { jwksUrl }) => (jwksUrl === undefined ? isUrl(value) : isText(value)),
  ],
  audience: [
    'the audience of the tokens: a text or a list of texts, or null to accept every audience',
    (value) => value === null || isText(value) || isListOf(isText)(value),
  ],
  jwksUrl: ['an address with https (plain http on loopback only)', isUrl],
  algorithms: [`a list of some of ${signatureAlgorithms.join(', ')}`, isListOf(isAlgorithm)],
  requireAtJwt: ['true or false', (value) => typeof value === 'boolean'],
  requiredScopes: [
    'a list of scopes',
    (value) =>
      Array.isArray(value) && value.every((scope) => typeof scope === 'string' && isScopeName(scope)),
  ],
  maxTokenLifetimeSeconds: ['a whole number from 1', isWhole(1)],
  challengeStatus: ['401 or 403', (value) => value === 401 || value === 403],
  realm: ['printable ASCII without quotes and backslashes', isQuotable],
  resourceMetadata: ['an address', (value) => isQuotable(value) && URL.canParse(String(value))],
  maxStaleSeconds: ['a whole number from 60', isWhole(60)],
  memory: [
    'keySetFile(path), or an object with read() and write(text)',
    (value) => has(value, 'read', 'write'),
  ],
  memorySecret: [
    'a text of at least 32 characters, beside "memory"',
    (value, { memory }) => typeof value === 'string' && value.length >= 32 && memory !== undefined,
  ],
  cacheEntries: ['a whole number from 2', isWhole(2)],
  log: ['a function', isFunction],
  clock: [
    'an object with now(), monotonic() and after()',
    (value) => has(value, 'now', 'monotonic', 'after'),
  ],
};
const required: readonly string[] = ['issuer', 'audience'];

/** The options with their defaults. Reports all mistakes at once, because each may admit a caller that should be refused. */
export function readOptions(options: VerifierOptions) {
  if (Object(options) !== options)
    throw new TypeError(
      `createVerifier expects an object with options, at least { issuer, audience }; found ${kindOf(options)}.`,
    );
  const mistakes = mistakesOf(options);
  if (mistakes.length > 0) throw new TypeError(`createVerifier cannot start:\n${mistakes.join('\n')}`);
  const { audience } = options;
  return {
    issuer: options.issuer,
    audiences: typeof audience === 'string' ? [audience] : audience,
    jwksUrl: options.jwksUrl ?? null,
    algorithms: options.algorithms ?? ['RS256'],
    requireAtJwt: options.requireAtJwt ?? false,
    requiredScopes: options.requiredScopes ?? [],
    maxLifetimeSeconds: options.maxTokenLifetimeSeconds ?? null,
    challengeStatus: options.challengeStatus ?? 403,
    realm: options.realm ?? 'api',
    resourceMetadata: options.resourceMetadata ?? null,
    maxStaleSeconds: options.maxStaleSeconds ?? 86_400,
    memory: options.memory ?? null,
    memorySecret: options.memorySecret ?? null,
    cacheEntries: options.cacheEntries ?? 100_000,
    log: options.log ?? null,
    clock: options.clock ?? systemClock,
  };
}

function mistakesOf(options: VerifierOptions): string[] {
  const given = options as unknown as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(rules, name))
    .map((name) => `- ${name}: there is no such option. There are ${Object.keys(rules).join(', ')}.`);
  const wrong = Object.entries(rules).flatMap(([name, [expected, test]]) => {
    const value = given[name];
    if (value === undefined && !required.includes(name)) return [];
    return test(value, options) ? [] : [`- ${name}: expected ${expected}; found ${shown(name, value)}.`];
  });
  return [...unknown, ...wrong];
}

function shown(name: string, value: unknown): string {
  if (value === undefined) return 'nothing';
  return name === 'memorySecret' ? 'something else' : (JSON.stringify(value) ?? typeof value);
}
