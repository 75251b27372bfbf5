import type { Caller, VerifiedToken } from '../base/caller.ts';
import { dateTime } from '../base/date-time.ts';
import { type Answer, type BearerHandler, json } from '../base/handler.ts';
import { answersJson, type Description, tags } from '../openapi/description.ts';
import * as schema from '../openapi/schemas.ts';
import type { Consumer } from '../storage/port.ts';
import type { Registry } from './registry.ts';

/** GET /me: the stored data about the caller and the claims of its token. The first request registers the caller. */
export function me(registry: Registry): BearerHandler {
  /** Caches an answer per caller. The first answer to a token is not cached, because many tokens are sent once. */
  const answers = new WeakMap<Caller, LastAnswer>();

  return (input, caller, token) => {
    const { epoch } = registry;
    const last = answers.get(caller);
    const isSame = last !== undefined && last.token === token && last.epoch === epoch;
    if (isSame && last.answer !== null) return last.answer;
    const answerTo = (consumer: Consumer | null) => {
      const answer = json(describe(token, consumer));
      const kept = { token, epoch, answer: isSame ? answer : null };
      if (last === undefined) answers.set(caller, kept);
      else Object.assign(last, kept);
      return answer;
    };
    const consumer = registry.register(caller, input.proof);
    return consumer instanceof Promise ? consumer.then(answerTo) : answerTo(consumer);
  };
}

interface LastAnswer {
  token: VerifiedToken;
  epoch: number;
  answer: Answer | null;
}

function describe(token: VerifiedToken, consumer: Consumer | null) {
  const { expiresAtSeconds, issuedAtSeconds } = token;
  const { id, kind, issuer, subject, audience, scopes } = token.caller;
  return {
    id,
    kind: consumer?.kind ?? kind,
    registered_at: consumer === null ? null : dateTime(consumer.registeredAt),
    issuer,
    subject,
    audience,
    scopes,
    token: {
      issued_at: issuedAtSeconds === null ? null : dateTime(issuedAtSeconds * 1000),
      expires_at: dateTime(expiresAtSeconds * 1000),
    },
  };
}

export function describeMe(): Description {
  const { object, text, texts, maybe } = schema;
  const caller = object({
    id: { ...maybe(text), description: 'The pseudonym, the only name under which data is stored.' },
    kind: { enum: ['user', 'client'] },
    registered_at: { ...maybe(schema.dateTime), description: 'The time of the first request.' },
    issuer: text,
    subject: { ...maybe(text), description: '"sub" of the token. It is not stored.' },
    audience: text,
    scopes: texts,
    token: object({ issued_at: maybe(schema.dateTime), expires_at: schema.dateTime }),
  });
  return {
    name: 'readMe',
    tag: tags.caller,
    summary: 'Who the caller is',
    description:
      'The stored data about the caller, with the claims of the token. The first call registers the caller.',
    answers: answersJson('The caller.', caller),
  };
}
