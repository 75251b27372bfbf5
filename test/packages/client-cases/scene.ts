import type * as Package from '../../../packages/client/src/index.ts';
import type { Stage } from '../client-stage.ts';

/**
 * What `@vestibule/client` does, wherever it runs: the same cases in Node and in a page of a browser, against a real service. So
 * nothing in this folder is of Node, and nothing of a browser.
 */

export interface Scene {
  readonly client: typeof Package;
  readonly url: string;
  readonly stage: Stage;
  /** A token of a caller that no other case uses. */
  readonly name: string;
}

export type Cases = Readonly<Record<string, Run>>;

type Run = (scene: Scene) => Promise<void>;

export const api = '/api/consumer/v1';

export async function signedIn(
  { client, url, stage, name }: Scene,
  options: Partial<Package.ClientOptions> = {},
) {
  const token = await stage.token(name);
  return client.createClient({ url, token: () => token, ...options });
}

export function signedInToo(scene: Scene, who: string) {
  return signedIn({ ...scene, name: `${scene.name}, ${who}` });
}

export function check(isTrue: boolean, what: string): asserts isTrue {
  if (!isTrue) throw new Error(what);
}

export function same(found: unknown, expected: unknown, what = 'it is another one'): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  check(one === other, `${what}: found ${one}, expected ${other}`);
}

export async function refused(call: Promise<unknown>, { Problem }: typeof Package): Promise<Package.Problem> {
  const error = await call.then(
    (value) => new Error(`it was not refused, but answered with ${JSON.stringify(value)}`),
    (reason) => reason,
  );
  if (!(error instanceof Problem)) throw error;
  return error;
}

/** Live lists and listeners that end with the block of a case. */
export function ended(...all: readonly ({ close(): void } | (() => void))[]): Disposable {
  const end = () => {
    for (const one of all) typeof one === 'function' ? one() : one.close();
  };
  return { [Symbol.dispose]: end };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export async function until(willDo: () => boolean, what: string): Promise<void> {
  for (let waited = 0; !willDo(); waited += 20) {
    if (waited > 20_000) throw new Error(what);
    await pause(20);
  }
}

export const texts = (items: readonly Record<string, unknown>[] | null) =>
  items?.map(({ text }) => text).sort() ?? null;
