import type { Caller } from '../base/caller.ts';
import { type Answer, type BearerHandler, json } from '../base/handler.ts';
import type { Consumer } from '../storage/port.ts';
import { dateTime } from './date-time.ts';
import type { Registry } from './registry.ts';

/**
 * GET /api/consumer/v1/me: what is held about the caller (id, kind, date), beside what the presented token says.
 * The first sight of a caller registers it.
 */
export function me(registry: Registry): BearerHandler {
  /** By the caller, which `auth/token-cache` forgets with the token. The first answer is not kept: many tokens are sent once. */
  const answers = new WeakMap<Caller, { readonly consumer: Consumer; readonly answer: Answer | null }>();

  const answerTo = (caller: Caller, consumer: Consumer | null): Answer => {
    const last = answers.get(caller);
    const isSame = last !== undefined && last.consumer === consumer;
    if (isSame && last.answer !== null) return last.answer;
    const answer = json(describe(caller, consumer));
    if (consumer !== null) answers.set(caller, { consumer, answer: isSame ? answer : null });
    return answer;
  };

  return (_input, caller) => {
    const consumer = registry.register(caller);
    return consumer instanceof Promise
      ? consumer.then((registered) => answerTo(caller, registered))
      : answerTo(caller, consumer);
  };
}

function describe({ id, kind, issuer, subject, audience, scopes, times }: Caller, consumer: Consumer | null) {
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
