import { MessageChannel } from 'node:worker_threads';

let channel: MessageChannel | undefined;
let waiting: (() => void)[] = [];

/**
 * Calls back when what has come in by now has been heard of. `setImmediate` would say the same, but libuv comes to it
 * only once it finds fewer than 1,024 connections with something to read, or has found as many 48 times: with thousands
 * of busy callers that takes seconds. A message comes in between them.
 */
export function nextTurn(then: () => void): void {
  waiting.push(then);
  if (waiting.length > 1) return;
  channel ??= open();
  channel.port1.ref();
  channel.port2.postMessage(null);
}

function open(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.on('message', () => {
    const due = waiting;
    waiting = [];
    // Open while nobody waits, it would keep the process from ending.
    opened.port1.unref();
    for (const then of due) then();
  });
  return opened;
}
