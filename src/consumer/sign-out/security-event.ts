import { namedAudience } from '../../base/audience.ts';
import { clockToleranceSeconds, hasBegun } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import { type Ended, nameIn } from './document-claims.ts';

const caep = 'https://schemas.openid.net/secevent/caep/event-type';
const risc = 'https://schemas.openid.net/secevent/risc/event-type';

/** Each says that tokens of before are not to be trusted any more. All others are acknowledged, and change nothing. */
const endingEvents: ReadonlySet<string> = new Set([
  `${caep}/session-revoked`,
  `${caep}/credential-change`,
  `${risc}/sessions-revoked`,
  `${risc}/account-disabled`,
  `${risc}/account-purged`,
]);

export interface SecurityEvent {
  readonly ended: readonly Ended[];
  readonly id: string;
}

interface Policy {
  readonly audiences: readonly string[];
  /** Those whose tokens are taken here: events about others mean nothing. */
  readonly tokenIssuers: readonly string[];
}

/** A security event token (RFC 8417, Shared Signals), after the signature. Pure: the time is passed in. */
export function checkSecurityEvent(
  claims: JsonObject,
  { audiences, tokenIssuers }: Policy,
  type: string | undefined,
  nowSeconds: number,
): SecurityEvent {
  const { aud, iat, nbf, jti, events } = claims;
  // Without it nobody could tell one from a logout token or an ID token.
  if (type !== 'secevent+jwt') throw wrong('typ');
  if (namedAudience(aud, audiences) === undefined) throw new Refusal('event_audience_invalid');
  const id = nameIn(jti);
  if (id === null) throw wrong('jti');
  if (typeof iat !== 'number' || !(iat >= 0 && iat <= nowSeconds + clockToleranceSeconds)) throw wrong('iat');
  if (!hasBegun(nbf, nowSeconds)) throw wrong('nbf');
  if (!isJsonObject(events) || Object.keys(events).length === 0) throw wrong('events');
  const ended = Object.entries(events).flatMap(([event, about]): readonly Ended[] => {
    if (!isJsonObject(about)) throw wrong('events');
    if (!endsSessions(event, about)) return [];
    // `sub_id` is where the final Shared Signals Framework has the subject, `subject` where its drafts and RISC have it.
    const user = userIn(claims.sub_id) ?? userIn(about.subject);
    if (user === null || !tokenIssuers.includes(user.issuer)) return [];
    return [{ ...user, sessionId: null, until: timeOf(about, iat, nowSeconds) * 1000 }];
  });
  return { ended, id };
}

/** A credential that was added takes nothing away from the others: whoever enrols a second one stays signed in. */
function endsSessions(event: string, about: JsonObject): boolean {
  const isAddition = event === `${caep}/credential-change` && about.change_type === 'create';
  return endingEvents.has(event) && !isAddition;
}

/**
 * RFC 9493: issuer and subject, by themselves or as the `user` of a complex subject. All tokens of the user end, also where
 * only a session or a device is named beside: what a transmitter calls a session need not be the `sid` of a token.
 */
function userIn(value: unknown): { readonly issuer: string; readonly subject: string } | null {
  if (!isJsonObject(value)) return null;
  const format = value.format ?? value.subject_type;
  if (format === 'complex') return isJsonObject(value.user) ? plainUserIn(value.user) : null;
  return plainUserIn(value);
}

function plainUserIn(value: JsonObject): ReturnType<typeof userIn> {
  const format = value.format ?? value.subject_type;
  if (format !== 'iss_sub' && format !== 'iss-sub') return null;
  const [issuer, subject] = [nameIn(value.iss), nameIn(value.sub)];
  return issuer === null || subject === null ? null : { issuer, subject };
}

/** When it happened; when it was told, if that is not said or cannot be. */
function timeOf({ event_timestamp: at }: JsonObject, iat: number, nowSeconds: number): number {
  return typeof at === 'number' && at >= 0 && at <= nowSeconds + clockToleranceSeconds ? at : iat;
}

function wrong(claim: string): Refusal {
  return new Refusal('event_request_invalid', { detail: claim });
}
