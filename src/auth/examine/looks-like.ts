import { maxTokenBytes } from '../compact.ts';

const wantsJwt =
  'Ask the provider for a signed JWT: name this API (API_AUDIENCE) when you ask for the token.';

/** What a text that is no JWT most likely is, and what to send instead. */
export function adviceByLooks(text: string): string {
  const parts = text.split('.');
  if (/^[{[]/.test(text))
    return 'This is JSON, probably the whole answer of a token endpoint. Send the value of its "access_token" alone.';
  if (/\s/.test(text))
    return 'There are blanks or line breaks inside the token, as when it was copied from a narrow window. Copy it in one piece.';
  if (text.length > maxTokenBytes)
    return `The token has ${text.length} bytes, and ${maxTokenBytes} are taken at most. Let the provider put fewer claims (groups, roles) into it.`;
  if (parts.length === 5)
    return `This is a JWE: an encrypted token that only its provider can read. Auth0 issues one when no audience was asked for. ${wantsJwt}`;
  if (text.startsWith('ya29.'))
    return "This is an opaque access token of Google's, which only Google can check. Google issues no access token for an API of your own; put a provider in between that does.";
  if (/^(1\/\/|[01]\.A|v1\.M)/.test(text))
    return 'This looks like a refresh token. Trade it in at the provider for an access token, and send that.';
  if (parts.length === 1)
    return `This is an opaque token: it holds nothing that could be checked here. ${wantsJwt}`;
  if (parts.length === 2 || (parts.length === 3 && parts[2] === ''))
    return 'The signature is missing. Send the token whole.';
  if (parts.length === 3)
    return 'The token has three parts, but one of them is no base64url or not the JSON that it should be: it was cut off or changed on the way.';
  return `This is no JWT. ${wantsJwt}`;
}
