import { consumerPrefix, keysPath } from '../../base/addresses.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { quoted } from '../../base/finding.ts';
import { isJsonObject } from '../../base/json-object.ts';
import type { Config } from '../../config/settings.ts';

const deadlineMs = 5_000;

/** Who has a port that we are to listen on. */
export type Occupant =
  | {
      /** This service is the one whose keys are in our database; of "a vestibule" that cannot be told. */
      readonly who: 'this service' | 'another vestibule' | 'a vestibule';
      /** What its ops port says of it; null where that was not asked. */
      readonly health: Health | null;
    }
  | { readonly who: 'another program'; readonly says: string };

export interface Health {
  readonly isReady: boolean;
  readonly says: string;
}

/** Those of the ports that are taken. */
export async function occupantsOf(
  config: Config,
  taken: { readonly service: boolean; readonly ops: boolean },
) {
  const { host, port, opsHost, opsPort } = config;
  const ops = taken.ops ? await occupantOfOps(config, addressOf(opsHost, opsPort)) : null;
  return { service: taken.service ? await occupantOfService(config, addressOf(host, port), ops) : null, ops };
}

async function occupantOfOps(config: Config, address: string): Promise<Occupant> {
  const answer = await ask(`http://${address}/readyz`);
  const { status, checks, signing_keys: keys } = answer.json ?? {};
  if (typeof status !== 'string' || !isJsonObject(checks)) return stranger(answer);
  const wrong = Object.entries(checks).filter(([, verdict]) => verdict !== 'ok');
  const says = [status, ...wrong.map(([name, verdict]) => `${name}: ${verdict}`)].join(', ');
  return { who: await whoseKeys(config, keys), health: { isReady: answer.status === 200, says } };
}

/** Where it takes no plain HTTP from here, because of TLS or of a proxy, a vestibule at the ops port speaks for it. */
async function occupantOfService(config: Config, address: string, ops: Occupant | null): Promise<Occupant> {
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

function stranger({ says }: Said): Occupant {
  return { who: 'another program', says };
}

/** What a vestibule answers to a request without a token, also when it takes none from here. */
function isOurs(code: unknown): boolean {
  const refusals: readonly ErrorCode[] = ['token_missing', 'https_required', 'shutting_down'];
  return refusals.some((refusal) => refusal === code);
}

/** Keys are made by and for one database, so it is the same service exactly where they are the same. */
async function whoseKeys(config: Config, ids: unknown) {
  const { storedSigningKeyIds } = await import('../../inspection/signing-keys.ts');
  const stored = await storedSigningKeyIds(config);
  // A release of before does not say which are its own.
  if (!Array.isArray(ids) || stored === null) return 'a vestibule';
  return stored.some((id) => ids.includes(id)) ? 'this service' : 'another vestibule';
}

interface Said {
  readonly status: number | null;
  readonly json: Readonly<Record<string, unknown>> | null;
  /** For whoever wonders what it is. */
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
