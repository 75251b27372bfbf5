/** The imports of every program, on one line. */
export const imports = [
  "import { createClient, etagOf, type Operation, Problem, type ProblemOf } from '@vestibule/client';",
  "import { api, assignments, bookings, classes, handins, id, issues, items, notes, posts, tasks } from './api.ts';",
  "import type { Booking, BookingChanges, BookingFields, Collections, Item, Note, TeamPost } from './collections.d.ts';",
].join(' ');

export const api = `import { createClient } from '@vestibule/client';
import type { Collections } from './collections.d.ts';
export const api = createClient<Collections>({ url: 'https://api.example.org', token: async () => 'token' });
export const { notes, bookings, items, 'team-posts': posts, classes, assignments, handins, tasks, issues } = api.collections;
export const id = '01a1de60-ae7f-71eb-b3f4-e2fc41501895';
`;

/** The options of a web page; the declarations are checked, too. */
export function compilerOptions(client: string) {
  return {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    paths: { '@vestibule/client': [client] },
  };
}

export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly code: string;
  /** Includes the continuation lines. */
  readonly message: string;
}

/** Parses the output of tsc. */
export function diagnosticsIn(output: string): readonly Diagnostic[] {
  const form = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*(?:\n +.*)*)$/gm;
  return [...output.matchAll(form)].map(([, file = '', line, code = '', message = '']) => ({
    file,
    line: Number(line),
    code,
    message,
  }));
}

/** The errors that the comments of a program expect. */
export function expectedIn(program: string): readonly Omit<Diagnostic, 'file'>[] {
  return program.split('\n').flatMap((text, index) => {
    const [, code, message] = /\/\/ (TS\d+) (.*)$/.exec(text) ?? [];
    return code === undefined || message === undefined ? [] : [{ line: index + 1, code, message }];
  });
}
