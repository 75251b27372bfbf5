import { describe, Refusal } from '../../base/errors.ts';
import { FormError, isForm, readFields } from '../../base/form.ts';
import { answer, type Input, type PublicHandler } from '../../base/handler.ts';
import { type Description, tags } from '../../openapi/description.ts';
import { text } from '../../openapi/schemas.ts';
import type { LogoutToken } from './logout-token.ts';
import type { SignOutParts } from './sign-out-parts.ts';

/** POST /idp/logout: a provider tells that somebody has signed out there (OpenID Connect Back-Channel Logout 1.0). */
export function logOut(parts: SignOutParts<LogoutToken> | null): PublicHandler {
  return async (input) => {
    if (parts === null) throw new Refusal('not_found');
    const { open, takeBack, documentDigest, onTakenBack } = parts;
    const token = readLogoutToken(input);
    const { source, said } = await open(token, input).catch((error: unknown) => {
      throw asInvalid(error);
    });
    const { ended, id, expiresAt } = said;
    const document = { issuer: source.name, digest: documentDigest(id), expiresAt };
    const noted = await takeBack([ended], source, document);
    if (noted === null) throw new Refusal('logout_token_invalid', { detail: 'jti used before' });
    if (noted > 0) onTakenBack('logout');
    return done;
  };
}

const done = answer(null, '', { status: 200 });

function readLogoutToken({ contentType, body }: Input): string {
  try {
    const token = isForm(contentType) ? readFields(body ?? new Uint8Array()).get('logout_token') : undefined;
    if (token !== undefined) return token;
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
  }
  throw new Refusal('logout_token_invalid', { detail: 'no form with a logout_token' });
}

/** Whatever an access token would be refused for; but not that it cannot be told now. */
function asInvalid(error: unknown): unknown {
  const isRefused = error instanceof Refusal && describe(error.code).status === 403;
  return isRefused ? new Refusal('logout_token_invalid', { detail: error.code }) : error;
}

export function describeLogout(): Description {
  return {
    name: 'logOut',
    tag: tags.sessions,
    summary: 'Somebody has signed out at the provider',
    description:
      'OpenID Connect Back-Channel Logout 1.0, for the provider. Tokens of that session, or of that subject, are refused from then on with token_revoked. 404 where the settings name no audience for logout tokens.',
    body: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          required: ['logout_token'],
          properties: { logout_token: { ...text, description: 'A JWT that the provider has signed.' } },
        },
        example: { logout_token: '<the signed logout token>' },
      },
    },
    answers: { 200: { description: 'Their tokens are taken back.' } },
    errors: [
      'logout_token_invalid',
      'not_found',
      'too_many_refusals',
      'keys_unavailable',
      'overloaded',
      'storage_unavailable',
    ],
  };
}
