import { consumerPrefix, keysPath } from '../../base/addresses.ts';
import { catalogue } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import { isJsonObject } from '../../base/json-object.ts';
import type { Config } from '../../config/settings.ts';

const deadlineMs = 5_000;

/** The program that listens on a port of the settings. */
export type PortOwner =
  | {
      /** "This service" publishes signing keys of our database; "a vestibule" did not say which keys it has. */
      readonly who: 'this service' | 'another vestibule' | 'a vestibule';
      /** The answer of its ops port; null where that was not asked. */
      readonly health: PortHealth | null;
    }
  | { readonly who: 'another program'; readonly says: string };

export interface PortHealth {
  readonly isReady: boolean;
  readonly says: string;
}

/** Asks each port that is taken. */
export async function portOwners(
  config: Config,
  taken: { readonly service: boolean; readonly ops: boolean },
) {
  const { host, port, opsHost, opsPort } = config;
  const ops = taken.ops ? await ownerOfOpsPort(config, addressOf(opsHost, opsPort)) : null;
  return {
    service: taken.service ? await ownerOfServicePort(config, addressOf(host, port), ops) : null,
    ops,
  };
}

async function ownerOfOpsPort(config: Config, address: string): Promise<PortOwner> {
  const answer = await ask(`http://${address}/readyz`);
  const { status, checks, signing_keys: keys } = answer.json ?? {};
  if (typeof status !== 'string' || !isJsonObject(checks)) return stranger(answer);
  const wrong = Object.entries(checks).filter(([, verdict]) => verdict !== 'ok');
  const says = [status, ...wrong.map(([name, verdict]) => `${name}: ${verdict}`)].join(', ');
  return { who: await whoseKeys(config, keys), health: { isReady: answer.status === 200, says } };
}

/** With TLS or behind a proxy the service refuses plain HTTP. Then the vestibule at the ops port counts as the owner. */
async function ownerOfServicePort(
  config: Config,
  address: string,
  ops: PortOwner | null,
): Promise<PortOwner> {
  const answer = await ask(`http://${address}${consumerPrefix}/me`);
  const isVestibule = isOurs(answer.json?.code);
  const mayBeOverTls = answer.status === null && config.tlsCertFile !== null;
  if (!isVestibule && !mayBeOverTls) return stranger(answer);
  const { keys } = (await ask(`http://${address}${keysPath}`)).json ?? {};
  if (!Array.isArray(keys)) {
    if (ops !== null && ops.who !== 'another program') return ops;
    return isVestibule ? { who: 'a vestibule', health: null } : stranger(answer);
  }
  const ids = keys.map((key) => (isJsonObject(key) ? key.kid : null));
  const who = await whoseKeys(config, ids);
  return ops?.who === who ? ops : { who, health: null };
}

function stranger({ says }: Said): PortOwner {
  return { who: 'another program', says };
}

/** True for every code of our catalogue: a busy service answers 429 or 503 instead of `token_missing`. */
function isOurs(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(catalogue, code);
}

/** Signing keys belong to one database: the same keys mean the same service. */
async function whoseKeys(config: Config, ids: unknown) {
  const { storedSigningKeyIds } = await import('../../app/doctor.ts');
  const stored = await storedSigningKeyIds(config);
  // The answer may lack the keys, for example when no process behind the ops port answers.
  if (!Array.isArray(ids) || stored === null) return 'a vestibule';
  return stored.some((id) => ids.includes(id)) ? 'this service' : 'another vestibule';
}

interface Said {
  readonly status: number | null;
  readonly json: Readonly<Record<string, unknown>> | null;
  /** For the operator, who has to find out which program it is. */
  readonly says: string;
}

async function ask(url: string): Promise<Said> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs), redirect: 'manual' });
    const server = response.headers.get('server');
    const says = `it answers HTTP with ${response.status}${server === null ? '' : ` and calls itself ${quoted(server)}`}`;
    const json: unknown = await response.json().catch(() => null);
    return { status: response.status, json: isJsonObject(json) ? json : null, says };
  } catch {
    return { status: null, json: null, says: 'it does not answer HTTP' };
  }
}

function addressOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
