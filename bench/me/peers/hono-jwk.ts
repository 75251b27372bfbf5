import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { jwk } from 'hono/jwk';
import type { JwtVariables } from 'hono/jwt';
import { type Claims, createAnswer, readGiven } from './given.ts';

/** Hono with its jwk middleware. Given "jwks_uri" it would fetch the keys on every request, so it is given keys. */
const given = readGiven();
const answerTo = createAnswer(given);
type Keys = NonNullable<Parameters<typeof jwk>[0]['keys']>;
const { keys } = (await (await fetch(given.jwksUri)).json()) as { keys: Keys };

const app = new Hono<{ Variables: JwtVariables<Claims> }>();
app.use(jwk({ keys, alg: ['RS256'], verification: { iss: given.issuer, aud: given.audience } }));
app.get(given.path, (context) => context.json(answerTo(context.get('jwtPayload'))));
serve({ fetch: app.fetch, port: given.port, hostname: '127.0.0.1' });
