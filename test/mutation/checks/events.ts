import { checksOf, type Mutant } from '../mutant.ts';

const log = ['test/contract/events.test.ts'];
const streams = ['test/http/events.stream.test.ts'];
const whoSees = ['test/http/events.403.test.ts', ...streams];
const addresses = ['test/attack/webhook-addresses.test.ts'];
const connecting = ['test/attack/webhook-connect.test.ts'];
const receivers = ['test/fault/webhook-receivers.test.ts'];

/** Who hears of what has happened, that nothing is left out, and where it is sent. */
export const eventChecks: readonly Mutant[] = [
  ...checksOf('src/storage/postgres/batch.ts', log, [
    [
      'one appends at a time',
      'void transaction.run(takeLock, [lockName(appendLock)]);',
      '',
      'a reader overtakes events that become visible late, and never sees them',
    ],
  ]),
  ...checksOf('src/storage/stores/events.ts', log, [
    [
      'the last event stays',
      ".where('position', '<', (events) => events.selectFrom('events').select((all) => all.fn.max('position').as('last')), )",
      '',
      'positions are given again, and who has read them misses the new ones',
    ],
  ]),
  ...checksOf('src/consumer/events/visible-events.ts', whoSees, [
    [
      'only the own events',
      '(owner === id && own.has(collection))',
      'own.has(collection)',
      'everybody hears of everybody',
    ],
    [
      'who was erased is not for everybody',
      'return all.size > 0;',
      'return true;',
      'a caller hears of the erasure of another',
    ],
  ]),
  ...checksOf('src/events/streams.ts', streams, [
    [
      'a stream ends with its token',
      "if (hasExpired(stream.caller.times, nowSeconds)) this.#end(stream, 'token_expired'); else if",
      'if',
      'a token that has expired reads on',
    ],
    [
      'a stream ends for who is shut out',
      'isShutOut(error.code)) this.#end(stream, error.code);',
      'false) this.#end(stream, error.code);',
      'whoever was suspended reads on',
    ],
    [
      'a stream is looked at once it is there',
      'this.#check(stream);\n      if (!stream.isOver) void this.#begin',
      'void this.#begin',
      'whoever is suspended in the moment in which its stream opens reads on',
      ['test/fault/event-stream-opens.test.ts'],
    ],
    [
      'a stream ends for who was erased',
      'if (event.type === erasedType) this.#endOf(event);',
      '',
      'whoever was erased reads on',
    ],
  ]),
  ...checksOf('src/events/webhooks/egress.ts', addresses, [
    [
      'an address of the internet',
      'if (literal !== null && !isPublicAddress(literal)) throw notPublic([literal], name);',
      '',
      'webhooks reach what is inside of the network',
    ],
    [
      'every address of a name',
      'if (internal.length > 0)',
      'if (internal.length === addresses.length)',
      'a name with one address outside leads inside',
    ],
    ['another host than this one', 'url.origin === own.origin', 'false', 'what it sends comes back to it'],
    ['https', "if (url.protocol !== 'https:')", 'if (false)', 'what happened is told in the clear'],
  ]),
  ...checksOf('src/events/webhooks/send.ts', connecting, [
    [
      'the addresses that were looked at',
      'new HttpsAgent({ ...connections, lookup: guardedLookup(egress) })',
      'new HttpsAgent(connections)',
      'a name that leads elsewhere the second time leads inside',
    ],
    [
      'the size of an answer',
      "if (bytes > mostAnswerBytes) return failure(status, 'answer_too_large', null);",
      '',
      'a receiver whose answer does not end holds its webhook',
      receivers,
    ],
  ]),
];
