import { hash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { stringify } from 'yaml';
import { ApiCaller } from '../support/http/api-caller.ts';
import { Person } from '../support/people/person.ts';
import {
  type DatabaseEngine,
  newSettings,
  type Service,
  type Settings,
} from '../support/services/service.ts';
import type { Claims, TestProvider } from '../support/tokens/provider.ts';

/** Test data: everybody can derive it, so what a released database seals with it is public. */
const masterSecret = hash('sha512', 'Vestibule release test', 'base64');

/** Of all people: pseudonyms depend on it, and the provider of each run has another port. */
export const issuer = 'https://people.example';

export const people = ['ada', 'bob', 'cat', 'dan', 'eve', 'gus'] as const;
export type Name = (typeof people)[number];

/** Settings under which every recording and every later start of it has the same secret, issuer and names. */
export async function stageSettings(
  engine: DatabaseEngine,
  provider: TestProvider,
  collections: string,
): Promise<Settings> {
  const settings = await newSettings(engine, {});
  const file = `${settings.TEST_DIRECTORY}/providers.yaml`;
  writeFileSync(file, stringify([{ name: 'main', origin: provider.origin, issuer, jwks_path: '/jwks' }]));
  return {
    ...settings,
    COLLECTIONS_DIR: collections,
    IDPS_FILE: file,
    MASTER_SECRET: masterSecret,
    WEBHOOK_ALLOW: 'loopback',
    READS_PER_MINUTE: '1000000',
    REFUSALS_PER_MINUTE: '1000000',
  };
}

/** A person with a new token, at the time of the provider. */
export async function person(
  { url }: Pick<Service, 'url'>,
  provider: TestProvider,
  name: string,
  claims: Claims = {},
): Promise<Person> {
  const token = await provider.token({ iss: issuer, sub: `release|${name}`, ...claims });
  return new Person(new ApiCaller(url, token));
}

/** The files of a folder as the loader of declarations takes them; parents before their children. */
export function declarationFiles(folder: string) {
  return globSync(`${folder}/*.yaml`)
    .sort()
    .map((path) => ({ name: basename(path, '.yaml'), path, text: readFileSync(path, 'utf8') }));
}
