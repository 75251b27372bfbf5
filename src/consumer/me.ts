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
  /** By the principal, so that it goes with the token, which `auth/token-cache` forgets when it has expired. */
  const answers = new WeakMap<Principal, { readonly known: KnownConsumer; readonly answer: Answer }>();

  /** As long as the caller and its token are the same the answer is. Many tokens are sent once, and theirs is not kept. */
  const answerAgain = (principal: Principal, known: KnownConsumer): Answer => {
    const last = answers.get(principal);
    if (last?.known === known) return last.answer;
    const answer = answerTo(principal, known);
    answers.set(principal, { known, answer });
    return answer;
  };

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
