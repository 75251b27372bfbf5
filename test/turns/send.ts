import { type Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** False: nothing of the answer is read. */
  readonly isRead?: boolean;
  /** Closes the connection so many milliseconds after the answer begins. */
  readonly cutAfterMs?: number;
}

export interface Answered {
  /** 0 without an answer. */
  readonly status: number;
  readonly text: string;
}

/** Settles when the answer has ended, however it ended. `keeps`: the text is wanted. */
export function send(origin: string, agent: Agent, asked: Asked, keeps = false): Promise<Answered> {
  const { method = 'GET', path, headers = {}, body, isRead = true, cutAfterMs } = asked;
  const ofBody =
    body === undefined
      ? {}
      : { 'content-length': Buffer.byteLength(body), 'content-type': 'application/json' };
  const { promise, resolve } = Promise.withResolvers<Answered>();
  const pieces: Buffer[] = [];
  let status = 0;
  const end = () => resolve({ status, text: Buffer.concat(pieces).toString() });
  const request = httpRequest(new URL(path, origin), { method, agent, headers: { ...ofBody, ...headers } });
  request.on('error', end);
  request.on('close', () => setImmediate(end));
  request.on('response', (response) => {
    status = Number(response.statusCode);
    response.on('error', end);
    response.on('close', end);
    if (isRead) response.on('data', (piece: Buffer) => void (keeps && pieces.push(piece)));
    if (cutAfterMs !== undefined) void pause(cutAfterMs).then(() => request.destroy());
  });
  request.end(body);
  return promise;
}
