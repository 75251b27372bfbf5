import type { ApiCaller } from '../http/api-caller.ts';
import type { Reply } from '../http/request.ts';
import type { Claims } from '../tokens/provider.ts';

/** An answer with its body read: these tests look at many members. */
export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service has answered
  readonly body: any;
  readonly reply: Reply;
}

/** Where people come from: a service, or several processes. */
interface People {
  person(claims?: Claims): Promise<ApiCaller>;
}

export class Person {
  readonly caller: ApiCaller;

  constructor(caller: ApiCaller) {
    this.caller = caller;
  }

  static async of(target: People, claims: Claims = {}): Promise<Person> {
    return new Person(await target.person(claims));
  }

  get = (path: string) => this.send('GET', path);
  post = (path: string, body?: object) => this.send('POST', path, body);
  patch = (path: string, body: object) => this.send('PATCH', path, body);
  put = (path: string, body: object) => this.send('PUT', path, body);
  delete = (path: string) => this.send('DELETE', path);

  async send(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const reply = await this.caller.send(method, `/${path}`, body, headers);
    return { status: reply.status, body: reply.text === '' ? null : reply.json(), reply };
  }

  at(service: { readonly url: string }): Person {
    return new Person(this.caller.at(service));
  }

  static async several(target: People, count: number): Promise<Person[]> {
    const people: Person[] = [];
    while (people.length < count) people.push(await Person.of(target));
    return people;
  }

  async codeFor(path: string, invitation: object): Promise<string> {
    const { status, body } = await this.post(`${path}/invitations`, invitation);
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.code;
  }

  async aliasIn(path: string): Promise<string> {
    const { items } = (await this.get(`${path}/members`)).body;
    return items.find(({ is_me: isMe }: { is_me: boolean }) => isMe).alias;
  }

  async make(collection: string, fields: object): Promise<string> {
    return (await this.caller.make(collection, fields)).record.id;
  }

  async invites(path: string, role: string, ...others: readonly Person[]): Promise<void> {
    for (const other of others) {
      const accepted = await other.post('invitations', { code: await this.codeFor(path, { role }) });
      if (accepted.status !== 200) throw new Error(`${accepted.status} ${JSON.stringify(accepted.body)}`);
    }
  }
}
