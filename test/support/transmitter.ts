import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './provider.ts';

interface Poll {
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

/** Where security events are asked for (RFC 8936). Each is given until it is acknowledged or sent back. */
export class Transmitter {
  url = '';
  readonly polls: Poll[] = [];
  readonly waiting = new Map<string, string>();
  readonly acknowledged: string[] = [];
  /** What was wrong with those that were sent back, in the words of RFC 8935. */
  readonly faults = new Map<string, string>();
  /** However many are asked for. */
  mostInAnswer = Number.POSITIVE_INFINITY;
  /** Replaces the answer. */
  answer: Answer | null = null;
  #server: Server | null = null;

  static async start(): Promise<Transmitter> {
    const transmitter = new Transmitter();
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const body = JSON.parse(text);
      transmitter.polls.push({ authorization: request.headers.authorization, body });
      if (transmitter.answer !== null) return transmitter.answer(request, response);
      transmitter.#hear(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      // The oldest first, also of those that were given before.
      const sets = [...transmitter.waiting].slice(0, Math.min(body.maxEvents, transmitter.mostInAnswer));
      const moreAvailable = sets.length < transmitter.waiting.size;
      response.end(JSON.stringify({ sets: Object.fromEntries(sets), moreAvailable }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    transmitter.#server = server;
    transmitter.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/poll`;
    return transmitter;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #hear({ ack, setErrs }: { readonly ack?: string[]; readonly setErrs?: Record<string, { err: string }> }) {
    this.acknowledged.push(...(ack ?? []));
    for (const [id, { err }] of Object.entries(setErrs ?? {})) this.faults.set(id, err);
    for (const id of [...(ack ?? []), ...Object.keys(setErrs ?? {})]) this.waiting.delete(id);
  }
}
