import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Finding, failed, passed } from '../../base/finding.ts';
import { isJsonObject } from '../../base/json-object.ts';
import { readDatabase } from '../../compose/read-storage.ts';
import type { Config } from '../../config/settings.ts';

interface Port {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly setting: 'PORT' | 'OPS_PORT';
}

type OpsAnswer = Awaited<ReturnType<typeof askReadiness>>;

/** Checks that both ports are free, or that this service uses them. The ops port identifies its service, and its port. */
export async function portFindings(config: Config): Promise<readonly Finding[]> {
  const service: Port = { name: 'port', host: config.host, port: config.port, setting: 'PORT' };
  const ops: Port = { name: 'ops port', host: config.opsHost, port: config.opsPort, setting: 'OPS_PORT' };
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

function portFinding(place: Port, fault: string | null, answer: OpsAnswer | null): Finding {
  const { name, host, port, setting } = place;
  const expected = `${host}:${port} is free`;
  if (port === 0) return passed(name, 'the service chooses a free port');
  if (fault === null) return passed(name, expected);
  if (fault === 'EADDRINUSE') return takenFinding(place, answer);
  const hostSetting = setting === 'PORT' ? 'HOST' : 'OPS_HOST';
  const advice =
    fault === 'EACCES'
      ? `Only an administrator may listen on ports below 1024. Choose a ${setting} above, or allow it (CAP_NET_BIND_SERVICE).`
      : `Set ${hostSetting} to an address of this machine, for example ${hostSetting}=127.0.0.1`;
  return failed(name, { expected, found: `this machine cannot listen there (${fault})`, advice });
}

/** `doctor` may run beside its own service. Any other owner of the port keeps `serve` from starting. */
function takenFinding({ name, host, port, setting }: Port, answer: OpsAnswer | null): Finding {
  const place = `${host}:${port}`;
  const isOurs = answer?.isThisService && (setting === 'OPS_PORT' || answer.port === port);
  if (!isOurs)
    return failed(name, {
      expected: `${place} is free`,
      found: `another program, or a service with another database, listens there (OPS_PORT: ${answer?.says ?? 'nothing listens there'})`,
      advice: `Stop it ("lsof -i :${port}" shows it), or choose another ${setting}`,
    });
  if (answer.isReady) return passed(name, `${place} is taken by this service, which is ready`);
  const advice = 'See its log; the checks above show what is wrong now.';
  return failed(name, { expected: 'ready', found: `this service says: ${answer.says}`, advice });
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
