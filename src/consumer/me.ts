import type { Caller } from '../base/caller.ts';
import { dateTime } from '../base/date-time.ts';
import { type Answer, type BearerHandler, json } from '../base/handler.ts';
import { whenReady } from '../base/now-or-later.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import * as schema from '../openapi/schemas.ts';
import type { Consumer } from '../storage/port.ts';
import type { Registry } from './registry.ts';

/** GET /me: what is held about the caller, beside what the token says. The first request registers the caller. */
export function me(registry: Registry): BearerHandler {
  /** Answers by caller; the token cache holds the callers. The first answer is not kept, because many tokens are sent once. */
  const answers = new WeakMap<Caller, { readonly consumer: Consumer; readonly answer: Answer | null }>();

  const answerTo = (caller: Caller, consumer: Consumer | null): Answer => {
    const last = answers.get(caller);
    const isSame = last !== undefined && last.consumer === consumer;
    if (isSame && last.answer !== null) return last.answer;
    const answer = json(describe(caller, consumer));
    if (consumer !== null) answers.set(caller, { consumer, answer: isSame ? answer : null });
    return answer;
  };

  return (input, caller) =>
    whenReady(registry.register(caller, input.proof), (consumer) => answerTo(caller, consumer));
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

export function describeMe(): Description {
  const { object, text, texts, maybe } = schema;
  const caller = object({
    id: { ...maybe(text), description: 'The pseudonym, the only name under which anything is kept.' },
    kind: { enum: ['user', 'client'] },
    registered_at: { ...maybe(schema.dateTime), description: 'When this caller was first seen.' },
    issuer: text,
    subject: { ...maybe(text), description: '"sub" of the token. It is not kept.' },
    audience: text,
    scopes: texts,
    token: object({ issued_at: maybe(schema.dateTime), expires_at: schema.dateTime }),
  });
  return {
    name: 'readMe',
    tag: tags.caller,
    summary: 'Who the caller is',
    description:
      'What is held about the caller, beside what the presented token says. The first call registers it.',
    answers: answersJson('The caller.', caller),
  };
}
