import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { systemClock as clock } from './base/clock.ts';
import { OperatorError } from './base/errors.ts';
import { createLog } from './base/log.ts';
import { standardOutput } from './base/log-output.ts';
import { createRequestId } from './base/random.ts';
import type { Environment } from './config/load.ts';
import { ownIssuer } from './config/rules.ts';
import type { Config } from './config/settings.ts';
import { isTrustedProxy } from './http/client-address.ts';
import { shutdownSeconds } from './http/limits.ts';
import { Listener, listenOn } from './http/listener.ts';
import { opsTable } from './http/ops-routes.ts';
import { createOpsServer } from './http/ops-server.ts';
import { Child } from './supervisor/child.ts';
import { Children } from './supervisor/children.ts';
import { HandOver } from './supervisor/hand-over.ts';
import { createOps } from './supervisor/ops.ts';
import { killWhenSilent } from './supervisor/silence.ts';

/** How much longer a process may take to stop than DRAIN_SECONDS and `shutdownSeconds` before it is killed. */
const graceMs = 5_000;
const opsShutdownMs = 1_000;

/**
 * The composition root of `serve` with several processes. This one answers on the ops port for all of them, replaces those
 * that end, and hands signals on; the work is done by the others.
 */
export async function startSupervisor(config: Config, environment: Environment) {
  const { processes, host } = config;
  const log = createLog(config.logLevel, standardOutput(true));
  const reusePort = await canReusePort();
  if (config.port !== 0) await checkFree(host, config.port);

  let isStopping = false;
  let { port } = config;
  let address = '';
  cluster.setupPrimary({ args: ['serve'], serialization: 'advanced' });
  const children = new Children({
    processes,
    start(process) {
      const child = new Child(cluster.fork(), { environment, process, port, reusePort }, clock);
      void child.listening.then(() => {
        handOver.proceed();
        return killWhenSilent(child, clock, log);
      });
      return child;
    },
    onFirst(firstAddress) {
      address = firstAddress;
      // node:cluster knows by itself where a port that anybody may choose has come to be.
      if (port === 0 && reusePort) port = Number(new URL(address).port);
    },
    onEnded(child) {
      ops.forget(child);
      if (reusePort && address !== '' && !isStopping) handOver.begin();
    },
    clock,
    log,
  });
  const handOver = new HandOver({
    listen: (server) => listenOn(server, { host, port, reusePort }, 'PORT'),
    children,
    processes,
    clock,
  });
  const ops = createOps({ children, processes, isStopping: () => isStopping });
  const server = createOpsServer({
    limits: config,
    requestId: createRequestId,
    isProxy: (peer) => isTrustedProxy(config.trustedProxies, peer),
    routes: opsTable(ops.handlers),
  });
  const opsListener = new Listener(server, clock);
  const opsAddress = await opsListener.listen(config.opsHost, config.opsPort, 'OPS_PORT');

  const stopWithinMs = (config.drainSeconds + shutdownSeconds) * 1000 + graceMs;
  const stop = async () => {
    isStopping = true;
    // For as long as the others take connections, so does this one.
    const cancel = clock.after(config.drainSeconds * 1000, () => handOver.end());
    const areWell = await children.stop(stopWithinMs);
    cancel();
    handOver.end();
    await opsListener.close(opsShutdownMs);
    if (!areWell) throw new OperatorError('A process had to be killed, or ended with an error.');
  };
  try {
    await children.start();
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  const connections = reusePort ? 'reusePort' : 'node:cluster';
  const issuer = ownIssuer(config);
  log.info({ address, ops_address: opsAddress, issuer, processes, connections }, 'listening');
  return { log, stop, reload: () => children.signal('SIGHUP') };
}

/** Whether the system spreads connections over all who listen on a port (SO_REUSEPORT). */
async function canReusePort(): Promise<boolean> {
  const server = createServer();
  try {
    await listenOn(server, { host: '127.0.0.1', port: 0, reusePort: true }, 'PORT');
    server.close();
    return true;
  } catch {
    return false;
  }
}

/** Processes that share a port would share it with another service, too, and not notice. */
async function checkFree(host: string, port: number): Promise<void> {
  const server = createServer();
  await listenOn(server, { host, port, reusePort: false }, 'PORT');
  await new Promise((resolve) => server.close(resolve));
}
