/**
 * The published types describe only the main export of the package. `provider.ts` explains why it imports these files
 * directly; the main export re-exports or uses them.
 */
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const InvalidTarget: typeof errors.InvalidTarget;
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider';
  export function createMemoryAdapter(): AdapterFactory;
}
