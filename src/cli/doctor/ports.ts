import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Finding, failed, passed } from '../../base/finding.ts';
import type { Config } from '../../config/settings.ts';

const deadlineMs = 5_000;

/** Whether we can listen where we are to listen, and who does if we cannot. */
export async function examinePorts(config: Config): Promise<readonly Finding[]> {
  const { host, port, opsHost, opsPort } = config;
  const [service, ops] = [await tryToListen(host, port), await tryToListen(opsHost, opsPort)];
  const running = [service, ops].includes('EADDRINUSE') ? await askVestibule(opsHost, opsPort) : null;
  return [
    portFinding({ name: 'port', host, port, setting: 'PORT' }, service, running),
    portFinding({ name: 'ops port', host: opsHost, port: opsPort, setting: 'OPS_PORT' }, ops, running),
  ];
}

/** Null when it can be done; else the system's word for why not. Nobody is let in meanwhile. */
async function tryToListen(host: string, port: number): Promise<string | null> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return null;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

interface Running {
  readonly isReady: boolean;
  readonly says: string;
}

/** What the vestibule at an ops port says of itself; null when it is none. */
async function askVestibule(host: string, port: number): Promise<Running | null> {
  try {
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const address = reachable.includes(':') ? `[${reachable}]` : reachable;
    const response = await fetch(`http://${address}:${port}/readyz`, {
      signal: AbortSignal.timeout(deadlineMs),
    });
    const { status, checks } = (await response.json()) as { status?: unknown; checks?: object };
    if (typeof status !== 'string' || typeof checks !== 'object') return null;
    const wrong = Object.entries(checks).filter(([, verdict]) => verdict !== 'ok');
    const says = [status, ...wrong.map(([name, verdict]) => `${name}: ${verdict}`)].join(', ');
    return { isReady: response.status === 200, says };
  } catch {
    return null;
  }
}

interface Port {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly setting: 'PORT' | 'OPS_PORT';
}

function portFinding(
  { name, host, port, setting }: Port,
  fault: string | null,
  running: Running | null,
): Finding {
  const place = `${host}:${port}`;
  if (port === 0) return passed(name, 'any free one is taken');
  if (fault === null) return passed(name, `${place} is free`);
  const expected = `${place} is free`;
  if (fault === 'EADDRINUSE' && running !== null) {
    if (running.isReady) return passed(name, `${place} is taken by a vestibule that is ready`);
    return failed(name, {
      expected: 'a vestibule that is ready',
      found: `one at ${place} that says: ${running.says}`,
      advice: 'Its log tells more; the checks above tell what is wrong now.',
    });
  }
  if (fault === 'EADDRINUSE') {
    const advice = `Stop it, or choose another port, for example ${setting}=${port + 10}`;
    return failed(name, { expected, found: 'another process listens there', advice });
  }
  if (fault === 'EACCES') {
    const advice = `Only an administrator may listen on ports below 1024. Choose another, for example ${setting}=${setting === 'PORT' ? 8080 : 8081}, or allow it (CAP_NET_BIND_SERVICE).`;
    return failed(name, { expected, found: 'this user may not listen there', advice });
  }
  const hostSetting = setting === 'PORT' ? 'HOST' : 'OPS_HOST';
  const advice = `Set ${hostSetting} to an address of this machine, for example ${hostSetting}=127.0.0.1`;
  return failed(name, { expected, found: `this machine cannot listen there (${fault})`, advice });
}
