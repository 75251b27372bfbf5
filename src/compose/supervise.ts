import cluster from 'node:cluster';
import { systemClock as clock } from '../base/clock.ts';
import { OperatorError } from '../base/errors.ts';
import { createLog, standardOutput } from '../base/log.ts';
import { type Environment, settingsInForce } from '../config/load.ts';
import { ownIssuer } from '../config/rules.ts';
import type { Config } from '../config/settings.ts';
import { shutdownSeconds } from '../http/limits.ts';
import { addressText, listenOn } from '../http/listener.ts';
import { Child, killWhenSilent } from '../supervisor/child.ts';
import { createChildren } from '../supervisor/children.ts';
import { Dispatcher } from '../supervisor/dispatcher.ts';
import { createOps } from '../supervisor/ops.ts';
import { openOpsPort } from './ops-port.ts';

/** How much longer than DRAIN_SECONDS and `shutdownSeconds` a process may take to stop before it is killed. */
const graceMs = 5_000;

/** The composition root of `serve --processes`: the supervisor listens on both ports and serves no request. */
export async function startSupervisor(config: Config, environment: Environment, processes: number) {
  const { host, port } = config;
  const log = createLog(config.logLevel, standardOutput(true));
  let isStopping = false;
  cluster.setupPrimary({ args: ['serve', '--processes', String(processes)], serialization: 'advanced' });
  const dispatcher = new Dispatcher(config.maxConnections);
  const children = createChildren({
    processes,
    fork(process) {
      const child = new Child(cluster.fork(), { environment, process }, clock);
      void child.started.then((isServing) => {
        if (isServing) dispatcher.add(child);
        return killWhenSilent(child, clock, log);
      });
      void child.ended.then(() => ops.forget(child));
      return child;
    },
    clock,
    log,
  });
  const ops = createOps(processes, children, () => isStopping);
  const settings = settingsInForce(environment);
  const forConsole = { ...ops.forConsole, settings, clock, log };
  const opsPort = await openOpsPort(config, { ...ops.handlers, limits: config, forConsole });

  const drainMs = config.drainSeconds * 1000;
  const stop = async () => {
    isStopping = true;
    const cancel = clock.after(drainMs, () => dispatcher.close());
    const areWell = await children.stop(drainMs + shutdownSeconds * 1000 + graceMs);
    cancel();
    await opsPort.stop();
    if (!areWell)
      throw new OperatorError(
        'A process was killed or ended with an error while the service stopped. See the log above.',
      );
  };
  try {
    await children.startFirst();
    const { server } = dispatcher;
    const address = addressText(await listenOn(server, { host, port }, 'PORT'), config.tlsCertFile !== null);
    await children.startOthers();
    log.info({ address, ops_address: opsPort.address, issuer: ownIssuer(config), processes }, 'listening');
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  return { log, stop, reload: () => children.signal('SIGHUP') };
}
