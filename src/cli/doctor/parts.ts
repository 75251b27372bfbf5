import type { Config } from '../../config/settings.ts';

/** What the doctor is handed to look with. None of it makes or changes anything. */
export interface DoctorParts {
  readDeclaredCollections(config: Config): Promise<readonly { readonly name: string }[]>;
  inspectProvider(config: Config, discoveryUrl: string): Promise<ProviderNow>;
  /** `areDeclared`: the collections can be read, and the records held against them. */
  inspectDatabase(config: Config, areDeclared: boolean): Promise<DatabaseNow>;
  /** The first certificate of a chain in PEM, for callers of that host. */
  examineCertificate(pem: string, host: string): Promise<CertificateNow>;
}

export interface Missing {
  readonly fault: string;
  readonly detail: string;
}

export interface KeysNow {
  readonly usable: readonly { readonly kid: string | null; readonly algorithms: readonly string[] }[];
  readonly leftOut: readonly {
    readonly kid: string | null;
    readonly fault: string;
    readonly isAlarming: boolean;
  }[];
}

export interface ProviderNow {
  readonly discovery: { readonly document: Readonly<Record<string, unknown>> } | Missing;
  readonly keys: KeysNow | Missing;
  readonly aheadSeconds: number | null;
}

interface MissingRights {
  readonly found: string;
  readonly advice: string;
}

export type DatabaseNow =
  | { readonly state: 'absent' }
  | { readonly state: 'unusable'; readonly detail: string; readonly advice: string | null }
  | {
      readonly state: 'other_version';
      readonly version: number;
      readonly newest: number;
      /** Why the next start cannot migrate it. */
      readonly missingRights: MissingRights | null;
    }
  | {
      readonly state: 'ready';
      readonly version: number;
      /** Why a service cannot start with it, although it can be read. */
      readonly missingRights: MissingRights | null;
      readonly masterSecretFits: boolean;
      /** A sentence for each declaration that records which exist do not fit; null when they were not looked at. */
      readonly breaking: readonly string[] | null;
      readonly isScrubDue: boolean;
      /** Clients that somebody without the master secret has written. */
      readonly foreignClients: readonly string[];
    };

export interface CertificateNow {
  readonly names: string;
  readonly coversHost: boolean;
  readonly isSelfSigned: boolean;
  readonly validFrom: number;
  readonly validTo: number;
}
