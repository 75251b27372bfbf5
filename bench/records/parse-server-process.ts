import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import express from 'express';
import { ParseServer } from 'parse-server';
import { readGiven } from '../shared/child.ts';

/** parse-server as its documentation mounts it in Express; it logs warnings only. */
interface Given {
  readonly port: number;
  readonly databaseUrl: string;
  readonly applicationId: string;
  readonly folder: string;
}
const { port, databaseUrl, applicationId, folder } = readGiven<Given>();

const server = ParseServer({
  databaseURI: databaseUrl,
  appId: applicationId,
  masterKey: randomBytes(32).toString('base64url'),
  maintenanceKey: randomBytes(32).toString('base64url'),
  serverURL: `http://127.0.0.1:${port}/parse`,
  allowClientClassCreation: true,
  logLevel: 'warn',
  logsFolder: join(folder, 'logs'),
});
await server.start();
express().use('/parse', server.app).listen(port, '127.0.0.1');
