/**
 * A program of a project that has installed @vestibule/verify: servers of all frameworks with the verifier in front, started
 * when the parent process asks for one. Plain JavaScript, because it runs where the package is installed.
 */
import { createServer } from 'node:http';
import process from 'node:process';
import { createAdaptorServer } from '@hono/node-server';
import { createVerifier } from '@vestibule/verify';
import * as forExpress from '@vestibule/verify/express';
import * as forFastify from '@vestibule/verify/fastify';
import * as forHono from '@vestibule/verify/hono';
import * as forKoa from '@vestibule/verify/koa';
import * as forNode from '@vestibule/verify/node';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

const path = '/protected';
const answerTo = ({ subject, kind, issuer, audience, scopes }) => ({
  id: subject,
  subject,
  kind,
  issuer,
  audience,
  scopes,
});

/** Each answers with a server that does not listen yet. */
const frameworks = {
  node: (verifier) =>
    createServer(
      forNode.protect(verifier, (_request, response, caller) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answerTo(caller)));
      }),
    ),
  express(verifier) {
    const app = express();
    app.use(forExpress.protect(verifier));
    app.get(path, (request, response) => {
      response.json(answerTo(forExpress.callerOf(request)));
    });
    return createServer(app);
  },
  async fastify(verifier) {
    const app = Fastify();
    app.addHook('onRequest', forFastify.protect(verifier));
    app.get(path, async (request) => answerTo(forFastify.callerOf(request)));
    await app.ready();
    return app.server;
  },
  hono(verifier) {
    const app = new Hono();
    app.use(forHono.protect(verifier));
    app.get(path, (context) => context.json(answerTo(forHono.callerOf(context))));
    return createAdaptorServer({ fetch: app.fetch });
  },
  koa(verifier) {
    const app = new Koa();
    app.use(forKoa.protect(verifier));
    app.use((context) => {
      context.body = answerTo(forKoa.callerOf(context));
    });
    return createServer(app.callback());
  },
};

const running = new Map();

process.on('message', async ({ id, framework, options, stop }) => {
  if (stop) {
    const { server, verifier } = running.get(id);
    verifier.close();
    server.closeAllConnections();
    server.close(() => process.send({ id }));
    return;
  }
  const verifier = createVerifier({ ...options, log: (entry) => process.send({ id, entry }) });
  const server = await frameworks[framework](verifier);
  running.set(id, { server, verifier });
  server.listen(0, '127.0.0.1', () => process.send({ id, port: server.address().port }));
});
