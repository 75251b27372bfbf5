import { isHttpsOrLoopback } from '../base/loopback.ts';
import { type Parse, visibleText } from './kinds.ts';
import { readTextFile } from './text-file.ts';

/** What the members of several parts of an entry of IDPS_FILE are. */

/** What people read, and nothing is compared with. Where Hebrew or Arabic meets other letters it needs marks of direction. */
export const readableText: Parse<string> = (value) => {
  visibleText(value.replaceAll(/[\u061c\u200e\u200f]/g, ''));
  return value;
};

/** An address of a provider to which a secret goes. */
export const endpointUrl: Parse<string> = (value) => {
  const url = URL.parse(value);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new Error('must be a URL without user and fragment, such as https://login.example.org/path');
  if (!isHttpsOrLoopback(url.origin)) throw new Error('must be https, because a secret is sent there');
  return value;
};

/** What stands in a file. */
export function secretIn(path: string): string {
  const secret = textOf(path).trim();
  if (secret === '') throw new Error('must name a file with a secret in it, and it is empty');
  return secret;
}

function textOf(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new Error(`must name a file with a secret in it, and it ${(error as Error).message}`);
  }
}
