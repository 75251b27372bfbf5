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
    /** By default the name of the file. */
    title: string;
    /** One or two sentences for the reference page. */
    description?: string;
    /** The fields to filter and sort by, besides created_at. They are required, and texts of bounded length, numbers or flags. */
    index: readonly string[];
    /** The states of a record. The first one is the initial state. */
    states?: {
      [name: string]: {
        [name: string]: {
          /** The state that it leads to. */
          to: string;
          /** Who may take it: a role, a list of roles, or "any" for owner and client. */
          by: string | readonly string[];
          /** The fields that only the input of this action sets. "remark?" is optional. */
          sets?: readonly string[];
          /** The fields that it removes. */
          clears?: readonly string[];
          /** The role that it gives to the caller. */
          grants?: string;
          /** The caller chooses who gets the role, among those with this role. The input names an alias: { "member": "per_..." }. */
          chosen_from?: string;
          /** The roles that it takes from all members who have them. */
          revokes?: readonly string[];
          /** Whether the action is possible only while "parent.accepts" holds. */
          while_parent_accepts?: true;
        };
      };
    };
    /** The states in which the fields can be changed. By default all. */
    editable?: readonly string[];
    /** The roles of callers in a record, besides owner, everyone and client. */
    roles?: {
      [name: string]: {
        /** Who may invite others to it. */
        invited_by?: readonly string[];
        /**
         * Members with this role in one record (50).
         * A whole number, 1 to 10000.
         */
        max?: number;
        /**
         * Records in which one person may have it, if an action grants it (100).
         * A whole number, 1 to 10000.
         */
        max_per_user?: number;
        /** Callers whose token has this scope have the role in every record. */
        scope?: string;
        /** Callers with one of these roles in the parent record have the role. */
        parent_roles?: readonly string[];
        /** Only for owner: the role of the former owner after the record was handed over. */
        previous_owner?: string;
      };
    };
    /** The collection of the parents. At most three levels. */
    parent?: {
      /** The name of the field with the id of the parent. The service adds it to the schema. */
      field: string;
      /** The collection of the parents. */
      collection: string;
      /** When records can be created under a parent. By default always. */
      accepts?: {
        /** While the parent is in one of these states. */
        states?: readonly string[];
        /** Before the time in this field of the parent. */
        before?: string;
      };
      /** The owner of a new record: its creator, or the owner of the parent. */
      owned_by: "creator" | "parent";
      /** A parent with records under it cannot be deleted (restrict), is deleted with them (cascade), or without them (keep). */
      on_delete: "restrict" | "cascade" | "keep";
      /**
       * Records under one parent. By default there is no limit.
       * A whole number, 1 to 1000000.
       */
      max?: number;
      /** How many records under one parent can be in some states. */
      capacity?: {
        /** The states in which a record takes a place. */
        states: readonly string[];
        /** The field of the parent that says how many places there are. */
        field?: string;
        /**
         * How many places there are.
         * A whole number, 1 to 1000000.
         */
        number?: number;
        /** The state of a new record if no place is free. Without it: 409 no_capacity. */
        overflow?: string;
      };
      /** A parent shows how many records under it are in these states; true: all. */
      counts?: readonly string[] | true;
    };
    /** Who reaches what. */
    access: {
      /** Who creates records: everyone (default), or roles with a scope or by the parent. */
      create?: readonly string[];
      /** Who reads a record: a role, a list of roles, or roles with states. */
      read: "owner" | "everyone" | {
        [name: string]: "all" | readonly string[];
      };
      /** Who changes the fields: owner (default). */
      update?: {
        [name: string]: "all" | readonly string[];
      };
      /** Who deletes a record: owner (default), or "nobody". */
      delete?: {
        [name: string]: "all" | readonly string[];
      };
      /** Which records machine clients reach: none, their own, or any. */
      clients: "none" | "own" | "any";
      /** The scopes that the token needs. */
      scopes: {
        read: string | null;
        write: string | null;
      };
    };
    /** The values that no two records may share. */
    unique?: readonly {
      /** No two records have the same values of these: owner, parent, or names of required fields. */
      fields: readonly string[];
      /** Only records in these states count. By default all. */
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
