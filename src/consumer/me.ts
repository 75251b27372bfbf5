import { chain } from '../base/chain.ts';
import { type Answer, type BearerHandler, json } from '../base/handler.ts';
import type { Principal } from '../base/principal.ts';
import type { Consumer } from '../storage/port.ts';
import type { Registry } from './registry.ts';

/**
 * GET /api/consumer/v1/me: what is held about the caller (id, kind, date), beside what the presented token says.
 * The first sight of a caller registers it. As long as both are the same the answer is, so it is made once.
 */
export function me(registry: Registry): BearerHandler {
  const answers = new WeakMap<Principal, { readonly consumer: Consumer | null; readonly answer: Answer }>();

  const answerFor = (principal: Principal, consumer: Consumer | null): Answer => {
    const made = answers.get(principal);
    if (made !== undefined && made.consumer === consumer) return made.answer;
    const answer = json(describe(principal, consumer));
    answers.set(principal, { consumer, answer });
    return answer;
  };

  return (_input, principal) =>
    chain(registry.register(principal), (consumer) => answerFor(principal, consumer));
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

function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
