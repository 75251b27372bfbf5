import type { Connection } from './connection.ts';
import { linesOf } from './lines.ts';
import { abortable } from './pause.ts';
import { Problem } from './problem.ts';
import type { Message } from './tabs.ts';

/**
 * How a stream ended. `connecting`: the connection broke, connect again. `polling`: the answer was not a stream. `lost`: no answer.
 * `token_expired`. An object: the code with which the caller is refused.
 */
export type StreamEnd = 'connecting' | 'polling' | 'lost' | 'token_expired' | { readonly code: string };

/** The service sends the start event at once. If a proxy buffers that, it buffers all events. */
const beginWithinMs = 5_000;
/** The service sends a heartbeat every 15 seconds. */
const longestSilenceMs = 40_000;

/** Reads one stream of events to its end. EventSource cannot send a token. */
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
      // Events after an abort are left to the next stream.
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
    // A stream that had begun has only broken off.
    if (end === 'polling' && error instanceof Problem)
      end = error.status === 403 ? error : error.status ? end : 'lost';
  }
  clearTimeout(timer);
  return end;
}
