import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Finding, passed } from '../../base/finding.ts';
import { isJsonObject } from '../../base/strict-json.ts';
import { readDatabase } from '../../compose/read-storage.ts';
import type { Config } from '../../config/settings.ts';
import { finding } from '../findings.ts';

type Port = Readonly<{ name: string; host: string; port: number; setting: 'PORT' | 'OPS_PORT' }>;
type OpsAnswer = Awaited<ReturnType<typeof askReadiness>>;

/** Checks that both ports are free, or that this service uses them. The ops port identifies its service, and its port. */
export async function portFindings(config: Config): Promise<readonly Finding[]> {
  const service = { name: 'port', host: config.host, port: config.port, setting: 'PORT' } as const;
  const ops = { name: 'ops port', host: config.opsHost, port: config.opsPort, setting: 'OPS_PORT' } as const;
  const [serviceFault, opsFault] = [await tryToListen(service), await tryToListen(ops)];
  const answer = opsFault === 'EADDRINUSE' ? await askReadiness(config, ops) : null;
  return [portFinding(service, serviceFault, answer), portFinding(ops, opsFault, answer)];
}

/** Null if the port is free, else the error code of the system. Connections in the meantime are destroyed. */
async function tryToListen({ host, port }: Port): Promise<string | null> {
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

/** `doctor` may run beside its own service. Any other owner of the port keeps `serve` from starting. */
function portFinding(
  { name, host, port, setting }: Port,
  fault: string | null,
  ops: OpsAnswer | null,
): Finding {
  const place = `${host}:${port}`;
  if (port === 0) return passed(name, 'the service chooses a free port');
  if (fault === null) return passed(name, `${place} is free`);
  if (fault === 'EACCES') return finding(name, 'port_privileged', { place, setting });
  const hostSetting = setting === 'PORT' ? 'HOST' : 'OPS_HOST';
  if (fault !== 'EADDRINUSE') return finding(name, 'host_not_here', { place, fault, hostSetting });
  const isOurs = ops?.isThisService && (setting === 'OPS_PORT' || ops.port === port);
  const says = ops?.says ?? 'nothing listens there';
  if (!isOurs) return finding(name, 'port_taken', { place, port, setting, says });
  return ops.isReady
    ? passed(name, `${place} is taken by this service, which is ready`)
    : finding(name, 'service_not_ready', { says });
}

const deadlineMs = 5_000;

/** Signing keys belong to one database: the same keys mean the same service. */
async function askReadiness(config: Config, { host, port }: Port) {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs), redirect: 'manual' });
    const says = `it answers HTTP with ${response.status}`;
    const body: unknown = await response.json().catch(() => null);
    if (!isJsonObject(body) || !isJsonObject(body.checks))
      return { isThisService: false, port: null, isReady: false, says };
    const wrong = Object.entries(body.checks).filter(([, verdict]) => verdict !== 'ok');
    return {
      isThisService: await hasKeyOf(config, body.signing_keys),
      port: body.port,
      isReady: response.ok,
      says: [body.status, ...wrong.map(([name, verdict]) => `${name}: ${verdict}`)].join(', '),
    };
  } catch {
    return { isThisService: false, port: null, isReady: false, says: 'it does not answer HTTP' };
  }
}

function hasKeyOf(config: Config, ids: unknown): Promise<boolean> {
  return readDatabase(config, async (found) => {
    if (found.state !== 'ready' || !Array.isArray(ids)) return false;
    return (await found.storage.signingKeys.list()).some(({ kid }) => ids.includes(kid));
  });
}
