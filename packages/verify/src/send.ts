import { Buffer } from 'node:buffer';
import type { Verdict } from './verdict.ts';

/** The parts of Node's response that the adapters need. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/** Goes on with what was found out: at once when it is known. What is thrown then is for the framework, where it takes errors. */
export function whenKnown(
  verdict: Verdict | Promise<Verdict>,
  goOn: (known: Verdict) => void,
  fail?: (error: unknown) => void,
): void {
  if ('ok' in verdict) goOn(verdict);
  else void verdict.then(goOn).catch(fail);
}

export function sendTo(response: NodeResponse, refusal: Extract<Verdict, { ok: false }>): void {
  // Another handler, such as a timeout, has answered while the keys were fetched.
  if (response.headersSent) return;
  const length = { 'content-length': String(Buffer.byteLength(refusal.body)) };
  response.writeHead(refusal.status, { ...refusal.headers, ...length }).end(refusal.body);
}
