import { describe, type ErrorCode, Refusal } from '../../base/errors.ts';
import { answer, type PublicHandler } from '../../base/handler.ts';
import { type Description, tags } from '../../openapi/description.ts';
import { text } from '../../openapi/schemas.ts';
import type { SecurityEvent } from './security-event.ts';
import type { SignOutParts } from './sign-out-parts.ts';

/** The same event is not noted twice within this time. To note it once more would change nothing: its time is its own. */
const rememberedMs = 86_400_000;

const eventType = 'application/secevent+jwt';

export type SecurityEventParts = SignOutParts<SecurityEvent> & { readonly now: () => number };

/** POST /idp/events: a provider tells of a security event (RFC 8935). */
export function receiveEvent(parts: SecurityEventParts | null): PublicHandler {
  return async (input) => {
    if (parts === null) throw new Refusal('not_found');
    const [type = ''] = (input.contentType ?? '').toLowerCase().split(';');
    if (type.trim() !== eventType) throw new Refusal('event_request_invalid', { detail: 'content type' });
    await takeEvent(parts, Buffer.from(input.body ?? []).toString('latin1'), input);
    return accepted;
  };
}

const accepted = answer(null, '', { status: 202 });

/** Takes back what one event says; also for events that were asked for. One that came before is as good as noted. */
export async function takeEvent(
  { open, takeBack, documentDigest, onTakenBack, now }: SecurityEventParts,
  token: string,
  origin: Parameters<SecurityEventParts['open']>[1],
): Promise<void> {
  const { source, said } = await open(token, origin).catch((error: unknown) => {
    throw asEventError(error);
  });
  if (said.ended.length === 0) return;
  const digest = documentDigest(said.id);
  const document = { issuer: source.name, digest, expiresAt: now() + rememberedMs };
  const noted = await takeBack(said.ended, source, document);
  if (noted !== null && noted > 0) onTakenBack('event');
}

const codes: { readonly [C in ErrorCode]?: ErrorCode } = {
  issuer_mismatch: 'event_issuer_invalid',
  key_unknown: 'event_key_invalid',
  signature_invalid: 'event_key_invalid',
  algorithm_not_allowed: 'event_key_invalid',
};

/** Whatever an access token would be refused for, in the words of RFC 8935; but not that it cannot be told now. */
function asEventError(error: unknown): unknown {
  if (!(error instanceof Refusal) || describe(error.code).status !== 403) return error;
  return new Refusal(codes[error.code] ?? 'event_request_invalid', { detail: error.code });
}

export function describeReceiveEvent(): Description {
  return {
    name: 'receiveEvent',
    tag: tags.sessions,
    summary: 'The provider tells of a security event',
    description:
      'Push delivery of security event tokens (RFC 8935), for the provider. Sessions that were revoked, credentials that were changed and accounts that were disabled take back the tokens of before; other events change nothing. 404 where it is not set whom events are for (IDP_EVENTS_AUDIENCE, or in IDPS_FILE).',
    body: { [eventType]: { schema: { ...text, description: 'A security event token (RFC 8417).' } } },
    answers: { 202: { description: 'Taken.' } },
    errors: [
      'event_request_invalid',
      'event_key_invalid',
      'event_issuer_invalid',
      'event_audience_invalid',
      'not_found',
      'too_many_refusals',
      'keys_unavailable',
      'overloaded',
      'storage_unavailable',
    ],
  };
}
