import type { OpenApiDocument, Operation } from './openapi-types.ts';

/** An operation as a line for the shell that does it. */
export function curl(document: OpenApiDocument, path: string, method: string, operation: Operation): string {
  const url = `${document.servers[0]?.url ?? ''}${path.replace('{id}', '$ID')}`;
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const parts = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"${url}"`,
    ...(isPublic(operation) ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(contentType === undefined ? [] : [`-H "Content-Type: ${contentType}"`]),
    ...(media?.example === undefined ? [] : [`-d ${quoted(JSON.stringify(media.example))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** Without a token of ours, that is: POST /token has other ways. */
function isPublic({ security }: Operation): boolean {
  return security.every((way) => !('bearer' in way));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
