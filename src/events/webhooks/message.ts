import { dateTime } from '../../base/date-time.ts';
import type { StoredEvent } from '../../storage/port.ts';
import { presentEvent } from '../catalogue.ts';
import type { Signer } from './signing.ts';

export interface Message {
  /** The same for every attempt. */
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly body: string;
}

export const testType = 'vestibule.test';

/** A receiver gets the events of all owners, so the message names the owner. */
export function messageOf(event: StoredEvent): Message {
  const { type, at } = event;
  return { id: messageId(event), type, at, body: presentEvent(event, { showsOwner: true }) };
}

/** Deliveries with the same key arrive in order: the versions of a record. Other events get a key of their own. */
export function orderKey({ collection, recordId, type, position }: StoredEvent): string {
  return collection === null ? `${type}/${position}` : `${collection}/${recordId}`;
}

/** With the time, because positions begin anew in a new database. No dot: it stands between the parts that are signed. */
export function messageId({ position, at }: Pick<StoredEvent, 'position' | 'at'>): string {
  return `evt_${position}_${at.toString(36)}`;
}

export function testMessage(webhookId: string, at: number): Message {
  const body = JSON.stringify({ type: testType, timestamp: dateTime(at), data: { webhook: webhookId } });
  return { id: `evt_test_${at.toString(36)}`, type: testType, at, body };
}

/** Headers of Standard Webhooks, and of CloudEvents in binary mode. */
export function headersOf(
  { id, type, at, body }: Message,
  signers: readonly Signer[],
  source: string,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Vestibule',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signers.map((sign) => sign(`${id}.${timestamp}.${body}`)).join(' '),
    'ce-specversion': '1.0',
    'ce-id': id,
    'ce-source': source,
    'ce-type': type,
    'ce-time': dateTime(at),
  };
}
