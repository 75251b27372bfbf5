import { compileFunction } from 'node:vm';

/**
 * The router of the HTTP library writes small functions and compiles them with `new Function`. In a process that runs
 * with `--disallow-code-generation-from-strings` it gets a way of its own, by the global name that it uses. What
 * attackers reach for, the constructor of any function at hand, stays shut.
 */
export function letRouterCompile(): void {
  if (isCodeAllowed()) return;
  const compile = (...parts: readonly string[]) => compileFunction(parts.at(-1) ?? '', parts.slice(0, -1));
  globalThis.Function = new Proxy(Function, { construct: (_target, parts) => compile(...parts) });
}

function isCodeAllowed(): boolean {
  try {
    return new Function('return true')();
  } catch {
    return false;
  }
}
