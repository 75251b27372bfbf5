import { checksOf, type Mutant } from '../mutant.ts';

const authorization = ['test/attack/authorization-header.test.ts'];
const https = ['test/http/https.test.ts'];
const address = ['test/attack/caller-address.test.ts'];
const head = ['test/attack/request-head.test.ts'];
const limits = ['test/http/limits.test.ts'];
const refusals = ['test/attack/refusal-flood.test.ts'];
const bodies = ['test/attack/body-flood.test.ts'];
const held = ['test/fault/held-connections.test.ts'];
const headers = ['test/http/headers.test.ts'];
const bounded = ['test/fault/bounded-memory.test.ts'];
const certificates = ['test/attack/certificate-bound.test.ts'];

/** How a request has to come in. */
export const httpChecks: readonly Mutant[] = [
  ...checksOf('src/auth/authenticate.ts', authorization, [
    [
      'the form of the Authorization header',
      'if (!tokenForm.test(token)) …;',
      ';',
      'a second token behind a comma is looked at',
    ],
    [
      'the form of it with the DPoP scheme',
      'if (!dpopStart.test(authorization)) …;',
      ';',
      'a header that no rule describes is taken',
      ['test/attack/dpop-proof.test.ts'],
    ],
    [
      'the standing of the caller',
      'const verdict = checkStanding(…);',
      'const verdict: undefined | Promise<void> = undefined as undefined | Promise<void>;',
      'whoever was shut out stays in',
      ['test/attack/shut-out.test.ts'],
    ],
  ]),
  ...checksOf('src/auth/certificate.ts', certificates, [
    [
      'the very certificate that a token is bound to',
      'request.certificateThumbprint() !== boundTo.thumbprint',
      'request.certificateThumbprint() === null',
      'a stolen token works with any certificate',
    ],
    [
      'the key of a certificate',
      "if (fault !== 'none') throw …;",
      '',
      'whoever finds out a small key has the tokens of its owner',
    ],
    [
      'a certificate is no proof by a key',
      "boundTo.method !== 'mtls' ||",
      '',
      'a token that is bound to a key works with a certificate',
    ],
  ]),
  ...checksOf('src/http/client-certificate.ts', certificates, [
    [
      'a certificate is handed on by trusted proxies only',
      "throw unusable(header, 'a certificate handed on by no trusted proxy');",
      'return;',
      'a caller that writes the header is not noticed',
    ],
    [
      'the certificate of a proxy is not that of its callers',
      'if (!isTrustedProxy(proxies, socket.remoteAddress)) return isAskedFor ? ofConnection(socket) : null;',
      'if (isAskedFor && headers[String(header)] === undefined) return ofConnection(socket);',
      'a token that is bound to the certificate of a proxy is good for everybody behind it',
    ],
  ]),
  ...checksOf('src/http/limits.ts', limits, [
    [
      'two headers of one name',
      'joinDuplicateHeaders: true,',
      '',
      'a proxy judges one Authorization header and we the other',
      authorization,
    ],
    [
      'the size of the headers',
      'maxHeaderSize: limits.maxHeaderBytes,',
      'maxHeaderSize: 1_000_000,',
      'headers fill the memory',
    ],
    [
      'the time for the headers',
      'Math.min(…) * 1000',
      'limits.requestTimeoutSeconds * 1000',
      'slow heads hold all connections',
      head,
    ],
    [
      'the time for a request',
      'requestTimeout: limits.requestTimeoutSeconds * 1000,',
      'requestTimeout: 3_600_000,',
      'slow bodies hold all connections',
    ],
  ]),
  ...checksOf('src/http/connections.ts', limits, [
    [
      'the end of an idle connection',
      'isIdle && now - (connection.quietSince ?? now) >= this.#options.idleMs',
      'isIdle && now < 0',
      'callers who are gone hold all connections',
    ],
    [
      'the end of a connection whose caller takes nothing',
      'if (isWaiting === isTimed) return;',
      'return;',
      'callers who take nothing of large answers fill the memory',
    ],
  ]),
  ...checksOf('src/http/receive.ts', head, [
    [
      'the version of HTTP',
      "if (…) throw new Refusal('bad_request', { detail: 'HTTP version' });",
      '',
      'what is no HTTP/1 is answered as if it were',
    ],
    [
      'a Host header is there',
      'headers.host !== undefined && !headers.host',
      "!(headers.host ?? '')",
      'a proxy and we disagree about the request',
    ],
    ['one Host header', " && !headers.host.includes(',')", '', 'a proxy and we disagree about the host'],
  ]),
  ...checksOf('src/http/transport.ts', https, [
    [
      'only a trusted proxy is heard',
      'if (!isTrustedProxy(…)) {',
      'if (peerAddress === "nobody") {',
      'anybody says that it came over https',
    ],
    [
      'the proxy got the request over https',
      "if (…) throw new Refusal('https_required'…);",
      '',
      'tokens travel in the clear',
    ],
    [
      'https on every hop',
      "forwardedProto?.split(',').every(",
      "forwardedProto?.split(',').some(",
      'tokens travel in the clear for a part of the way',
    ],
  ]),
  ...checksOf('src/http/client-address.ts', address, [
    [
      'only a trusted proxy names the caller',
      'forwardedFor === undefined || !isTrustedProxy(…)',
      'forwardedFor === undefined',
      'X-Forwarded-For is a new address for every guess',
    ],
    [
      'the last address that a proxy saw',
      'hops.findLast((hop)',
      'hops.find((hop)',
      'X-Forwarded-For is a new address for every guess',
    ],
    [
      'an IPv6 caller is its network',
      '.slice(…).join',
      '.join',
      'one caller has as many addresses as it likes',
    ],
  ]),
  ...checksOf('src/http/refusal-limit.ts', refusals, [
    [
      'the number of refusals',
      'if (retryAfterSeconds === 0) return refusal;',
      'if (retryAfterSeconds >= 0) return refusal;',
      'tokens are guessed without end',
    ],
  ]),
  ...checksOf('src/base/failure-count.ts', bounded, [
    [
      'past the limit a caller is suspicious',
      'count !== undefined && count.failures >= this.#perMinute &&',
      'count === undefined && Number(this.#perMinute) < 0 &&',
      'a flood of bad tokens shares the limit of good ones',
    ],
    [
      'the number of failures',
      'count.failures <= this.#perMinute ? 0',
      'count.failures <= 1e9 ? 0',
      'secrets and tokens are guessed without end',
    ],
    [
      'the number of watched names',
      'this.#next = (place + 1) % mostNames;',
      'this.#next = place + 1;',
      'names and addresses fill the memory',
    ],
    [
      'a window ends',
      'count === undefined || count.endsAt <= now',
      'count === undefined',
      'whoever was refused too often is refused for ever',
    ],
  ]),
  ...checksOf('src/http/respond.ts', refusals, [
    [
      'refusals of protected routes count',
      'const isTurnedAway = this.#options.countsRefusals === true && isTurnedAwayAtTheDoor(…);',
      'const isTurnedAway = false;',
      'tokens are guessed without end',
    ],
  ]),
  ...checksOf(
    'src/http/routes.ts',
    // The first file passes all the same, so that it can be seen that the service still works.
    ['test/http/method.405.test.ts', 'test/attack/access-matrix.test.ts'],
    [
      [
        '/me needs a token',
        "bearer('GET', myself, me(…), describeMe),",
        'open(myself, () => publishedKeys({ published: () => [] })(undefined as never), describeMe),',
        'everybody gets in',
      ],
    ],
  ),
  ...checksOf('src/http/body.ts', limits, [
    [
      'the size that a body says it has',
      "if (isTooLong(…)) throw new Refusal('body_too_large');",
      '',
      'a body that is too large is read before it is refused',
    ],
    [
      'the size of a body',
      'length > this.#maxBytes || this.#pieces > mostBodyPieces',
      'length > 1e9 || this.#pieces > mostBodyPieces',
      'one body fills the memory',
    ],
    [
      'the pieces of a body',
      'length > this.#maxBytes || this.#pieces > mostBodyPieces',
      'length > this.#maxBytes',
      'bodies sent letter by letter take all the time there is',
      bodies,
    ],
    [
      'what bodies of one address hold',
      'held > mostBodyBytesOfAddress',
      'held < 0',
      'one address takes the room of all others',
      bodies,
    ],
  ]),
  ...checksOf('src/http/connections.ts', held, [
    ['the number of connections', "if (…) return 'all';", '', 'connections take all the files there are'],
    [
      'the number of connections of an address',
      "return isCrowded && !isProxy(address) ? 'address' : null;",
      'return isCrowded && isProxy(address) ? null : null;',
      'one address takes the places of all others',
    ],
    [
      'an idle connection makes room',
      'socket.destroy();\n      // It is gone',
      '// It is gone',
      'idle callers keep others out',
    ],
    [
      'one answer to a request',
      'last.headersSent ? close : answer',
      'answer',
      'a request gets a second answer, and the next one may get it instead',
      ['test/attack/unread-body.test.ts'],
    ],
  ]),
  ...checksOf(
    'src/http/other-methods.ts',
    ['test/http/method.405.test.ts'],
    [
      [
        'other methods are refused',
        "if (scriptable && context.request.method === 'OPTIONS') responder.send(context, preflight);",
        "if (scriptable || context.request.method !== 'HEAD') responder.send(context, preflight);",
        'a method nobody thought of is answered',
      ],
    ],
  ),
  ...checksOf('src/http/endpoint.ts', head, [
    [
      'a token before the handler',
      "if (route.access !== 'bearer') return admit(null);",
      "if (route.access !== 'bearer' || context.authorization === undefined) return null;",
      'no token is as good as any',
      ['test/attack/access-matrix.test.ts'],
    ],
    [
      'a caller is asked about again when its body has come',
      'if (known !== null) await checkStillIn(known);',
      '',
      'whoever was signed out writes what it had begun to send',
      ['test/http/records.slow-body.403.test.ts'],
    ],
  ]),
  ...checksOf('src/http/receive.ts', head, [
    ['the head of a request', 'checkHead(…);', '', 'what is no request is answered'],
  ]),
  ...checksOf('src/http/headers.ts', headers, [
    [
      'answers are not kept',
      "'cache-control': personal ? 'private, no-store' : 'no-store',",
      "'cache-control': personal ? 'max-age=60' : 'no-store',",
      'a cache hands the answer of one to another',
    ],
    [
      'answers depend on the token',
      "...(personal ? ['Authorization'] : [])",
      '...[]',
      'a cache hands the answer of one to another',
    ],
    [
      'answers are what they say',
      "{ 'x-content-type-options': 'nosniff' }",
      '{}',
      'a browser runs an answer',
    ],
  ]),
  ...checksOf(
    'src/http/cors.ts',
    ['test/http/cors.test.ts'],
    [
      [
        'the allowed origins',
        'origin !== undefined && origins.includes(origin)',
        'origin !== undefined',
        'any page reads the answers',
      ],
    ],
  ),
];
