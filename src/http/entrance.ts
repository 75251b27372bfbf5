import { chain } from '../base/chain.ts';
import type { Answer, Input } from '../base/handler.ts';
import type { Authenticate } from './authenticate.ts';
import { createCors } from './cors.ts';
import { Exit, type ExitParts, type Visit } from './exit.ts';
import type { Route } from './routes.ts';

interface EntranceParts extends ExitParts {
  readonly corsOrigins: readonly string[];
  readonly authenticate: Authenticate;
}

/** One route, from its access rule to its exit. */
export interface Entrance {
  /** Takes a request through, once it was received. Never throws. */
  enter(visit: Visit, body: Uint8Array | undefined): void;
  readonly exit: Exit;
}

export function createEntrance(route: Route, parts: EntranceParts): Entrance {
  const { authenticate, corsOrigins } = parts;
  const exit = new Exit(parts, {
    pattern: route.path,
    personal: route.access === 'bearer',
    cors: route.cors && corsOrigins.length > 0 ? createCors(corsOrigins).answer : null,
    unreadableBody: route.unreadableBody,
  });

  const answerTo = ({ request }: Visit, body: Uint8Array | undefined): Answer | Promise<Answer> => {
    const { headers } = request;
    const input: Input = { contentType: headers['content-type'], body };
    if (route.access !== 'bearer') return route.handle(input);
    const principal = authenticate(headers.authorization, () => exit.isSuspicious(request));
    return chain(principal, (caller) => route.handle(input, caller));
  };

  const enter: Entrance['enter'] = (visit, body) => {
    try {
      const answer = answerTo(visit, body);
      if (!(answer instanceof Promise)) exit.send(visit, answer);
      else {
        answer.then(
          (ready) => exit.send(visit, ready),
          (error) => exit.refuse(visit, error),
        );
      }
    } catch (error) {
      exit.refuse(visit, error);
    }
  };
  return { enter, exit };
}
