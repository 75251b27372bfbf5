import { readFileSync } from 'node:fs';
import type { Engine } from './engine.ts';
import { makeLocalBase } from './local-base.ts';

const dockerfile = 'deploy/docker/Dockerfile';

export const [, publicBase = ''] = /^FROM (?:--\S+ )?(\S+) AS /m.exec(readFileSync(dockerfile, 'utf8')) ?? [];

export async function buildImage(engine: Engine, base: 'public' | 'local', folder: string): Promise<string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const local = base === 'local' ? await makeLocalBase(engine, publicBase, folder) : null;
  const image = `vestibule:${version}`;
  await engine.build(image, dockerfile, publicBase, local);
  return image;
}
