import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import {
  cachedMs,
  maxFailedPerMinute,
  maxFailures,
  maxInFlight,
  maxInFlightNew,
  maxInFlightPerAddress,
} from '../../src/auth/introspection/introspection.ts';
import { answerWith } from '../support/hostile-answers.ts';
import { AskedEndpoint, answerJson, introspectingSettings, opaqueToken } from '../support/introspection.ts';
import { until } from '../support/polling.ts';
import { type Answer, TestProvider } from '../support/provider.ts';
import { type Reply, withToken } from '../support/request.ts';
import { requestFrom } from '../support/request-from.ts';
import { type ClockedService, me, startService } from '../support/service.ts';

let provider: TestProvider;
let endpoint: AskedEndpoint;
let service: ClockedService;

before(async () => {
  provider = await TestProvider.start();
  endpoint = await AskedEndpoint.start();
  const introspection = { url: endpoint.url, clientId: 'resource-server', clientSecret: opaqueToken() };
  const settings = await introspectingSettings({ origin: provider.origin, introspection });
  service = await startService(settings, { clocked: true });
});
after(async () => {
  endpoint.stop();
  await provider.stop();
  await service.stop();
});

const ask = (token: string) => withToken(`${service.url}${me}`, token);
const askFrom = (address: string, token: string) =>
  requestFrom(address, `${service.url}${me}`, { authorization: `Bearer ${token}` });
/** Includes the offset of the service's clock. */
const inADay = () => ({ exp: Math.floor(Date.now() / 1000) + 86_400 });
const good = () => answerJson({ active: true, ...provider.claims(inADay()) });
const jwt = () => provider.token(inADay());
/** The window in which failed questions of an address are counted. */
const windowMs = 60_000;
/** How far the clock of the service is ahead. */
let aheadMs = 0;
const advance = (milliseconds: number) => {
  aheadMs += milliseconds;
  return service.advance(milliseconds);
};
const codeOf = ({ status, json }: Reply) => (status === 200 ? 200 : json().code);

/** Answers wait until they are let go. */
function held(): { readonly waiting: ServerResponse[]; letGo(): void } {
  const waiting: ServerResponse[] = [];
  endpoint.answer = (_request, response) => {
    waiting.push(response);
  };
  return {
    waiting,
    letGo() {
      endpoint.answer = good();
      for (const response of waiting) endpoint.answer(response.req, response);
    },
  };
}

describe('many introspections at once', () => {
  it('of the same token are one request', async () => {
    const token = opaqueToken();
    const { waiting, letGo } = held();
    const asked = await endpoint.asked(async () => {
      const replies = Array.from({ length: 50 }, () => ask(token));
      await until(
        () => waiting.length,
        (length) => length > 0,
        'nothing is asked',
      );
      letGo();
      assert.deepEqual([...new Set((await Promise.all(replies)).map(codeOf))], [200]);
    });
    assert.equal(asked, 1);
  });

  it('are limited; JWTs, cached tokens and known tokens are still accepted', async () => {
    await service.holdTime(true);
    endpoint.answer = good();
    const known = Array.from({ length: maxInFlight - maxInFlightNew + 1 }, () => opaqueToken());
    for (const token of known) assert.equal((await ask(token)).status, 200);
    await advance(cachedMs);
    const cached = opaqueToken();
    assert.equal((await ask(cached)).status, 200);
    const { waiting, letGo } = held();
    const areAsked = (count: number) =>
      until(
        () => waiting.length,
        (length) => length === count,
        'not all are asked about',
      );
    const isOneTooMany = (reply: Reply) => {
      assert.equal(reply.status, 503);
      assert.equal(codeOf(reply), 'overloaded');
      assert.equal(reply.headers.get('retry-after'), '1');
    };
    const replies = Array.from({ length: maxInFlightPerAddress }, () => ask(opaqueToken()));
    await areAsked(maxInFlightPerAddress);
    isOneTooMany(await ask(opaqueToken()));
    const others = maxInFlightNew - maxInFlightPerAddress;
    replies.push(...Array.from({ length: others }, () => askFrom('127.0.0.2', opaqueToken())));
    await areAsked(maxInFlightNew);
    isOneTooMany(await askFrom('127.0.0.3', opaqueToken()));
    replies.push(...known.slice(1).map(ask));
    await areAsked(maxInFlight);
    isOneTooMany(await ask(known[0] ?? ''));
    assert.equal((await ask(cached)).status, 200);
    assert.equal((await ask(await jwt())).status, 200);
    letGo();
    assert.deepEqual([...new Set((await Promise.all(replies)).map(codeOf))], [200]);
    assert.equal(waiting.length, maxInFlight);
    assert.equal((await ask(opaqueToken())).status, 200, 'there is room again');
  });
});

describe('a token refused by introspection', () => {
  it('is introspected again after five seconds', async () => {
    endpoint.answer = answerJson({ active: false });
    const token = opaqueToken();
    assert.equal(await endpoint.asked(() => ask(token)), 1);
    await advance(4_900);
    assert.equal(await endpoint.asked(() => ask(token)), 0);
    await advance(200);
    endpoint.answer = good();
    const asked = await endpoint.asked(async () => assert.equal((await ask(token)).status, 200));
    assert.equal(asked, 1);
  });
});

describe('a cached introspection', () => {
  it('is not used past the expiry of the token', async () => {
    const soon = Math.floor((Date.now() + aheadMs) / 1000) + 20;
    endpoint.answer = answerJson({ active: true, ...provider.claims({ exp: soon }) });
    const token = opaqueToken();
    assert.equal((await ask(token)).status, 200);
    assert.equal(await endpoint.asked(() => ask(token)), 0);
    await advance(20_500);
    endpoint.answer = good();
    assert.equal(await endpoint.asked(() => ask(token)), 1);
  });
});

describe('an introspection endpoint that fails for some tokens only', () => {
  const odd = () => `odd-${opaqueToken()}`;
  /** Answers the odd tokens in this way, and all others with a valid response. */
  const answerOdd = (answer: Answer) => {
    endpoint.answer = (request, response) => {
      const token = endpoint.questions.at(-1)?.form.get('token') ?? '';
      (token.startsWith('odd-') ? answer : good())(request, response);
    };
  };
  const pauses = () =>
    service.logLines().filter(({ msg }) => msg === 'introspection fails: circuit breaker opened').length;
  const broken: Record<string, Answer> = {
    ...Object.fromEntries(
      [400, 404, 413, 422, 500, 502].map((status) => [`status ${status}`, answerWith(status)]),
    ),
    'a broken connection': (request) => void request.socket.destroy(),
    'an HTML page': answerWith(200, '<!doctype html>'),
  };
  for (const [what, answer] of Object.entries(broken)) {
    it(`is still asked about others, however many of those tokens come: ${what}`, async () => {
      await advance(windowMs);
      answerOdd(answer);
      const asked = await endpoint.asked(async () => {
        for (let count = 0; count < 23; count += 1)
          assert.equal(codeOf(await ask(odd())), 'introspection_unavailable');
        const together = await Promise.all(Array.from({ length: 20 }, () => ask(odd())));
        assert.deepEqual([...new Set(together.map(codeOf))], ['introspection_unavailable']);
      });
      // For other failures one probe for every five shows that the endpoint works.
      const isAboutToken = /status 4/.test(what);
      assert.ok(asked <= (isAboutToken ? 43 : 52), `43 tokens were ${asked} questions`);
      assert.equal((await ask(opaqueToken())).status, 200);
      assert.equal(pauses(), 0);
    });
  }

  it('is asked once in five seconds about the same token after a 413', async () => {
    await advance(windowMs);
    answerOdd(answerWith(413));
    const token = odd();
    assert.equal(await endpoint.asked(() => ask(token)), 1);
    assert.equal(await endpoint.asked(() => ask(token)), 0);
  });
});

describe('a caller with invented tokens', () => {
  const flood = async (address: string, count: number) => {
    const replies: Reply[] = [];
    while (replies.length < count)
      replies.push(...(await Promise.all(Array.from({ length: 10 }, () => askFrom(address, opaqueToken())))));
    return replies;
  };

  it('causes a limited number of introspections a minute; other addresses are not affected', async () => {
    await service.holdTime(true);
    endpoint.answer = answerJson({ active: false });
    let replies: Reply[] = [];
    const asked = await endpoint.asked(async () => {
      replies = await flood('127.0.0.20', 2 * maxFailedPerMinute);
    });
    assert.equal(asked, maxFailedPerMinute);
    const turnedAway = replies.filter(({ status }) => status === 503);
    assert.equal(turnedAway.length, maxFailedPerMinute);
    for (const reply of turnedAway) {
      assert.equal(codeOf(reply), 'overloaded');
      assert.equal(reply.headers.get('retry-after'), '60');
    }
    endpoint.answer = good();
    assert.equal((await askFrom('127.0.0.21', opaqueToken())).status, 200);
    await advance(windowMs);
    assert.equal((await askFrom('127.0.0.20', opaqueToken())).status, 200);
  });

  it('shares the limit with other failures of its address; valid tokens do not count', async () => {
    await service.holdTime(true);
    const address = '127.0.0.22';
    for (let round = 0; round < maxFailedPerMinute / 2; round += 1) {
      endpoint.answer = answerJson({ active: false });
      assert.equal(codeOf(await askFrom(address, opaqueToken())), 'token_inactive');
      endpoint.answer = good();
      for (let count = 0; count < 3; count += 1)
        assert.equal((await askFrom(address, opaqueToken())).status, 200);
    }
  });
});

describe('a token whose last introspection was positive', () => {
  const address = '127.0.0.24';
  const invented = async (count: number) => {
    for (let sent = 0; sent < count; sent += 1) await askFrom(address, opaqueToken());
  };
  /** The provider gives this answer about one token, and "not active" about all others. */
  const answerAbout = (known: string, answer: Answer) => {
    endpoint.answer = (request, response) => {
      const isKnown = endpoint.questions.at(-1)?.form.get('token') === known;
      (isKnown ? answer : answerJson({ active: false }))(request, response);
    };
  };

  it('is introspected during a flood of invented tokens from its address; new tokens wait', async () => {
    await service.holdTime(true);
    const token = opaqueToken();
    answerAbout(token, good());
    assert.equal((await askFrom(address, token)).status, 200);
    for (let minute = 0; minute < 3; minute += 1) {
      await advance(cachedMs);
      await invented(maxFailedPerMinute);
      assert.equal(codeOf(await askFrom(address, opaqueToken())), 'overloaded');
      const asked = await endpoint.asked(async () => {
        assert.equal((await askFrom(address, token)).status, 200);
      });
      assert.equal(asked, 1);
    }
  });

  it('loses its priority once the provider calls it inactive', async () => {
    await service.holdTime(true);
    const token = opaqueToken();
    await advance(windowMs);
    answerAbout(token, good());
    assert.equal((await askFrom(address, token)).status, 200);
    await advance(cachedMs);
    answerAbout(token, answerJson({ active: false }));
    await invented(maxFailedPerMinute);
    assert.equal(codeOf(await askFrom(address, token)), 'token_inactive');
    // That refusal is forgotten.
    await advance(5_000);
    await invented(maxFailedPerMinute);
    assert.equal(await endpoint.asked(() => askFrom(address, token)), 0);
    assert.equal(codeOf(await askFrom(address, token)), 'overloaded');
  });

  it('keeps its priority after failures of the provider', async () => {
    await service.holdTime(true);
    const token = opaqueToken();
    await advance(windowMs);
    answerAbout(token, good());
    assert.equal((await askFrom(address, token)).status, 200);
    for (const status of [500, 404]) {
      await advance(cachedMs);
      await invented(maxFailedPerMinute);
      answerAbout(token, answerWith(status));
      assert.equal(codeOf(await askFrom(address, token)), 'introspection_unavailable');
      answerAbout(token, good());
      // That answer is forgotten.
      await advance(5_000);
      await invented(maxFailedPerMinute);
      assert.equal((await askFrom(address, token)).status, 200, `after ${status}`);
    }
  });
});

describe('an introspection endpoint that answers 429', () => {
  const tooOften = (retryAfter?: string): Answer => {
    return (_request, response) =>
      void response.writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
  };
  const isPutOff = (reply: Reply, seconds: string) => {
    assert.equal(reply.status, 503);
    assert.equal(codeOf(reply), 'introspection_unavailable');
    assert.equal(reply.headers.get('retry-after'), seconds);
  };

  it('is not asked about new tokens until Retry-After, but is about known ones', async () => {
    await service.holdTime(true);
    endpoint.answer = good();
    const known = opaqueToken();
    assert.equal((await askFrom('127.0.0.30', known)).status, 200);
    await advance(cachedMs);
    endpoint.answer = tooOften('30');
    for (let count = 0; count < 10; count += 1) isPutOff(await askFrom('127.0.0.31', opaqueToken()), '30');
    endpoint.answer = good();
    assert.equal(await endpoint.asked(() => askFrom('127.0.0.31', opaqueToken())), 0);
    assert.equal((await askFrom('127.0.0.32', known)).status, 200);
    await advance(30_000);
    assert.equal((await askFrom('127.0.0.31', opaqueToken())).status, 200);
  });

  it('is asked about known tokens after a second, and about all after a minute at most', async () => {
    await service.holdTime(true);
    endpoint.answer = good();
    const known = [opaqueToken(), opaqueToken()];
    for (const token of known) assert.equal((await ask(token)).status, 200);
    await advance(cachedMs);
    endpoint.answer = tooOften('86400');
    const asked = await endpoint.asked(async () => {
      for (let count = 0; count < 10; count += 1) isPutOff(await ask(known[count % 2] ?? ''), '1');
    });
    assert.equal(asked, 1);
    isPutOff(await ask(opaqueToken()), '60');
    endpoint.answer = good();
    await advance(1_000);
    for (const token of known) assert.equal((await ask(token)).status, 200);
    await advance(59_000);
    assert.equal((await ask(opaqueToken())).status, 200);
  });

  it('does not open the circuit breaker, even together with failing tokens', async () => {
    await service.holdTime(true);
    let count = 0;
    // Failures that open the circuit breaker, and 429 for the question that it asks.
    endpoint.answer = (request, response) => {
      count += 1;
      (count <= maxFailures ? answerWith(500) : count === maxFailures + 1 ? tooOften() : good())(
        request,
        response,
      );
    };
    for (let odd = 0; odd < maxFailures; odd += 1)
      assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    assert.equal((await ask(opaqueToken())).status, 200);
    assert.equal(count, maxFailures + 2);
  });

  it('without Retry-After is not asked for five seconds, which the log reports', async () => {
    await service.holdTime(true);
    const stranger = '127.0.0.35';
    endpoint.answer = tooOften();
    isPutOff(await askFrom(stranger, opaqueToken()), '5');
    endpoint.answer = good();
    await advance(5_000);
    assert.equal((await askFrom(stranger, opaqueToken())).status, 200);
    await until(
      () =>
        service
          .logLines()
          .filter(({ msg }) => msg === 'provider answered introspection with its rate limit (429)'),
      (lines) => lines.length === 3 && lines.at(-1)?.retry_in_seconds === 5,
      'the log does not tell of each time once',
    );
  });
});

describe('the circuit breaker of an introspection endpoint', () => {
  /** Some requests may pass until the circuit breaker opens. */
  const pausesFor = (seconds: string) =>
    until(
      async () => (await ask(opaqueToken())).headers.get('retry-after'),
      (told) => told === seconds,
      `no pause of ${seconds} s`,
    );

  it('opens after 401 and 403', async () => {
    await service.holdTime(true);
    for (const status of [401, 403]) {
      endpoint.answer = answerWith(status);
      await pausesFor('5');
      assert.equal(await endpoint.asked(() => ask(opaqueToken())), 0);
      await advance(5_000);
      endpoint.answer = good();
      assert.equal((await ask(opaqueToken())).status, 200);
    }
  });

  it('closes although the first token after the pause still fails', async () => {
    endpoint.answer = answerWith(500);
    await pausesFor('5');
    endpoint.answer = (request, response) => {
      const isFirst = endpoint.questions.at(-1)?.form.get('token') === first;
      (isFirst ? answerWith(500) : good())(request, response);
    };
    const first = opaqueToken();
    await advance(5_000);
    assert.equal(codeOf(await ask(first)), 'introspection_unavailable');
    await until(
      async () => (await ask(opaqueToken())).status,
      (status) => status === 200,
      'one odd token keeps the door closed',
    );
  });

  it('closes after a 400 about one token', async () => {
    endpoint.answer = answerWith(500);
    await pausesFor('5');
    await advance(5_000);
    endpoint.answer = answerWith(400);
    assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    const { waiting, letGo } = held();
    const replies = [ask(opaqueToken()), ask(opaqueToken())];
    await until(
      () => waiting.length,
      (length) => length === 2,
      'one is asked about at a time',
    );
    letGo();
    assert.deepEqual((await Promise.all(replies)).map(codeOf), [200, 200]);
  });

  it('refuses at once while open, then allows one probe, then all requests', async () => {
    await service.holdTime(true);
    endpoint.answer = good();
    const known = opaqueToken();
    assert.equal((await ask(known)).status, 200);
    endpoint.answer = answerWith(500);
    const failing = await endpoint.asked(async () => {
      for (let count = 0; count < maxFailures; count += 1)
        assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
      await pausesFor('5');
    });
    assert.ok(failing > 5, `asked ${failing} times: by callers, and once by the service itself`);
    const paused = await endpoint.asked(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => ask(opaqueToken())));
      for (const reply of replies) {
        assert.equal(codeOf(reply), 'introspection_unavailable');
        assert.equal(reply.headers.get('retry-after'), '5');
      }
    });
    assert.equal(paused, 0);
    assert.equal((await ask(known)).status, 200, 'what is remembered counts');
    assert.equal((await ask(await jwt())).status, 200, 'JWTs are as ever');

    await advance(5_000);
    const tried = await endpoint.asked(async () => {
      await Promise.all(Array.from({ length: 20 }, () => ask(opaqueToken())));
      await pausesFor('10');
    });
    assert.equal(tried, 1, 'one question for all that wait');

    await advance(10_000);
    endpoint.answer = good();
    assert.equal((await ask(opaqueToken())).status, 200);
    const again = await Promise.all(Array.from({ length: 5 }, () => ask(opaqueToken())));
    assert.deepEqual([...new Set(again.map(codeOf))], [200]);
    await until(
      () => service.logLines().map(({ msg }) => msg),
      (told) =>
        told.includes('introspection fails: circuit breaker opened') &&
        told.includes('introspection works again: circuit breaker closed'),
      'the log tells of neither or of one only',
    );
  });

  it('an unreachable endpoint gives 503 for opaque tokens and no change for JWTs', async () => {
    endpoint.stop();
    for (let count = 0; count < 6; count += 1)
      assert.equal(codeOf(await ask(opaqueToken())), 'introspection_unavailable');
    assert.equal((await ask(await jwt())).status, 200);
  });
});
