import * as child from '../../shared/child.ts';
import type { Surroundings } from '../../shared/stage.ts';

/** The settings of a peer: where to listen, which provider to trust, and what to answer. */
export interface Given {
  readonly port: number;
  readonly path: string;
  readonly issuer: string;
  readonly jwksUri: string;
  readonly audience: string;
  /** Vestibule's own answer to a good token. */
  readonly answer: Answer;
}

export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All that a peer may need to start. */
export interface MeSurroundings extends Surroundings {
  readonly path: string;
  readonly publicKeyPem: string;
  readonly answer: Answer;
}

export const readGiven = child.readGiven<Given>;

export interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly iat?: number;
  readonly exp?: number;
  readonly scope?: unknown;
}

/**
 * The answer of Vestibule, put together from the claims of the verified token. What Vestibule reads from its
 * database is a constant here: the peers have none.
 */
export function createAnswer({ answer }: Given) {
  const { id, kind, registered_at } = JSON.parse(answer.body);
  return (claims: Claims) => ({
    id,
    kind,
    registered_at,
    issuer: claims.iss,
    subject: claims.sub,
    audience: claims.aud,
    scopes: String(claims.scope).split(' '),
    token: { issued_at: dateTime(claims.iat), expires_at: dateTime(claims.exp) },
  });
}

function dateTime(seconds = 0): string {
  return new Date(seconds * 1000).toISOString();
}
