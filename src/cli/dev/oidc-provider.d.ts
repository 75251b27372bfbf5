/**
 * The published types describe the package's front door only. `provider.ts` says why these two files are
 * imported directly; they export the very classes that the front door passes on.
 */
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import type { errors } from 'oidc-provider';
  export const InvalidTarget: typeof errors.InvalidTarget;
}
