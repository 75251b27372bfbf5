import { type Answer, type BearerHandler, json } from '../base/handler.ts';
import type { Principal } from '../base/principal.ts';
import type { Consumer } from '../storage/port.ts';
import { dateTime } from './date-time.ts';
import type { KnownConsumer, Registry } from './registry.ts';

/**
 * GET /api/consumer/v1/me: what is held about the caller (id, kind, date), beside what the presented token says.
 * The first sight of a caller registers it.
 */
export function me(registry: Registry): BearerHandler {
  return (_input, principal) => {
    const isComingBack = principal.memo !== null;
    const known = registry.register(principal);
    if (known instanceof Promise) return known.then((registered) => answerTo(principal, registered));
    return isComingBack && known !== null ? answerAgain(principal, known) : answerTo(principal, known);
  };
}

function answerTo(principal: Principal, known: KnownConsumer | null): Answer {
  return json(describe(principal, known?.consumer ?? null));
}

/** As long as the caller and its token are the same the answer is. Many tokens are sent once, and theirs is not kept. */
function answerAgain(principal: Principal, known: KnownConsumer): Answer {
  if (known.told?.principal !== principal) known.told = { principal, answer: answerTo(principal, known) };
  return known.told.answer;
}

function describe(
  { id, kind, issuer, subject, audience, scopes, times }: Principal,
  consumer: Consumer | null,
) {
  return {
    id,
    kind: consumer?.kind ?? kind,
    registered_at: consumer === null ? null : dateTime(consumer.registeredAt),
    issuer,
    subject,
    audience,
    scopes,
    token: {
      issued_at: times.issuedAtSeconds === null ? null : dateTime(times.issuedAtSeconds * 1000),
      expires_at: dateTime(times.expiresAtSeconds * 1000),
    },
  };
}
