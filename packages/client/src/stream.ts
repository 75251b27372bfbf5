import type { Connection } from './connection.ts';
import { linesOf } from './lines.ts';
import { abortable } from './pause.ts';
import { Problem } from './problem.ts';
import type { Message } from './tabs.ts';

/**
 * How it went: it broke off and is to be connected again; there was none, though there was an answer; there was no
 * answer; the token has ended; or the code by which the caller is shut out.
 */
export type StreamEnd = 'connecting' | 'polling' | 'lost' | 'token_expired' | { readonly code: string };

/** The service says at once where it begins; where a proxy keeps that back, everything else is kept back too. */
const beginWithinMs = 5_000;
/** Every 15 seconds there is a sign of life. */
const longestSilenceMs = 40_000;

/** One stream of events, from its beginning to its end. EventSource would do, if it could send a token. */
export async function followStream(
  connection: Connection,
  path: string,
  after: number,
  broadcast: (message: Message) => void,
  outer: AbortSignal,
): Promise<StreamEnd> {
  const { signal, abort } = abortable(outer);
  let timer = setTimeout(abort, beginWithinMs);
  let end = 'polling' as StreamEnd;
  let block: Record<string, string> = {};

  const readBlock = ({ id, event, data }: typeof block) => {
    const said = JSON.parse(data ?? 'null');
    const { position, reason } = said ?? {};
    if (event === 'start') {
      end = 'connecting';
      broadcast(['status', 'live']);
    }
    if (event === 'start' || event === 'reset') broadcast([event, position]);
    else if (event !== 'end') {
      if (id) broadcast(said ? ['hear', { ...said, position: +id }] : ['reach', +id]);
    } else if (reason !== 'shutting_down') end = reason === 'token_expired' ? reason : { code: reason };
  };

  try {
    const headers = { accept: 'text/event-stream', ...(after < Infinity && { 'last-event-id': `${after}` }) };
    for await (const line of linesOf(connection, { path, headers, isOnce: true }, { signal })) {
      // What was on its way when it was given up is left to the stream that follows.
      if (signal.aborted) break;
      const [, name, value] = /^(\w+): ?(.*?)\r?$/.exec(line) ?? [];
      if (name) block[name] = value as string;
      else {
        readBlock(block);
        block = {};
      }
      if (end !== 'polling') {
        clearTimeout(timer);
        timer = setTimeout(abort, longestSilenceMs);
      }
    }
  } catch (error) {
    // Where it had begun, it broke off.
    if (end === 'polling' && error instanceof Problem)
      end = error.status === 403 ? error : error.status ? end : 'lost';
  }
  clearTimeout(timer);
  return end;
}
