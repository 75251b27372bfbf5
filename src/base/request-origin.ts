/** Where a request came from: for limits, and for nothing that is kept. */
export interface RequestOrigin {
  readonly address: string;
  /** Whether so much was refused from there of late that others are served first. */
  isSuspect(): boolean;
}
