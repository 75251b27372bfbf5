/** A consumer is to be kept under another pseudonym, because it signs in at another provider now. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
  /** By what an erasure of the old pseudonym would be noted: who it was stays known by that alone. */
  readonly noted: Uint8Array;
  /** Under which it is kept what each of the two had spent when it was erased. */
  readonly former: { readonly from: Uint8Array; readonly to: Uint8Array };
}

/**
 * `due`: it is there, and nothing is in its way. `done`: it was renamed before. `unknown`: nothing is kept of it.
 * `taken`: something is kept under the new pseudonym already, and two owners do not become one.
 */
export type RenamingState = 'due' | 'done' | 'unknown' | 'taken';

export interface Renamed {
  /** `due` means that it was done now. */
  readonly state: RenamingState;
  readonly records: number;
}
