import { once } from 'node:events';
import { createServer } from 'node:net';
import { keysPath } from '../../base/addresses.ts';
import { catalogue } from '../../base/errors.ts';
import { doubtful, type Finding, failed, passed } from '../../base/finding.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { Config } from '../../config/settings.ts';
import { readDatabase } from '../read-storage.ts';

interface Port {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly setting: 'PORT' | 'OPS_PORT';
}

/** The program that listens on a port. "This service" publishes signing keys of our database. */
interface PortOwner {
  readonly who: 'this service' | 'another vestibule' | 'a vestibule' | 'another program';
  readonly says: string;
  /** The answer of its ops port; null where that was not asked. */
  readonly isReady: boolean | null;
}

/** Checks that both ports are free, or that this service has them. */
export async function portFindings(config: Config): Promise<readonly Finding[]> {
  const service: Port = { name: 'port', host: config.host, port: config.port, setting: 'PORT' };
  const ops: Port = { name: 'ops port', host: config.opsHost, port: config.opsPort, setting: 'OPS_PORT' };
  const [serviceFault, opsFault] = [await tryToListen(service), await tryToListen(ops)];
  const opsOwner = opsFault === 'EADDRINUSE' ? await ownerOfOpsPort(config, ops) : null;
  const owner = serviceFault === 'EADDRINUSE' ? await ownerOfServicePort(config, service, opsOwner) : null;
  return [portFinding(service, serviceFault, owner), portFinding(ops, opsFault, opsOwner)];
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

function portFinding(place: Port, fault: string | null, owner: PortOwner | null): Finding {
  const { name, host, port, setting } = place;
  const expected = `${host}:${port} is free`;
  if (port === 0) return passed(name, 'any free one is used');
  if (fault === null) return passed(name, expected);
  if (owner !== null) return ownerFinding(place, owner);
  const hostSetting = setting === 'PORT' ? 'HOST' : 'OPS_HOST';
  const advice =
    fault === 'EACCES'
      ? `Only an administrator may listen on ports below 1024. Choose a ${setting} above, or allow it (CAP_NET_BIND_SERVICE).`
      : `Set ${hostSetting} to an address of this machine, for example ${hostSetting}=127.0.0.1`;
  return failed(name, { expected, found: `this machine cannot listen there (${fault})`, advice });
}

/** `doctor` may run beside its own service. Any other owner of the port keeps `serve` from starting. */
function ownerFinding({ name, host, port, setting }: Port, { who, says, isReady }: PortOwner): Finding {
  const place = `${host}:${port}`;
  const expected = `${place} is free`;
  const advice = `Stop it ("lsof -i :${port}" says which it is), or choose another ${setting}`;
  if (who === 'another program')
    return failed(name, { expected, found: `another program listens there: ${says}`, advice });
  if (who === 'another vestibule') {
    const found = 'another vestibule listens there, with another database than the one of DATABASE_URL';
    return failed(name, { expected, found, advice: `${advice}. If it is meant, look with its settings.` });
  }
  if (isReady === false)
    return failed(name, {
      expected: 'ready',
      found: `${who} listens at ${place} and says: ${says}`,
      advice: 'Its log tells more; the checks above tell what is wrong now.',
    });
  if (who === 'this service')
    return passed(name, `${place} is taken by this service, which ${isReady ? 'is ready' : 'runs'}`);
  const found = 'a vestibule listens there that does not say whose it is';
  return doubtful(name, { expected, found, advice: `If it is not this service: ${advice}` });
}

async function ownerOfOpsPort(config: Config, place: Port): Promise<PortOwner> {
  const { says, json, isOk } = await ask(place, '/readyz');
  const { status, checks, signing_keys: keys } = json ?? {};
  if (typeof status !== 'string' || !isJsonObject(checks))
    return { who: 'another program', says, isReady: null };
  const wrong = Object.entries(checks).filter(([, verdict]) => verdict !== 'ok');
  const told = [status, ...wrong.map(([name, verdict]) => `${name}: ${verdict}`)].join(', ');
  return { who: await whoseKeys(config, keys), says: told, isReady: isOk };
}

/** With TLS, behind a proxy or when busy the service does not tell its keys. Then the owner of the ops port counts. */
async function ownerOfServicePort(config: Config, place: Port, ops: PortOwner | null): Promise<PortOwner> {
  const { says, json } = await ask(place, keysPath);
  if (Array.isArray(json?.keys)) {
    const ids = json.keys.map((key) => (isJsonObject(key) ? key.kid : null));
    const who = await whoseKeys(config, ids);
    return ops?.who === who ? ops : { who, says, isReady: null };
  }
  const isVestibule = typeof json?.code === 'string' && Object.hasOwn(catalogue, json.code);
  const mayBeTls = says === noHttp && config.tlsCertFile !== null;
  if ((isVestibule || mayBeTls) && ops !== null && ops.who !== 'another program') return ops;
  return { who: isVestibule ? 'a vestibule' : 'another program', says, isReady: null };
}

/** Signing keys belong to one database: the same keys mean the same service. */
async function whoseKeys(config: Config, ids: unknown): Promise<PortOwner['who']> {
  const stored = await readDatabase(config, async (found) => {
    if (found.state === 'absent') return [];
    return found.state === 'ready' ? (await found.storage.signingKeys.list()).map(({ kid }) => kid) : null;
  });
  // The answer lacks the keys when no process behind the ops port answers.
  if (!Array.isArray(ids) || stored === null) return 'a vestibule';
  return stored.some((id) => ids.includes(id)) ? 'this service' : 'another vestibule';
}

const noHttp = 'it does not answer HTTP';
const deadlineMs = 5_000;

async function ask({ host, port }: Port, path: string) {
  try {
    const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    const url = `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}${path}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs), redirect: 'manual' });
    const json: JsonObject | null = await response.json().then(
      (body: unknown) => (isJsonObject(body) ? body : null),
      () => null,
    );
    return { says: `it answers HTTP with ${response.status}`, json, isOk: response.ok };
  } catch {
    return { says: noHttp, json: null, isOk: false };
  }
}
