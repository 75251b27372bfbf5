import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { deriveKeyring, type Keyring, masterSecretFits } from '../../auth/keyring.ts';
import { counted } from '../../base/counted.ts';
import { OperatorError } from '../../base/errors.ts';
import { accessTo } from '../../base/files.ts';
import { type Finding, passed, quoted, skipped } from '../../base/finding.ts';
import { createKeyedDigest } from '../../base/keyed-digest.ts';
import { storedDeclarations } from '../../collections/declaration.ts';
import { parentLinksOf } from '../../collections/lineage.ts';
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
import { connectionAdvice, finding } from '../findings.ts';

type Ready = Extract<FoundStorage, { state: 'ready' }>;
type OtherVersion = Extract<FoundStorage, { state: 'other_version' }>;

/** Checks the database, its schema and its data without changing anything. `areDeclared`: the collections can be read. */
export async function databaseFindings(config: Config, areDeclared: boolean): Promise<readonly Finding[]> {
  const { databaseUrl } = config;
  const kind = databaseUrl.engine === 'sqlite' ? `SQLite file "${databaseUrl.file}"` : 'PostgreSQL';
  const secret = secretFinding(config);
  if (secret.result === 'fail') return endedBy(secret);
  return readDatabase(config, async (found): Promise<readonly Finding[]> => {
    if (found.state === 'absent')
      return [secret, passed('database', `${kind} will be made at the first start`)];
    if (found.state === 'unusable') {
      const { detail, advice, fault } = found;
      const facts = { kind, detail, advice: advice ?? connectionAdvice(fault, 'DATABASE_URL') };
      return [secret, ...endedBy(finding('database', 'database_unusable', facts))];
    }
    const answers = passed('database', `${kind} answers`);
    return found.state === 'ready'
      ? readyFindings(config, found, secret, answers, areDeclared)
      : [secret, answers, ...endedBy(schemaFinding(found))];
  }).catch((error: unknown) => {
    if (!(error instanceof UnreleasedSchema)) throw error;
    return [secret, ...endedBy(finding('schema', 'schema_unreleased', { mistake: error.message }))];
  });
}

const checks = ['master secret', 'database', 'schema', 'records', 'clients'];

/** The checks after this one cannot be made. */
function endedBy(last: Finding): readonly Finding[] {
  const others = checks.slice(checks.indexOf(last.name) + 1);
  return [last, ...others.map((name) => skipped(name, `fix the ${last.name} first`))];
}

function secretFinding(config: Config): Finding {
  const name = 'master secret';
  const { masterSecret, masterSecretFile: file, databaseUrl } = config;
  const access = databaseUrl.engine === 'sqlite' ? accessTo(databaseUrl.file).state : 'readable';
  if (access !== 'readable' && masterSecret === null && file === null)
    return access === 'absent'
      ? passed(name, 'will be made beside the database at the first start')
      : skipped(name, 'fix the access to the database first');
  try {
    readMasterSecret(config);
    // A group may read the file: that is how a service reads a file of another user.
    const isExposed = file !== null && (statSync(file).mode & 0o007) !== 0;
    return isExposed ? finding(name, 'secret_exposed', { file: quoted(file) }) : passed(name, 'can be read');
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return finding(name, 'secret_unreadable', { mistake: error.message });
  }
}

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
  return [
    fits ? readable : finding(secret.name, 'secret_foreign', {}),
    database,
    passed('schema', readySchema(plan)),
    ...(missingRights === null ? [] : [finding('rights', 'writes_forbidden', missingRights)]),
    areDeclared
      ? recordsFinding(await verdictsOn(config, storage, keyring))
      : skipped('records', 'fix the collections first'),
    fits ? await clientsFinding(storage, keyring) : skipped('clients', 'fix the master secret first'),
    ...(fits ? await tallyFindings(storage, keyring) : []),
    ...((await storage.records.copiesLeft()) === 'erasures'
      ? [finding('erased callers', 'copies_left', {})]
      : []),
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
  const name = 'schema';
  if (isTooNew) return finding(name, 'schema_newer', { version, newest });
  if (missingRights !== null) return finding(name, 'migration_forbidden', { ...missingRights, newest });
  return passed(
    name,
    version === 0
      ? `the database is empty; the next start brings it to version ${newest}`
      : `version ${version}; the next start brings it to version ${newest} (${verdict})`,
  );
}

function recordsFinding(verdicts: Awaited<ReturnType<typeof verdictsOn>>): Finding {
  const breaking = verdicts.filter(({ verdict }) => verdict === 'breaking');
  if (breaking.length === 0) return passed('records', 'all stored records fit the declared collections');
  const collections = breaking.map(({ sentence }) => sentence).join('; ');
  return finding('records', 'records_breaking', { collections });
}

const maxNamed = 20;

async function clientsFinding({ clients }: Storage, keyring: Keyring): Promise<Finding> {
  const clientMac = createClientMac(keyring.clients);
  const foreign = (await clients.list()).filter((client) => !clientMac.isGenuine(client));
  if (foreign.length === 0) return passed('clients', 'all were written by this service');
  const ids = foreign.slice(0, maxNamed).map(({ id }) => quoted(id));
  return finding('clients', 'clients_foreign', { ids: ids.join(', ') });
}

/** Recounts the records under their parents, if a parent shows or limits their number. */
async function tallyFindings(
  { records, documents }: Ready['storage'],
  keyring: Keyring,
): Promise<readonly Finding[]> {
  const stored = await storedDeclarations(documents, createKeyedDigest(keyring.declarations)).load();
  const links = parentLinksOf([...stored.values()]).filter(({ isTallied }) => isTallied);
  if (links.length === 0) return [];
  const wrong = await records.recount(links);
  if (wrong.length === 0) return [passed('counts', 'the tallies of records under parents are right')];
  const named = wrong
    .slice(0, maxNamed)
    .map(({ collection, recordId, child }) => `${child} under ${collection}/${recordId}`);
  return [finding('counts', 'tallies_wrong', { parents: named.join(', ') })];
}

/** Warns if every user of the machine can replace the database and its master secret in this folder. */
export function dataFolderFindings({ databaseUrl }: Config): readonly Finding[] {
  if (databaseUrl.engine !== 'sqlite') return [];
  const folder = dirname(databaseUrl.file);
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o002) === 0 ? [] : [finding('data folder', 'folder_exposed', { folder: quoted(folder) })];
}

/** Checks that each webhook is an allowed target and that its receiver works. Sends nothing. */
async function webhookFindings(config: Config, storage: Storage, keyring: Keyring) {
  const egress = webhookEgress(config);
  const findings = (await listedWebhooks(storage, keyring)).map(async (webhook) => {
    const fault = await egress.check(webhook.url).then(
      () => null,
      (error: unknown) => {
        if (error instanceof EgressError) return error.message;
        throw error;
      },
    );
    return webhookFinding(webhook, fault);
  });
  return Promise.all(findings);
}

function webhookFinding(webhook: ListedWebhook, fault: string | null): Finding {
  const name = 'webhooks';
  const { id, isGenuine, state, failingSince, lastSuccessAt, dead } = webhook;
  if (!isGenuine) return finding(name, 'webhook_foreign', webhook);
  if (state === 'disabled') return finding(name, 'webhook_disabled', webhook);
  if (fault !== null) return finding(name, 'webhook_forbidden', { id, fault });
  if (failingSince !== null)
    return finding(name, 'webhook_failing', { ...webhook, since: new Date(failingSince).toISOString() });
  if (dead > 0) return finding(name, 'webhook_dead_letters', { id, letters: counted(dead, 'dead letter') });
  const success = lastSuccessAt === null ? 'never' : new Date(lastSuccessAt).toISOString();
  return passed(name, `${id} has an allowed address; last success: ${success}`);
}
