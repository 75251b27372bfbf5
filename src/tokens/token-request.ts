import { isForm } from '../base/form.ts';
import type { Input } from '../base/handler.ts';
import { readForm } from './form-request.ts';
import { readJson } from './json-request.ts';
import type { TokenRequest } from './request-types.ts';

/** A form is standard OAuth (RFC 6749); everything else is held to what the specification says of JSON. */
export function readTokenRequest(input: Input): TokenRequest {
  return isForm(input.contentType) ? readForm(input) : readJson(input);
}
