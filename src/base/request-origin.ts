/** Where a request came from, for limits only; it is never stored. */
export interface RequestOrigin {
  readonly address: string;
  /** True if many requests from this address were refused in the last minute. */
  isSuspect(): boolean;
}
