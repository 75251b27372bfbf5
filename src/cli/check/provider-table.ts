import type { Config } from '../../config/settings.ts';
import { table } from '../output.ts';

/** What the entries of IDPS_FILE come to; nothing where the settings themselves say it. */
export function providerTable({ idpsFile, providers }: Config): readonly string[] {
  if (idpsFile === null) return [];
  const rows = providers.map(({ name, issuers, audiences }) => [
    name,
    issuers.join(' or '),
    audiences.join(' or '),
  ]);
  return [table(['PROVIDERS', 'ISSUER', 'AUDIENCE'], rows), ''];
}
