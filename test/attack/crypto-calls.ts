import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

interface CryptoCall {
  readonly name: string;
  readonly parameters: readonly unknown[];
}

const platform = crypto as unknown as Record<string, (...parameters: unknown[]) => unknown>;

/** The functions of the platform; its classes begin with a capital. */
const names = Object.entries(Object.getOwnPropertyDescriptors(crypto))
  .filter(([name, { value, writable }]) => /^[a-z]/.test(name) && typeof value === 'function' && writable)
  .map(([name]) => name);

/** Every call of the platform's cryptography while a task runs. The functions do their work as ever. */
export async function cryptoCallsOf(task: () => Promise<unknown>): Promise<readonly CryptoCall[]> {
  const calls: CryptoCall[] = [];
  const originals = names.map((name) => [name, platform[name]] as const);
  for (const [name, original] of originals) {
    platform[name] = (...parameters) => {
      calls.push({ name, parameters });
      return original?.(...parameters);
    };
  }
  syncBuiltinESMExports();
  try {
    await task();
  } finally {
    Object.assign(platform, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return calls;
}
