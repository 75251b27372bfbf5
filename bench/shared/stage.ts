import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadGenerator } from './load.ts';
import type { Options } from './options.ts';
import { freePort } from './processes.ts';
import type { Provider } from './provider.ts';
import { audience } from './tokens.ts';

/** The shared parts of all measurements of a run. */
export interface Stage {
  readonly options: Options;
  readonly generator: LoadGenerator;
  /** Removed at the end, with all that is in it. */
  readonly folder: string;
  readonly provider: Provider;
  /** The provider's, of the first caller. */
  readonly goodToken: string;
  say(line: string): void;
}

/** What a process of Vestibule or of a peer may need to start. */
export interface Surroundings {
  readonly port: number;
  /** Health and metrics, if the peer has them. */
  readonly opsPort: number;
  /** A folder of its own. */
  readonly folder: string;
  readonly issuer: string;
  /** What the provider signs with. */
  readonly algorithm: string;
  readonly jwksUri: string;
  readonly jwksPath: string;
  readonly audience: string;
}

export const mePath = '/api/consumer/v1/me';
export const eventsPath = '/api/consumer/v1/events';

let made = 0;

/** Free ports and a new folder. */
export async function surroundingsFor(name: string, stage: Stage): Promise<Surroundings> {
  const folder = join(stage.folder, `${++made}-${name}`);
  mkdirSync(folder);
  const { issuer, algorithm, jwksUri, jwksPath } = stage.provider;
  const [port, opsPort] = [await freePort(), await freePort()];
  return { port, opsPort, folder, issuer, algorithm, jwksUri, jwksPath, audience };
}

/** The peers asked for with `--only`, in the order of the line-up. */
export function choosePeers<Peer extends { readonly name: string }>(
  lineUp: readonly Peer[],
  { only }: Options,
): readonly Peer[] {
  const known = lineUp.map(({ name }) => name);
  const unknown = only?.filter((name) => !known.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(`--only does not know ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
  }
  return lineUp.filter(({ name }) => only?.includes(name) ?? true);
}
