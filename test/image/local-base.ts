import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { installProgram } from '../support/packages/packages.ts';
import { findProgram } from '../support/run/programs.ts';
import type { Engine } from './engine.ts';

const run = promisify(execFile);

/** The line of npm that Node.js 26 comes with. */
const npm = 'npm@11';

/**
 * An image like node:26-bookworm-slim from Debian packages and from Node.js and npm of the registry, for a machine that
 * cannot pull. It has a name of its own, so that no other build takes it for the public one. The engine keeps it.
 */
export async function makeLocalBase(engine: Engine, from: string, folder: string): Promise<string> {
  // Podman puts images without a registry there. Docker would ask one of that name.
  const registry = engine.name === 'podman' ? 'localhost/' : '';
  const base = `${registry}vestibule-local-base:${from.replace(/^.*:/, '')}`;
  const isThere = await engine.ask('image', 'inspect', base).then(
    () => true,
    () => false,
  );
  if (isThere) return base;
  const [, suite = ''] = /-(\w+)-slim$/.exec(from) ?? [];
  if (suite === '')
    throw new Error(`${from} names no suite of Debian; expected node:<version>-<suite>-slim.`);
  const local = `${folder}/usr-local`;
  await fillUsrLocal(local);
  const archive = `${folder}/base.tar`;
  const options = [
    ...['--variant=essential', '--dpkgopt=force-unsafe-io', '--include=libatomic1,libstdc++6'],
    `--customize-hook=sync-in ${local} /usr/local`,
    '--customize-hook=echo "node:x:1000:1000::/home/node:/bin/sh" >> "$1/etc/passwd"',
    '--customize-hook=echo "node:x:1000:" >> "$1/etc/group"',
  ];
  const maxBuffer = 64 * 1024 * 1024;
  await run(await findProgram('mmdebstrap'), [...options, suite, archive], { maxBuffer });
  await engine.ask('import', archive, base);
  return base;
}

/** Node.js and npm of the registry, with the registry and the certificates of this machine. */
async function fillUsrLocal(folder: string): Promise<void> {
  await run('npm', ['install', '--global', '--prefix', folder, '--ignore-scripts', npm]);
  const major = Number.parseInt(process.versions.node, 10);
  const node = await installProgram(`node-${process.platform}-${process.arch}`, major, `${folder}-node`);
  copyFileSync(`${node}/bin/node`, `${folder}/bin/node`);
  copyFileSync(`${node}/LICENSE`, `${folder}/LICENSE`);
  const configured = async (name: string) =>
    (await run('npm', ['config', 'get', name])).stdout.trim().replace(/^null$/, '');
  const lines = [`registry=${await configured('registry')}`];
  const certificates = (await configured('cafile')) || process.env.NODE_EXTRA_CA_CERTS;
  if (certificates !== undefined) {
    copyFileSync(certificates, `${folder}/certificates.pem`);
    lines.push('cafile=/usr/local/certificates.pem');
  }
  mkdirSync(`${folder}/etc`, { recursive: true });
  writeFileSync(`${folder}/etc/npmrc`, `${lines.join('\n')}\n`);
}
