import { maxTokenBytes } from '../compact.ts';

/**
 * RFC 6749 section 10.10 wants tokens that cannot be guessed. 128 random bits do not fit into fewer characters than
 * this, so that whatever is shorter is nobody's.
 */
const shortestOpaque = 20;

/** How `{"` begins in base64, and so the header of every JWT and every encrypted one. */
const jsonStart = 'eyJ';

/**
 * Whether a bearer token is to be asked about. What begins as a JWT does (`{"`, encoded) or has three parts is one, whole,
 * damaged or in disguise, and is never sent to anybody; garbage that nobody can have issued is not worth a question. Its
 * characters are those of a bearer token already.
 */
export function isOpaque(token: string): boolean {
  if (token.length < shortestOpaque || token.length > maxTokenBytes) return false;
  if (token.startsWith(jsonStart)) return false;
  const firstDot = token.indexOf('.');
  if (firstDot === -1) return true;
  const secondDot = token.indexOf('.', firstDot + 1);
  return secondDot === -1 || token.indexOf('.', secondDot + 1) !== -1;
}
