import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Tracing } from '../../base/tracing.ts';
import { type Egress, EgressError } from './egress.ts';

/** The result of an attempt. The reason is a code of ours: nothing that the receiver wrote is kept. */
export type Sent =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterMs: number | null;
    };

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly stopping: AbortSignal;
}

/** For name lookup, connection, request and answer together. */
const deadlineMs = 15_000;
const maxAnswerBytes = 65_536;
const idleMs = 10_000;
const connections = { keepAlive: true, maxFreeSockets: 8, timeout: idleMs } as const;

export type Send = ReturnType<typeof createSend>['send'];

/** Sends to receivers: no proxy of the environment, no redirects, and only to addresses that were checked. */
export function createSend(egress: Egress, clock: Clock, tracing: Tracing | null = null) {
  const guarded = new HttpsAgent({ ...connections, lookup: guardedLookup(egress) });
  const named = { 'https:': new HttpsAgent(connections), 'http:': new HttpAgent(connections) };

  const attempt = (sending: Sending, deadline: AbortSignal): Promise<Sent> => {
    const { url, isAllowed } = egress.readUrl(sending.url);
    const isHttp = url.protocol === 'http:';
    const agent = isAllowed ? named[isHttp ? 'http:' : 'https:'] : guarded;
    const { promise, resolve, reject } = Promise.withResolvers<Sent>();
    const request = (isHttp ? httpRequest : httpsRequest)(url, {
      method: 'POST',
      agent,
      signal: AbortSignal.any([deadline, sending.stopping]),
      headers: { ...sending.headers, 'content-length': Buffer.byteLength(sending.body) },
    });
    let isAnswered = false;
    request.on('response', (answer) => {
      isAnswered = true;
      readAnswer(answer, clock).then(resolve, reject);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The receiver closed a kept-alive connection when it was used again: send once more.
      const isStale = request.reusedSocket && !isAnswered && error.code === 'ECONNRESET';
      if (isStale) resolve(attempt(sending, deadline));
      else reject(error);
    });
    // An answer 101 ends in nothing but a close.
    request.on('close', () => {
      if (!isAnswered) reject(new Error('closed without an answer'));
    });
    request.end(sending.body);
    return promise;
  };

  const tryOnce = async (sending: Sending): Promise<Sent> => {
    const deadline = new AbortController();
    const cancel = clock.after(deadlineMs, () => deadline.abort());
    try {
      return await attempt(sending, deadline.signal);
    } catch (error) {
      sending.stopping.throwIfAborted();
      const reason = deadline.signal.aborted ? 'timeout' : reasonOf(error as NodeJS.ErrnoException);
      return { ok: false, status: null, reason, retryAfterMs: null };
    } finally {
      cancel();
    }
  };

  return {
    /** Rejects only if the process stops: the result is unknown. */
    async send(sending: Sending): Promise<Sent> {
      const span = tracing?.outgoing({ method: 'POST', to: 'webhook', isForCaller: false });
      try {
        const sent = await tryOnce({ ...sending, headers: { ...sending.headers, ...span?.headers } });
        span?.end(sent.status, sent.ok ? null : sent.reason);
        return sent;
      } catch (error) {
        span?.end(null, 'stopped');
        throw error;
      }
    },
    close() {
      for (const agent of [guarded, ...Object.values(named)]) agent.destroy();
    },
  };
}

/** The socket connects to the checked addresses, without another lookup. */
function guardedLookup({ vettedAddresses }: Egress): LookupFunction {
  return (name, { all }, callback) => {
    vettedAddresses(name).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family ?? 4);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

/** Only a complete 2xx is a success. The body is discarded. */
async function readAnswer(answer: IncomingMessage, clock: Clock): Promise<Sent> {
  const status = answer.statusCode ?? 0;
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    // Leaving the loop closes the connection.
    if (bytes > maxAnswerBytes) return failure(status, 'answer_too_large', null);
  }
  if (status >= 200 && status < 300) return { ok: true, status };
  if (status >= 300 && status < 400) return failure(status, 'redirect', null);
  const mayWait = status === 429 || status === 503;
  return failure(status, `status_${status}`, mayWait ? retryAfterOf(answer, clock.now()) : null);
}

function failure(status: number, reason: string, retryAfterMs: number | null): Sent {
  return { ok: false, status, reason, retryAfterMs };
}

/** Seconds or a date; a date is compared with the receiver's own `Date` if there is one. */
function retryAfterOf({ headers }: IncomingMessage, now: number): number | null {
  const text = headers['retry-after'] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text);
  const theirNow = Date.parse(headers.date ?? '');
  return Number.isNaN(until) ? null : Math.max(until - (Number.isNaN(theirNow) ? now : theirNow), 0);
}

/** A closed list: reasons are labels of a metric. */
function reasonOf(error: NodeJS.ErrnoException): string {
  if (error instanceof EgressError) return error.code;
  const { code = '' } = error;
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'ETIMEDOUT')
    return 'unreachable';
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return 'tls';
  if (/^(ENOTFOUND|EAI_)/.test(code)) return 'name_unknown';
  if (code.startsWith('HPE_')) return 'not_http';
  return 'connection_broken';
}
