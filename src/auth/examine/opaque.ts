import { describe } from '../../base/errors.ts';
import { passed, quoted } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { claimsOf } from '../introspection/request.ts';
import { FetchError } from '../provider-fetch.ts';
import { examineIssuer, type NamedRules } from './issuer.ts';
import { failedStep, judged, type Step, shown, tried } from './step.ts';

/** Who is asked about opaque tokens. */
export interface ExaminedIntrospection {
  readonly issuer: NamedRules;
  /** What the provider says of a token; null for one that is not active. */
  readonly ask: (token: string) => Promise<JsonObject | null>;
}

/** What its provider says of an opaque token, up to the claims; null where there is nothing more to look at. */
export async function examineOpaque(token: string, { issuer, ask }: ExaminedIntrospection) {
  const shape = passed('shape', `opaque, ${token.length} bytes: ${issuer.who} is asked about it`);
  const { step, answer } = await examineAnswer(token, ask);
  if (answer === null) return { steps: [shape, step], claims: null };
  const { value, code } = tried(() => claimsOf(answer, issuer.claims));
  const claims = value ?? answer;
  const steps: readonly Step[] = [
    shape,
    step,
    typeStep(answer, code),
    examineIssuer(claims.iss, [issuer]).step,
  ];
  return { steps, claims };
}

async function examineAnswer(token: string, ask: ExaminedIntrospection['ask']) {
  const name = 'introspection';
  const expected = 'an answer with "active": true';
  try {
    const answer = await ask(token);
    if (answer !== null) return { step: passed(name, 'the provider says that it is active'), answer };
    const advice = `${describe('token_inactive').sentence} (Or the provider does not tell the client of "introspection" about it.)`;
    return { step: failedStep(name, 'token_inactive', { expected, found: 'not active', advice }), answer };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const step = failedStep(name, 'introspection_unavailable', {
      expected,
      found: error.message,
      advice: `The provider cannot be asked about the token: ${error.message}. "npx vestibule doctor" tells more.`,
    });
    return { step, answer: null };
  }
}

function typeStep({ token_type: type, token_use: use }: JsonObject, code: Step['code'] | null): Step {
  const found = [
    ...(type === undefined ? [] : [`token_type ${shown(type)}`]),
    ...(use === undefined ? [] : [`token_use ${shown(use)}`]),
  ].join(', ');
  return judged('type', code ?? null, found === '' ? 'the answer does not say' : found, {
    expected: `token_type ${quoted('Bearer')}, or nothing about the type`,
    found,
    advice:
      code === 'token_bound'
        ? 'The token is bound to a key (DPoP), and the answer does not say to which ("cnf"). Let the provider say it.'
        : 'This is no access token, but most likely a refresh token. Send the access token.',
  });
}
