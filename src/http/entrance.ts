import type { Answer } from '../base/handler.ts';
import type { Authenticate } from './authenticate.ts';
import { createCors } from './cors.ts';
import { Exit, type ExitParts } from './exit.ts';
import type { Route } from './routes.ts';
import type { Visit } from './visit.ts';

interface EntranceParts extends ExitParts {
  readonly corsOrigins: readonly string[];
  readonly authenticate: Authenticate;
}

/** One route, from its access rule to its exit. */
export interface Entrance {
  /** Takes a request through, once it was received. Never throws. */
  enter(visit: Visit): void;
  readonly exit: Exit;
}

export function createEntrance(route: Route, parts: EntranceParts): Entrance {
  const { authenticate, corsOrigins } = parts;
  const exit = new Exit(parts, {
    pattern: route.path,
    personal: route.access === 'bearer',
    cors: route.cors && corsOrigins.length > 0 ? createCors(corsOrigins).answer : null,
    unreadableBody: route.unreadableBody,
    contentPolicy: route.contentPolicy,
    headers: route.headers,
  });

  const answerTo = (visit: Visit): Answer | Promise<Answer> => {
    if (route.access !== 'bearer') return route.handle(visit);
    const caller = authenticate(visit.authorization, visit);
    if (!(caller instanceof Promise)) return route.handle(visit, caller);
    return caller.then((known) => route.handle(visit, known));
  };

  const enter: Entrance['enter'] = (visit) => {
    try {
      const answer = answerTo(visit);
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
