// Made by "npm run docs" from the schema of declarations. Do not edit.

export interface Overview {
  collections: readonly {
    name: string;
    /** The path of the collection. */
    href: string;
    /** JSON Schema 2020-12 of the fields. Objects are closed unless they say otherwise. */
    schema: {
      [name: string]: unknown;
    };
    title: string;
    /** What one record is called, such as "Booking". */
    singular?: string;
    description?: string;
    /** The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags. */
    index: readonly string[];
    /** The states of a record. The first one is the initial state. */
    states?: {
      [name: string]: {
        [name: string]: {
          to: string;
          /** A role, or several; "any" is owner and client. */
          by: string | readonly string[];
          sets?: readonly string[];
          clears?: readonly string[];
          grants?: string;
          chosen_from?: string;
          revokes?: readonly string[];
          while_parent_accepts?: true;
        };
      };
    };
    /** The states in which the fields can be changed. By default all. */
    editable?: readonly string[];
    /** The roles of callers in a record, besides owner, everyone and client. */
    roles?: {
      [name: string]: {
        invited_by?: readonly string[];
        /** A whole number. */
        max?: number;
        /** A whole number. */
        max_per_user?: number;
        scope?: string;
        parent_roles?: readonly string[];
        previous_owner?: string;
      };
    };
    /** The collection of the parents. At most three levels. */
    parent?: {
      field: string;
      collection: string;
      accepts?: {
        states?: readonly string[];
        before?: string;
      };
      owned_by: "creator" | "parent";
      on_delete: "restrict" | "cascade" | "keep";
      /** A whole number. */
      max?: number;
      capacity?: {
        states: readonly string[];
        field?: string;
        /** A whole number. */
        number?: number;
        overflow?: string;
      };
      counts?: readonly string[] | true;
    };
    /** Who reaches what. */
    access: {
      create?: readonly string[];
      read: "owner" | "everyone" | {
        [name: string]: "all" | readonly string[];
      };
      update?: {
        [name: string]: "all" | readonly string[];
      };
      delete?: {
        [name: string]: "all" | readonly string[];
      };
      clients: "none" | "own" | "any";
      scopes: {
        read: string | null;
        write: string | null;
      };
    };
    /** The values that no two records may share. */
    unique?: readonly {
      fields: readonly string[];
      states?: readonly string[];
    }[];
    /** Whether records name people by alias. */
    aliases?: boolean;
    /** The fields that lists are searched in (?q=): texts, and lists of texts. */
    search?: readonly string[];
    /** Whether readers of a record see its history: what happened, when, and in which role. */
    history?: true;
    /** Whether a change must say which version it changes. */
    concurrency: "optional" | "required";
    /** How much events contain of a record. */
    events: "none" | "thin" | "full";
    /** The collection is deprecated: every answer says so. */
    deprecated?: {
      /** In the format date-time, such as 2026-01-01T08:00:00Z. */
      since: string;
      /** In the format date-time, such as 2026-01-01T08:00:00Z. */
      sunset: string | null;
      /** In the format uri, such as https://example.org/. */
      link: string | null;
    };
    /** Where people write what they are called: a collection, and its field with the name. */
    cards?: {
      collection: string;
      name: string;
    };
    /** The state of a new record. */
    initial?: string;
    limits: {
      /**
       * Records of one caller.
       * A whole number, at least 0.
       */
      per_user: number;
      /**
       * Bytes of the JSON of a record.
       * A whole number, at least 0.
       */
      bytes: number;
      writes: {
        /** A whole number, at least 1. */
        count: number;
        /** A whole number, at least 0. */
        window_seconds: number;
      };
      newcomer: {
        /** A whole number, at least 1. */
        count: number;
        /** A whole number, at least 0. */
        window_seconds: number;
        /** A whole number, at least 0. */
        for_seconds: number;
        [name: string]: unknown;
      } | null;
      /**
       * Seconds from the last change to expiry; null: never.
       * A whole number, at least 0.
       */
      expire_seconds: number | null;
    };
  }[];
  /** The paths of the other endpoints. */
  links: {
    [name: string]: string;
  };
}
