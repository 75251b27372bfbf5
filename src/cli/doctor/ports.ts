import { once } from 'node:events';
import { createServer } from 'node:net';
import { doubtful, type Finding, failed, passed } from '../../base/finding.ts';
import type { Config } from '../../config/settings.ts';
import { type PortOwner, portOwners } from './port-owner.ts';

/** Checks that both ports are free, or that this service has them. */
export async function examinePorts(config: Config): Promise<readonly Finding[]> {
  const { host, port, opsHost, opsPort } = config;
  const [service, ops] = [await tryToListen(host, port), await tryToListen(opsHost, opsPort)];
  const by = await portOwners(config, { service: service === 'EADDRINUSE', ops: ops === 'EADDRINUSE' });
  return [
    portFinding({ name: 'port', host, port, setting: 'PORT' }, service, by.service),
    portFinding({ name: 'ops port', host: opsHost, port: opsPort, setting: 'OPS_PORT' }, ops, by.ops),
  ];
}

/** Null if the port is free, else the error code of the system. Connections in the meantime are destroyed. */
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

interface Port {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly setting: 'PORT' | 'OPS_PORT';
}

function portFinding(place: Port, fault: string | null, owner: PortOwner | null): Finding {
  const { name, host, port, setting } = place;
  const expected = `${host}:${port} is free`;
  if (port === 0) return passed(name, 'any free one is taken');
  if (fault === null) return passed(name, expected);
  if (owner !== null) return takenFinding(place, owner);
  if (fault === 'EACCES') {
    const advice = `Only an administrator may listen on ports below 1024. Choose another, for example ${setting}=${setting === 'PORT' ? 8080 : 8081}, or allow it (CAP_NET_BIND_SERVICE).`;
    return failed(name, { expected, found: 'this user may not listen there', advice });
  }
  const hostSetting = setting === 'PORT' ? 'HOST' : 'OPS_HOST';
  const advice = `Set ${hostSetting} to an address of this machine, for example ${hostSetting}=127.0.0.1`;
  return failed(name, { expected, found: `this machine cannot listen there (${fault})`, advice });
}

/** `doctor` may run beside its own service. Any other owner of the port keeps `serve` from starting. */
function takenFinding({ name, host, port, setting }: Port, owner: PortOwner): Finding {
  const place = `${host}:${port}`;
  const expected = `${place} is free`;
  const instead = `choose another port, for example ${setting}=${port > 65_525 ? port - 10 : port + 10}`;
  if (owner.who === 'another program')
    return failed(name, {
      expected,
      found: `another program listens there: ${owner.says}`,
      advice: `Stop it ("lsof -i :${port}" says which it is), or ${instead}`,
    });
  if (owner.who === 'another vestibule')
    return failed(name, {
      expected,
      found: 'another vestibule listens there, with another database than the one of DATABASE_URL',
      advice: `Stop it ("lsof -i :${port}" says which it is), or ${instead}. If it is meant, look with its settings.`,
    });
  if (owner.health?.isReady === false)
    return failed(name, {
      expected: 'ready',
      found: `${owner.who} listens at ${place} and says: ${owner.health.says}`,
      advice: 'Its log tells more; the checks above tell what is wrong now.',
    });
  if (owner.who === 'this service')
    return passed(name, `${place} is taken by this service, which ${owner.health ? 'is ready' : 'runs'}`);
  return doubtful(name, {
    expected,
    found: 'a vestibule listens there that does not say whose it is',
    advice: `If it is not this service, stop it, or ${instead}`,
  });
}
