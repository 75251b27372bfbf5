import { statSync } from 'node:fs';
import type { DatabaseNow } from '../../app/doctor.ts';
import { OperatorError } from '../../base/errors.ts';
import { accessTo } from '../../base/file-access.ts';
import { doubtful, type Finding, failed, passed, quoted, skipped } from '../../base/finding.ts';
import { readMasterSecret } from '../../config/files.ts';
import type { Config } from '../../config/settings.ts';

type OtherVersion = Extract<DatabaseNow, { state: 'other_version' }>;

/** Is it there, is it ours, and does it open with our secret? `areDeclared`: the collections can be read. */
export async function examineDatabase(config: Config, areDeclared: boolean): Promise<readonly Finding[]> {
  const secret = readSecret(config);
  if (secret?.result === 'fail') {
    const others = ['database', 'schema', 'records', 'clients'];
    return [secret, ...others.map((name) => skipped(name, 'the master secret comes first'))];
  }
  const { inspectDatabase } = await import('../../app/doctor.ts');
  const now = await inspectDatabase(config, areDeclared);
  return [secretFinding(now, secret), ...databaseFindings(config, now)];
}

/** Null where the first start will make one, and where the database and what is beside it are not for this user. */
function readSecret(config: Config): Finding | null {
  const { masterSecret, masterSecretFile, databaseUrl } = config;
  const isThere = databaseUrl.engine !== 'sqlite' || accessTo(databaseUrl.file).state === 'readable';
  if (!isThere && masterSecret === null && masterSecretFile === null) return null;
  try {
    readMasterSecret(config);
    if (masterSecretFile !== null && isForEverybody(masterSecretFile)) return readByOthers(masterSecretFile);
    return passed('master secret', 'can be read');
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return failed('master secret', {
      found: error.message,
      advice: 'docs/runbooks.md tells what can still be done ("The master secret is lost").',
    });
  }
}

/** A group may read it: that is how a service has a file that somebody else owns. */
function isForEverybody(file: string): boolean {
  return (statSync(file).mode & 0o007) !== 0;
}

function readByOthers(file: string): Finding {
  return doubtful('master secret', {
    expected: 'to be for the user of the service alone',
    found: `every user of this machine may open the file ${quoted(file)} (MASTER_SECRET_FILE)`,
    advice: `Run: chmod o= ${quoted(file)}`,
  });
}

function secretFinding(now: DatabaseNow, read: Finding | null): Finding {
  if (read === null && now.state === 'unusable') return skipped('master secret', 'the database comes first');
  if (read === null) return passed('master secret', 'will be made beside the database at the first start');
  if (now.state !== 'ready') return read;
  if (now.masterSecretFits && read.result === 'warn') return read;
  if (now.masterSecretFits) return passed('master secret', 'is the one that the database was made with');
  return failed('master secret', {
    expected: 'the one that the database was made with',
    found: 'another',
    advice:
      'Set MASTER_SECRET or MASTER_SECRET_FILE to that one, or DATABASE_URL to the database that belongs to this one.',
  });
}

function databaseFindings({ databaseUrl }: Config, now: DatabaseNow): readonly Finding[] {
  const kind = databaseUrl.engine === 'sqlite' ? `SQLite file "${databaseUrl.file}"` : 'PostgreSQL';
  switch (now.state) {
    case 'absent':
      return [passed('database', `${kind} will be made at the first start`)];
    case 'unusable':
      return [
        failed('database', {
          expected: `${kind} answers`,
          found: now.detail,
          advice: now.advice ?? databaseAdvice(now.detail),
        }),
        ...['schema', 'records', 'clients'].map((name) => skipped(name, 'the database does not answer')),
      ];
    case 'other_version':
      return [
        passed('database', `${kind} answers`),
        schemaFinding(now),
        ...['records', 'clients'].map((name) => skipped(name, 'the schema comes first')),
      ];
    case 'ready':
      return [
        passed('database', `${kind} answers`),
        passed('schema', readySchema(now.plan)),
        ...(now.missingRights === null ? [] : [rightsFinding(now.missingRights)]),
        recordsFinding(now.breaking),
        clientsFinding(now),
        ...(now.isScrubDue ? [scrubFinding] : []),
      ];
  }
}

const scrubFinding = doubtful('erased callers', {
  expected: 'no copies of their records left in the database file',
  found: 'somebody was erased since the file was last written anew',
  advice:
    'A small file is written anew within the hour. For a large one run "npx vestibule scrub" when it is no trouble that writes wait.',
});

function databaseAdvice(detail: string): string {
  if (/ECONNREFUSED/.test(detail))
    return 'Nobody listens there. Start the database, or check host and port in DATABASE_URL.';
  if (/ENOTFOUND|EAI_AGAIN/.test(detail)) return 'There is no such host. Check DATABASE_URL.';
  if (/28P01|28000/.test(detail))
    return 'The database does not know this user or password. Check DATABASE_URL.';
  if (/3D000/.test(detail))
    return 'The server has no such database. Create it, or check the name in DATABASE_URL.';
  if (/not an SQLite database/.test(detail)) return 'The file is something else. Check DATABASE_URL.';
  if (/locked|busy/.test(detail)) return 'Another program holds it. Stop that one.';
  return 'Check DATABASE_URL, and whether this user may open it.';
}

type Plan = OtherVersion['plan'];

function readySchema({ version, newest, verdict }: Plan): string {
  if (version > newest)
    return `version ${version}, of a newer release; this one, which knows versions up to ${newest}, may run beside it`;
  const contract = '; when no process of an older release runs, "npx vestibule migrate --contract"';
  return `version ${version}, the newest${verdict === 'contract' ? contract : ''}`;
}

function schemaFinding({ isTooNew, plan, missingRights }: OtherVersion): Finding {
  const { version, newest, verdict } = plan;
  if (isTooNew)
    return failed('schema', {
      expected: `version ${newest} or less`,
      found: `version ${version}`,
      advice: 'A newer release has migrated it. Start a release at least as new as that one.',
    });
  if (missingRights !== null) {
    const expected = `a role that can bring the schema to version ${newest}`;
    return failed('schema', { expected, ...missingRights });
  }
  if (version === 0)
    return passed('schema', `the database is empty; the next start brings it to version ${newest}`);
  if (verdict === 'stop first')
    return doubtful('schema', {
      expected: `version ${newest}`,
      found: `version ${version}`,
      advice:
        'Processes of an older release cannot go on beside it: see "npx vestibule migrate --plan" before anything of this release is started.',
    });
  return passed('schema', `version ${version}; the next start brings it to version ${newest} (${verdict})`);
}

function rightsFinding({ found, advice }: NonNullable<OtherVersion['missingRights']>): Finding {
  return failed('rights', {
    expected: 'a role that can also write',
    found: `can look, cannot serve: ${found}`,
    advice,
  });
}

function clientsFinding({
  masterSecretFits,
  foreignClients,
}: Extract<DatabaseNow, { state: 'ready' }>): Finding {
  const name = 'clients';
  if (!masterSecretFits) return skipped(name, 'the master secret comes first');
  if (foreignClients.length === 0) return passed(name, 'all were written by this service');
  return failed(name, {
    expected: 'clients that were written by this service',
    found: foreignClients.slice(0, mostNamed).map(quoted).join(', '),
    advice:
      'Somebody without the master secret has changed them in the database, and they are ignored. Find out who; then remove each with "npx vestibule client remove <id> --yes" and add it again.',
  });
}

const mostNamed = 20;

function recordsFinding(breaking: readonly string[] | null): Finding {
  const name = 'records';
  if (breaking === null) return skipped(name, 'the collections come first');
  if (breaking.length === 0) return passed(name, 'those that exist fit the declared collections');
  return failed(name, {
    expected: 'records that fit the declared collections',
    found: breaking.join('; '),
    advice: 'Declare what fits, or start once with "npx vestibule serve --allow-breaking-schemas".',
  });
}
