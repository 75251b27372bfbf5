import type { Clock } from '../../../src/base/clock.ts';
import type { SignatureAlgorithm } from '../../../src/base/provider-rules.ts';
import type { KeySetStore } from './kept-keys.ts';

/** A log line: what happened, and fields without any part of a token. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

/** The options of `createVerifier`. Only the first two have no default. */
export interface VerifierOptions {
  /** The provider, exactly as its tokens name it in `iss`. */
  readonly issuer: string;
  /**
   * The audience of accepted tokens: your API, by one name or any of several. `null` accepts any audience, which is unsafe.
   */
  readonly audience: string | readonly string[] | null;
  /** The address of the keys. Default: from the metadata of the provider (OpenID Connect Discovery). */
  readonly jwksUrl?: string;
  /** Default: RS256. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  /** Takes only tokens that say they are access tokens: `typ` is `at+jwt` (RFC 9068). Default: false. */
  readonly requireAtJwt?: boolean;
  /** The scopes that every token must grant. */
  readonly requiredScopes?: readonly string[];
  /** The longest time from `iat` to `exp`. Default: no limit. */
  readonly maxTokenLifetimeSeconds?: number;
  /** The status for a missing or bad token. Default: 403. */
  readonly challengeStatus?: 401 | 403;
  /** Names what is protected in the challenge. Default: "api". */
  readonly realm?: string;
  /** The address of the document that says who issues tokens for here (RFC 9728), for the challenge. */
  readonly resourceMetadata?: string;
  /** How long the last good keys are used while the provider cannot be reached. Default: 86400, a day. */
  readonly maxStaleSeconds?: number;
  /** Where the last good keys are kept across restarts: `keySetFile(path)`, or a store of your own. Default: nowhere. */
  readonly memory?: KeySetStore;
  /** A key for the checksum of `memory`, so that write access to it is not enough to plant a key: 32 characters or more. */
  readonly memorySecret?: string;
  /** Entries in the cache of verified tokens; a token counts once for each kilobyte of its claims. Default: 100000. */
  readonly cacheEntries?: number;
  /** Called when keys were fetched, could not be fetched, or have faults. Default: none. */
  readonly log?: (entry: LogEntry) => void;
  /** The clock, for tests. */
  readonly clock?: Clock;
}
