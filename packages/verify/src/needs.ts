import { isScopeName } from '../../../src/base/scopes.ts';
import { kindOf } from './authorization.ts';

/** The requirements of one route beyond those of the verifier. */
export interface Needs {
  readonly scopes?: readonly string[];
}

const nothing: Needs = {};

/** Throws for anything but that, because a need that is misspelt would let everybody in. Adapters call it when they are set up. */
export function readNeeds(needs: Needs | undefined): Needs {
  if (needs === undefined) return nothing;
  const isRight =
    typeof needs === 'object' &&
    needs !== null &&
    !Array.isArray(needs) &&
    Object.keys(needs).every((name) => name === 'scopes' && areScopes(needs.scopes));
  if (isRight) return needs;
  throw new TypeError(
    `Expected what the address needs as { scopes: ["..."] }, or nothing; found ${kindOf(needs)}.`,
  );
}

function areScopes(value: unknown): boolean {
  return Array.isArray(value) && value.every((scope) => typeof scope === 'string' && isScopeName(scope));
}
