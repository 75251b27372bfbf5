import type { Clock } from '../base/clock.ts';
import { type BearerHandler, ok } from '../base/handler.ts';
import type { ConsumerStore } from '../storage/port.ts';
import type { PseudonymOf } from './pseudonym.ts';

/**
 * GET /api/consumer/v1/me: what is held about the caller (id, kind, date), beside what the presented token says.
 * The first sight of a caller registers it.
 */
export function me(consumers: ConsumerStore, pseudonymOf: PseudonymOf, clock: Clock): BearerHandler {
  return async (_input, principal) => {
    const id = pseudonymOf(principal);
    const consumer = id === null ? null : await consumers.register(id, principal.kind, clock.now());
    return ok({
      id,
      kind: consumer?.kind ?? principal.kind,
      registered_at: consumer === null ? null : dateTime(consumer.registeredAt),
      issuer: principal.issuer,
      subject: principal.subject,
      audience: principal.audience,
      scopes: principal.scopes,
      token: {
        issued_at: principal.issuedAtSeconds === null ? null : dateTime(principal.issuedAtSeconds * 1000),
        expires_at: dateTime(principal.expiresAtSeconds * 1000),
      },
    });
  };
}

function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
