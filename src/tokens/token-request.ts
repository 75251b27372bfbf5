import type { Input } from '../base/handler.ts';
import { readForm } from './form-request.ts';
import { readJson } from './json-request.ts';
import type { TokenRequest } from './request-types.ts';

const formType = /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset=(?:"utf-8"|utf-8))?[ \t]*$/i;

/** A form is standard OAuth (RFC 6749); everything else is held to what the specification says of JSON. */
export function readTokenRequest(input: Input): TokenRequest {
  return formType.test(input.contentType ?? '') ? readForm(input) : readJson(input);
}
