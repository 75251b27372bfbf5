import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { listen } from '../http/document-server.ts';
import { until } from '../run/polling.ts';

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly type: string;
  readonly record: string;
  /** Its place in the log, as its id says. */
  readonly position: number;
  /** When it came in, in milliseconds of `performance.now`. */
  readonly at: number;
  status: number | null;
}

export type ReceiverAnswer = (received: Received, response: ServerResponse) => void;

/** A receiver of events on loopback: stores all of them, and answers as a test decides. */
export class WebhookReceiver {
  url = '';
  readonly received: Received[] = [];
  /** How many connections were ever made, and are open. */
  connections = 0;
  open = 0;
  answer: ReceiverAnswer = answerWith(204);
  #server: Server | null = null;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.comeBack();
    return receiver;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async comeBack(): Promise<void> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => this.#receive(request.headers, body, response));
    });
    server.on('connection', (socket) => {
      this.connections += 1;
      this.open += 1;
      socket.on('close', () => {
        this.open -= 1;
      });
    });
    const port = this.url === '' ? 0 : Number(new URL(this.url).port);
    this.url = `${await listen(server, port)}/hook`;
    this.#server = server;
  }

  get taken(): Received[] {
    return this.received.filter(({ status }) => status !== null && status >= 200 && status < 300);
  }

  /** Once so many have come in, whatever the answer was. */
  async receives(count: number, deadlineMs?: number): Promise<Received[]> {
    const enough = (found: number) => found >= count;
    await until(() => this.received.length, enough, `${count} requests do not come in`, deadlineMs);
    return this.received;
  }

  /** Once it has taken so many different ones. */
  async takes(count: number, deadlineMs?: number): Promise<Received[]> {
    const found = () => new Set(this.taken.map(({ headers }) => headers['webhook-id'])).size;
    await until(found, (taken) => taken >= count, `${count} different ones are not delivered`, deadlineMs);
    return this.taken;
  }

  #receive(headers: IncomingHttpHeaders, body: string, response: ServerResponse): void {
    const { type, data } = JSON.parse(body) as { type: string; data: { id?: string } };
    const position = Number(String(headers['webhook-id']).split('_')[1]);
    const said = { headers: headers as Record<string, string>, body, type, record: data.id ?? '', position };
    const received: Received = { ...said, at: performance.now(), status: null };
    this.received.push(received);
    response.on('finish', () => {
      received.status = response.statusCode;
    });
    this.answer(received, response);
  }
}

export function answerWith(status: number, headers: Readonly<Record<string, string>> = {}): ReceiverAnswer {
  return (_received, response) => response.writeHead(status, headers).end();
}
