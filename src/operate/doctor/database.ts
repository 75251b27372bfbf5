import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { deriveKeyring, type Keyring, masterSecretFits } from '../../auth/keyring.ts';
import { counted } from '../../base/counted.ts';
import { OperatorError } from '../../base/errors.ts';
import { accessTo } from '../../base/file-access.ts';
import { doubtful, type Finding, failed, passed, quoted, skipped } from '../../base/finding.ts';
import { createKeyedDigest } from '../../base/keyed-digest.ts';
import { storedDeclarations } from '../../collections/declaration.ts';
import { familiesOf } from '../../collections/lineage.ts';
import { webhookEgress } from '../../compose/administration.ts';
import { type ListedWebhook, listedWebhooks } from '../../compose/lists.ts';
import { readDatabase } from '../../compose/read-storage.ts';
import { readMasterSecret } from '../../config/files.ts';
import type { Config } from '../../config/settings.ts';
import { EgressError } from '../../events/webhooks/egress.ts';
import type { Storage } from '../../storage/port.ts';
import { UnreleasedSchema } from '../../storage/schema-state.ts';
import type { FoundStorage } from '../../storage/storage.ts';
import { createClientMac } from '../../tokens/client-directory.ts';
import { verdictsOn } from '../check.ts';
import { connectionAdvice } from '../examine/advice.ts';

type Ready = Extract<FoundStorage, { state: 'ready' }>;
type OtherVersion = Extract<FoundStorage, { state: 'other_version' }>;

/** Checks the database, its schema and its data without changing anything. `areDeclared`: the collections can be read. */
export function databaseFindings(config: Config, areDeclared: boolean): Promise<readonly Finding[]> {
  const { databaseUrl } = config;
  const kind = databaseUrl.engine === 'sqlite' ? `SQLite file "${databaseUrl.file}"` : 'PostgreSQL';
  const secret = secretFinding(config);
  const skipAfter = (checks: number, reason: string) =>
    all.slice(checks).map((name) => skipped(name, reason));
  if (secret.result === 'fail') return Promise.resolve([secret, ...skipAfter(1, secretFirst)]);
  return readDatabase(config, async (found): Promise<readonly Finding[]> => {
    const answers = passed('database', `${kind} answers`);
    if (found.state === 'absent')
      return [secret, passed('database', `${kind} will be made at the first start`)];
    if (found.state === 'unusable') {
      const advice = found.advice ?? connectionAdvice(found.detail, 'DATABASE_URL');
      const fault = failed('database', { expected: answers.found, found: found.detail, advice });
      return [secret, fault, ...skipAfter(2, 'the database does not answer')];
    }
    return found.state === 'ready'
      ? readyFindings(config, found, secret, answers, areDeclared)
      : [secret, answers, schemaFinding(found), ...skipAfter(3, 'fix the schema first')];
  }).catch((error: unknown) => {
    if (!(error instanceof UnreleasedSchema)) throw error;
    const advice = 'See "Upgrade and roll back" in docs/operations.md.';
    return [
      secret,
      failed('schema', { found: error.message, advice }),
      ...skipAfter(3, 'fix the schema first'),
    ];
  });
}

const all = ['master secret', 'database', 'schema', 'records', 'clients'];
const secretFirst = 'fix the master secret first';

function secretFinding(config: Config): Finding {
  const name = 'master secret';
  const { masterSecret, masterSecretFile, databaseUrl } = config;
  const access = databaseUrl.engine === 'sqlite' ? accessTo(databaseUrl.file).state : 'readable';
  if (access !== 'readable' && masterSecret === null && masterSecretFile === null)
    return access === 'absent'
      ? passed(name, 'will be made beside the database at the first start')
      : skipped(name, 'fix the access to the database first');
  try {
    readMasterSecret(config);
    // A group may read the file: that is how a service reads a file of another user.
    if (masterSecretFile === null || (statSync(masterSecretFile).mode & 0o007) === 0)
      return passed(name, 'can be read');
    return doubtful(name, {
      expected: 'a file that only the user of the service can read',
      found: `every user of this machine can open the file ${quoted(masterSecretFile)} (MASTER_SECRET_FILE)`,
      advice: `Run: chmod o= ${quoted(masterSecretFile)}`,
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const advice = 'See docs/runbooks.md for what can still be done ("The master secret is lost").';
    return failed(name, { found: error.message, advice });
  }
}

const otherSecret = failed('master secret', {
  expected: 'the master secret that the database was made with',
  found: 'another',
  advice:
    'Set MASTER_SECRET or MASTER_SECRET_FILE to that secret, or DATABASE_URL to the database of this secret.',
});

async function readyFindings(
  config: Config,
  { storage, plan, missingRights }: Ready,
  secret: Finding,
  database: Finding,
  areDeclared: boolean,
): Promise<readonly Finding[]> {
  const keyring = deriveKeyring(readMasterSecret(config));
  const fits = await masterSecretFits(storage.documents, keyring);
  const readable =
    secret.result === 'warn' ? secret : passed(secret.name, 'is the one that the database was made with');
  const verdicts = areDeclared ? await verdictsOn(config, storage, keyring) : null;
  const clientMac = createClientMac(keyring.clients);
  const foreign = (await storage.clients.list()).filter((client) => !clientMac.isGenuine(client));
  const rights = {
    expected: 'a database role that can also write',
    found: `the service can read, but not serve: ${missingRights?.found}`,
    advice: missingRights?.advice ?? '',
  };
  return [
    fits ? readable : otherSecret,
    database,
    passed('schema', readySchema(plan)),
    ...(missingRights === null ? [] : [failed('rights', rights)]),
    recordsFinding(verdicts),
    fits ? clientsFinding(foreign) : skipped('clients', secretFirst),
    ...(fits ? await tallyFindings(storage, keyring) : []),
    ...((await storage.records.copiesLeft()) === 'erasures' ? [scrubFinding] : []),
    ...(fits ? await webhookFindings(config, storage, keyring) : []),
  ];
}

function readySchema({ version, newest, verdict }: Ready['plan']): string {
  if (version > newest)
    return `version ${version}, of a newer release; this release knows versions up to ${newest} and may run beside it`;
  const contract = '; when no process of an older release runs, run "npx vestibule migrate --contract"';
  return `version ${version}, the newest${verdict === 'contract' ? contract : ''}`;
}

function schemaFinding({ isTooNew, plan, missingRights }: OtherVersion): Finding {
  const { version, newest, verdict } = plan;
  const found = `version ${version}`;
  if (isTooNew) {
    const advice = 'A newer release has migrated it. Start a release at least as new as that one.';
    return failed('schema', { expected: `version ${newest} or less`, found, advice });
  }
  if (missingRights !== null)
    return failed('schema', {
      expected: `a role that can bring the schema to version ${newest}`,
      ...missingRights,
    });
  if (version === 0)
    return passed('schema', `the database is empty; the next start brings it to version ${newest}`);
  return passed('schema', `${found}; the next start brings it to version ${newest} (${verdict})`);
}

function recordsFinding(verdicts: Awaited<ReturnType<typeof verdictsOn>> | null): Finding {
  const name = 'records';
  if (verdicts === null) return skipped(name, 'fix the collections first');
  const breaking = verdicts.filter(({ verdict }) => verdict === 'breaking');
  if (breaking.length === 0) return passed(name, 'all stored records fit the declared collections');
  return failed(name, {
    expected: 'records that fit the declared collections',
    found: breaking.map(({ sentence }) => sentence).join('; '),
    advice:
      'Change the declarations so that the records fit, or start once with "npx vestibule serve --allow-breaking-schemas".',
  });
}

const maxNamed = 20;

function clientsFinding(foreign: readonly { readonly id: string }[]): Finding {
  if (foreign.length === 0) return passed('clients', 'all were written by this service');
  const ids = foreign.slice(0, maxNamed).map(({ id }) => quoted(id));
  return failed('clients', {
    expected: 'clients that were written by this service',
    found: ids.join(', '),
    advice:
      'They were changed in the database without the master secret, so the service ignores them. Find out who changed them, then remove each with "npx vestibule client remove <id> --yes" and add it again.',
  });
}

/** Recounts the records under their parents, if a parent shows or limits their number. */
async function tallyFindings(
  { records, documents }: Ready['storage'],
  keyring: Keyring,
): Promise<readonly Finding[]> {
  const stored = await storedDeclarations(documents, createKeyedDigest(keyring.declarations)).load();
  const families = familiesOf([...stored.values()]).filter(({ isTallied }) => isTallied);
  if (families.length === 0) return [];
  const wrong = await records.recount(families);
  if (wrong.length === 0) return [passed('counts', 'the tallies of records under parents are right')];
  const named = wrong
    .slice(0, maxNamed)
    .map(({ collection, id, child }) => `${child} under ${collection}/${id}`);
  return [
    doubtful('counts', {
      expected: 'tallies that equal the number of records under each parent',
      found: `wrong: ${named.join(', ')}`,
      advice:
        'Writes during the check can be the cause: run it again. Otherwise change a declaration, for example its title, and start the service: it then counts again. If no other program has changed the database, this is a bug of Vestibule: please report it.',
    }),
  ];
}

const scrubFinding = doubtful('erased callers', {
  expected: 'no copies of their records left in the database file',
  found: 'a caller was erased since the file was last rewritten',
  advice:
    '"serve" rewrites a small file within the hour. For a large one run "npx vestibule scrub" at a time when writes may wait.',
});

/** Warns if every user of the machine can replace the database and its master secret in this folder. */
export function dataFolderFindings({ databaseUrl }: Config): readonly Finding[] {
  if (databaseUrl.engine !== 'sqlite') return [];
  const folder = dirname(databaseUrl.file);
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o002) === 0) return [];
  return [
    doubtful('data folder', {
      expected: 'a folder that only the user of the service can write to',
      found: `every user of this machine can write to the folder ${quoted(folder)} (DATABASE_URL)`,
      advice: `Run: chmod o-w ${quoted(folder)}`,
    }),
  ];
}

const name = 'webhooks';

/** Checks that each webhook is an allowed target and that its receiver works. Sends nothing. */
async function webhookFindings(config: Config, storage: Storage, keyring: Keyring) {
  const egress = webhookEgress(config);
  const webhooks = await listedWebhooks(storage, keyring);
  return Promise.all(
    webhooks.map(async (webhook) => {
      const fault = await egress.check(webhook.url).then(
        () => null,
        (error: unknown) => {
          if (error instanceof EgressError) return error.message;
          throw error;
        },
      );
      return webhookFinding(webhook, fault);
    }),
  );
}

function webhookFinding(webhook: ListedWebhook, fault: string | null): Finding {
  const { id, isGenuine, state, disabledBecause, failingSince, lastFailure, lastSuccessAt, dead } = webhook;
  if (!isGenuine)
    return failed(name, {
      expected: 'a webhook that was written by this service',
      found: `${id} is not genuine`,
      advice: `It was changed in the database without the master secret, so the service sends nothing to it. Find out who changed it, then remove it with "npx vestibule webhook remove ${id} --yes" and add it again.`,
    });
  if (state === 'disabled')
    return doubtful(name, {
      found: `${id} is disabled (${disabledBecause})`,
      advice: `When its receiver works again, run "npx vestibule webhook enable ${id}"; or remove it.`,
    });
  if (fault !== null) return failed(name, { found: `nothing can be sent to ${id}`, advice: fault });
  if (failingSince !== null)
    return doubtful(name, {
      expected: `a receiver of ${id} that accepts deliveries`,
      found: `deliveries have failed since ${new Date(failingSince).toISOString()} (${lastFailure})`,
      advice: `Test it with "npx vestibule webhook test ${id}". After five days it is disabled.`,
    });
  if (dead > 0)
    return doubtful(name, {
      found: `${id} has ${counted(dead, 'dead letter')}`,
      advice: `When its receiver works again, run "npx vestibule webhook replay ${id} --dead".`,
    });
  const success = lastSuccessAt === null ? 'never' : new Date(lastSuccessAt).toISOString();
  return passed(name, `${id} has an allowed address; last success: ${success}`);
}
