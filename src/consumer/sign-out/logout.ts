import type { RequestOrigin } from '../../base/caller.ts';
import { describe, Refusal } from '../../base/errors.ts';
import { FormError, isForm, readFields } from '../../base/form.ts';
import { answer, type Input, type PublicHandler } from '../../base/handler.ts';
import { type Description, tags } from '../../openapi/description.ts';
import { text } from '../../openapi/schemas.ts';
import type { LogoutToken } from './logout-token.ts';
import type { LogoutSource, RevokeSession } from './revoke-session.ts';

export interface LogoutParts {
  /** Verifies the logout token and rejects with a refusal. See `createOpenDocument` in `auth/verifier`. */
  readonly open: (
    text: string,
    origin: RequestOrigin,
  ) => Promise<{ readonly source: LogoutSource; readonly said: LogoutToken }>;
  readonly revokeSession: RevokeSession;
}

/** POST /idp/logout: a user has signed out at the provider (OpenID Connect Back-Channel Logout 1.0). Null: not configured. */
export function logOut(parts: LogoutParts | null): PublicHandler {
  return async (input) => {
    if (parts === null) throw new Refusal('not_found');
    const { open, revokeSession } = parts;
    const token = readLogoutToken(input);
    const { source, said } = await open(token, input).catch((error: unknown) => {
      throw asInvalid(error);
    });
    if ((await revokeSession(said, source)) === null)
      throw new Refusal('logout_token_invalid', { detail: 'jti used before' });
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
  throw new Refusal('logout_token_invalid', { detail: 'not a form with a logout_token' });
}

/** One code for all reasons for which an access token is refused. "Cannot verify now" (503) stays as it is. */
function asInvalid(error: unknown): unknown {
  const isRefused = error instanceof Refusal && describe(error.code).status === 403;
  return isRefused ? new Refusal('logout_token_invalid', { detail: error.code }) : error;
}

export function describeLogout(): Description {
  return {
    name: 'logOut',
    tag: tags.sessions,
    summary: 'A user has signed out at the provider',
    description:
      'OpenID Connect Back-Channel Logout 1.0, for the provider. Access tokens of that session, or of that subject, are then refused with token_revoked. 404 where the settings name no audience for logout tokens.',
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
    answers: { 200: { description: 'The access tokens are revoked.' } },
    errors: [
      'logout_token_invalid',
      'not_found',
      'too_many_refusals',
      'keys_unavailable',
      'overloaded',
      'revocations_full',
      'storage_unavailable',
    ],
  };
}
