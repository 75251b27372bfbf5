const prefix = '/api/consumer/v1';
const note = JSON.stringify({ text: 'a note of an ordinary length, as somebody would write it', stars: 3 });

function request(line: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`content-length: ${body.length}`];
  return `${line} HTTP/1.1\r\n${['host: a', ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

const bearer = (token: string) => `authorization: Bearer ${token}`;

export const writeRequest = (token: string) =>
  request(`POST ${prefix}/notes`, [bearer(token), 'content-type: application/json'], note);

export const meRequest = (token: string) => request(`GET ${prefix}/me`, [bearer(token)]);

export const listRequest = (token: string) => request(`GET ${prefix}/notes?limit=50`, [bearer(token)]);

export const tokenRequest = ({ id, secret }: { readonly id: string; readonly secret: string }) =>
  request(
    'POST /token',
    [
      `authorization: Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type: application/x-www-form-urlencoded',
    ],
    'grant_type=client_credentials',
  );

export const streamRequest = (token: string) =>
  request(`GET ${prefix}/events`, [bearer(token), 'accept: text/event-stream']);
