import type { DocumentedOperation, OpenApiDocument, Operation } from './openapi-types.ts';

/** An operation as a line for the shell that does it. */
export function curl({ path, method, operation }: DocumentedOperation, { servers }: OpenApiDocument): string {
  const url = `${servers[0]?.url ?? ''}${path.replace('{id}', '$ID')}`;
  const [contentType, media] = firstBody(operation) ?? [];
  const isProven = needsProof(operation);
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`,
    ...(isPublic(operation) ? [] : [`-H "Authorization: ${isProven ? 'DPoP' : 'Bearer'} $TOKEN"`]),
    ...(isProven ? ['-H "DPoP: $PROOF"'] : []),
    ...(contentType === undefined ? [] : [`-H "Content-Type: ${contentType}"`]),
    ...(media?.example === undefined ? [] : [`-d ${quoted(JSON.stringify(media.example))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The one that an example is made of. */
export function firstBody({ requestBody }: Operation) {
  return Object.entries(requestBody?.content ?? {})[0];
}

/** Without a token of ours, that is: POST /token has other ways. */
export function isPublic({ security }: Operation): boolean {
  return security.every((way) => !('bearer' in way || 'dpop' in way));
}

/** Whether nothing will do without a DPoP proof. */
export function needsProof({ security }: Operation): boolean {
  return security.length > 0 && security.every((way) => 'dpopProof' in way);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
