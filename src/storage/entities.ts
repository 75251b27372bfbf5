/** One line of the audit: who did what to whom. Never a secret, never an address. */
export interface AuditEntry {
  readonly at: number;
  /** The command or the part of the service that did it. */
  readonly actor: string;
  /** The machine it was done on. */
  readonly node: string;
  readonly action: string;
  /** The client, key or caller it was done to. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Makes the lines of one actor on one machine, at the time they are made. */
export type AuditLine = (action: string, subject: string, details?: AuditEntry['details']) => AuditEntry;

export type ConsumerKind = 'user' | 'client';
export type ConsumerState = 'active' | 'suspended';

/** All that is kept about a caller. */
export interface Consumer {
  /** The pseudonym. */
  readonly id: string;
  readonly kind: ConsumerKind;
  readonly state: ConsumerState;
  readonly registeredAt: number;
}
