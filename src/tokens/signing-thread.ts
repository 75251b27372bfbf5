import { type SignKeyObjectInput, sign } from 'node:crypto';
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { giveWay } from '../base/giving-way.ts';
import { callLine, type LineAddress, onLines } from '../base/thread-line.ts';
import { threadTask } from '../base/threads.ts';
import type { SigningAlgorithm, SigningKey } from './signing-key.ts';

/**
 * A thread that signs. A line is the name of a key and what is to be signed, the answer is a line with the signature,
 * in the same order. Keys come as messages: a private key is for this process alone.
 */

export interface SigningTask {
  readonly line: LineAddress;
}

export type KeyForThread = Pick<SigningKey, 'kid' | 'algorithm' | 'privateKey'>;

/** RFC 7518 section 3 and RFC 8037, in the platform's words. */
const schemes: Readonly<
  Record<SigningAlgorithm, { hash: string | null; options: Omit<SignKeyObjectInput, 'key'> }>
> = {
  RS256: { hash: 'sha256', options: {} },
  ES256: { hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  EdDSA: { hash: null, options: {} },
};

if (parentPort !== null) serve(threadTask<SigningTask>(), parentPort);

function serve({ line }: SigningTask, port: MessagePort): void {
  const socket = callLine(line);
  // Not before: somebody waits for the call.
  socket.once('connect', () => giveWay());
  socket.once('end', () => socket.end());
  let key: KeyForThread | null = null;
  const keyNamed = (kid: string | undefined): KeyForThread => {
    // The message was sent before the line, so it is there.
    if (key?.kid !== kid) key = receiveMessageOnPort(port)?.message;
    if (key?.kid !== kid) throw new Error(`The thread was not told the key "${kid}".`);
    return key as KeyForThread;
  };
  // What has come meanwhile is answered together: each answer wakes the event loop, which stops a signature.
  onLines(socket, (lines) => {
    const signatures = lines.map((asked) => {
      const [kid, text = ''] = asked.split(' ');
      const { algorithm, privateKey } = keyNamed(kid);
      const { hash, options } = schemes[algorithm];
      return `${sign(hash, Buffer.from(text), { ...options, key: privateKey }).toString('base64url')}\n`;
    });
    socket.write(signatures.join(''));
  });
}
