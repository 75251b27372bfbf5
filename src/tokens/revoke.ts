import { revocationOf, type VerifiedClaims } from '../base/caller.ts';
import { describe, Refusal } from '../base/errors.ts';
import { isForm } from '../base/form.ts';
import { answer, type Input, type PublicHandler } from '../base/handler.ts';
import { type Description, tags } from '../openapi/description.ts';
import { text } from '../openapi/schemas.ts';
import type { RecogniseClient } from './recognise-client.ts';
import type { Throttle } from './throttle.ts';
import { credentialFields, readRevocation } from './token-request.ts';

type OwnToken = Pick<VerifiedClaims, 'subject' | 'tokenId' | 'times'>;

export interface RevokeParts {
  readonly recognise: RecogniseClient;
  readonly throttle: Throttle;
  /** Rejects with a refusal unless it is a valid token of this service. */
  readonly verifyOwn: (token: string, input: Input) => Promise<OwnToken>;
  readonly nameOf: (tokenId: string) => string;
  readonly revoke: (revocation: ReturnType<typeof revocationOf>) => Promise<unknown>;
}

/** POST /revoke (RFC 7009): request -> client -> token. The answer does not tell whether a token was revoked. */
export function revokeToken(parts: RevokeParts): PublicHandler {
  const { recognise, throttle, nameOf, revoke } = parts;
  return async (input) => {
    if (!isForm(input.contentType)) throw new Refusal('oauth_request_invalid', { detail: 'content type' });
    const { token, proof } = readRevocation(input);
    const known = await recognise(proof, input);
    if (known.client === null) {
      const retryAfterSeconds = throttle.fail(known.claimedId, input.address);
      if (retryAfterSeconds > 0) throw new Refusal('oauth_too_many_failures', { retryAfterSeconds });
      throw new Refusal('oauth_client_wrong');
    }
    const own = await findOwn(parts, token, input);
    if (own === null || own.tokenId === null || own.subject !== known.client.id) return done;
    const expiresAt = Math.ceil(own.times.expiresAtSeconds * 1000);
    const issuedAt = Math.ceil((own.times.issuedAtSeconds ?? own.times.expiresAtSeconds) * 1000);
    await revoke(revocationOf(nameOf(own.tokenId), issuedAt, expiresAt - issuedAt));
    return done;
  };
}

const done = answer(null, '', { status: 200 });

/** Null if it is no valid token of this service: then there is nothing to revoke (RFC 7009 section 2.2). */
async function findOwn({ verifyOwn }: RevokeParts, token: string, input: Input): Promise<OwnToken | null> {
  try {
    return await verifyOwn(token, input);
  } catch (error) {
    if (error instanceof Refusal && describe(error.code).status === 403) return null;
    throw error;
  }
}

export function describeRevoke(): Description {
  const form = {
    token: { ...text, description: 'A token of POST /token that was issued to this client.' },
    token_type_hint: { ...text, description: 'Ignored.' },
    ...credentialFields,
  };
  return {
    name: 'revokeToken',
    tag: tags.sessions,
    summary: 'Revoke a token of the client',
    description:
      'RFC 7009. The client authenticates as at POST /token with a form. The answer is the same whether or not a token was revoked.',
    body: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', required: ['token'], properties: form },
        example: { token: 'the token' },
      },
    },
    answers: { 200: { description: 'The token is revoked, or was never valid.' } },
    errors: [
      'oauth_request_invalid',
      'oauth_client_wrong',
      'oauth_too_many_failures',
      'overloaded',
      'revocations_full',
      'storage_unavailable',
    ],
  };
}
