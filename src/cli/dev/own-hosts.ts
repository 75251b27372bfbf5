import type { RequestListener } from 'node:http';

/**
 * Answers only what was asked of one of these names. A page of anywhere can give its own name the address of this machine
 * (DNS rebinding) and is then of one origin with what answers there: it could sign in as anybody and read the tokens. Its
 * name is in the Host header, which no page can change.
 */
export function onlyAtOwnHosts(
  names: readonly string[],
  port: number,
  listener: RequestListener,
): RequestListener {
  // As browsers write it: without the port where it is 80.
  const hosts = new Set(names.map((name) => new URL(`http://${name}:${port}`).host));
  return (request, response) => {
    if (hosts.has(request.headers.host?.toLowerCase() ?? '')) return listener(request, response);
    const text = `This provider answers at ${[...hosts].join(' and ')} only.\n`;
    response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(text);
  };
}
