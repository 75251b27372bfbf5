import { type JsonSchema, mapping, where } from '../base/json-schema.ts';
import { type RequiredClaims, type SignatureAlgorithm, signatureAlgorithms } from '../base/provider-rules.ts';
import { isHttpsOrLoopback } from '../base/url.ts';
import { createFormCheck } from '../base/yaml/check-form.ts';
import { foundAddress } from '../base/yaml/mistakes.ts';
import * as kind from './kinds.ts';

/** The JSON Schema of IDPS_FILE. A new member is declared here; rules between entries are in providers-file.ts. */

/** An entry that fits the schema. A member with a default is always there. */
export interface ProviderEntry {
  readonly name: string;
  readonly title?: string;
  readonly origin: string;
  readonly issuer?: string;
  readonly former_issuer?: string;
  readonly jwks_path: string;
  readonly audience?: string | readonly string[];
  readonly audience_claim: string;
  readonly required_claims: RequiredClaims;
  readonly nonce_in_access_tokens: boolean;
  readonly algorithms: SignatureAlgorithm | readonly SignatureAlgorithm[];
  readonly required_scopes?: string | readonly string[];
  readonly scopes_from?: readonly (string | readonly [string, ...string[]])[];
  readonly require_at_jwt: boolean;
  readonly max_token_lifetime_seconds?: number;
  readonly web_client_id?: string;
  readonly logout_audience?: string | readonly string[];
}

const maxEntries = 32;
/** The longest list of accepted names: at Amazon Cognito there may be a client for each customer. */
const maxTexts = 1000;
/** Limits how many claims are looked up in every new token. */
const maxClaims = 100;

/**
 * A display name that is compared with nothing. Bidirectional marks are allowed, because Hebrew or Arabic beside other
 * letters needs them.
 */
const readableText: kind.Parse<string> = (value) => {
  kind.visibleText(value.replaceAll(/[\u061c\u200e\u200f]/g, ''));
  return value;
};

const audience: kind.Parse<string> = (value) => {
  if (!value.endsWith('.apps.googleusercontent.com')) return kind.visibleText(value);
  throw new Error(
    'must not be the client id of a frontend at Google, because Google issues only ID tokens for it',
  );
};

export const providerOrigin: kind.Parse<string> = (value) => {
  const origin = kind.origin(value);
  if (isHttpsOrLoopback(origin)) return origin;
  throw new Error('must be https, because an attacker can replace keys that are fetched over plain HTTP');
};

const kinds: Readonly<Record<string, kind.Parse<string>>> = {
  'provider-origin': providerOrigin,
  'readable-text': readableText,
  'visible-text': kind.visibleText,
  'url-path': kind.urlPath,
  audience,
  scope: kind.scopeName,
};

const formats = Object.fromEntries(
  Object.entries(kinds).map(([name, parse]) => [name, (text: string) => mistakeOf(parse, text)]),
);

function mistakeOf(parse: kind.Parse<string>, text: string): string | null {
  try {
    parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const text = (format: keyof typeof kinds, more = {}) => ({ type: 'string', format, ...more });
const flag = { type: 'boolean', default: false };
const claim = { type: 'string', minLength: 1 };

/** A list, or a single item. */
function oneOrMore(item: object, more = {}) {
  const list = { type: 'array', minItems: 1, maxItems: maxTexts, items: item };
  return { ...where({ type: 'array' }, list, item as JsonSchema), ...more };
}

const entry = mapping(
  {
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]{0,62}$',
      errorMessage: 'must be a name of 1 to 63 small letters, digits and "-" that begins with a letter',
    },
    title: text('readable-text'),
    origin: text('provider-origin'),
    issuer: text('visible-text'),
    former_issuer: text('visible-text'),
    jwks_path: text('url-path', { default: '/.well-known/jwks.json' }),
    audience: oneOrMore(text('audience')),
    audience_claim: text('visible-text', { default: 'aud' }),
    required_claims: {
      type: 'object',
      default: {},
      examples: [{ token_use: 'access' }],
      maxProperties: maxClaims,
      propertyNames: {
        not: { enum: ['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'cnf', 'nonce'] },
        errorMessage: 'has its own rules and cannot be listed here',
      },
      additionalProperties: {
        anyOf: [claim, { const: true }],
        errorMessage: 'must be the required text of the claim, or true if the claim may have any value',
      },
    },
    nonce_in_access_tokens: flag,
    algorithms: oneOrMore({ enum: signatureAlgorithms }, { default: ['RS256'] }),
    required_scopes: oneOrMore(text('scope')),
    scopes_from: {
      type: 'array',
      minItems: 1,
      maxItems: maxClaims,
      examples: [['scope', ['realm_access', 'roles']]],
      // The name of a claim, or a path of nested names.
      items: where({ type: 'array' }, { minItems: 1, maxItems: maxClaims, items: claim }, claim),
    },
    require_at_jwt: flag,
    max_token_lifetime_seconds: { type: 'integer', minimum: 60, maximum: 31_536_000 },
    web_client_id: text('visible-text'),
    logout_audience: oneOrMore(text('visible-text')),
  },
  ['name', 'origin'],
);

export const checkProviderList = createFormCheck(
  {
    type: 'array',
    minItems: 1,
    maxItems: maxEntries,
    errorMessage: `must be a list of 1 to ${maxEntries} providers, each beginning with "- name:"`,
    items: entry,
  },
  formats,
  foundAddress,
);
