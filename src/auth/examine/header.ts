import { assigned, skipped } from '../../base/finding.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { jsonObject } from '../compact.ts';
import { checkType, readHeader, type TokenHeader } from '../header.ts';
import type { NamedRules } from './issuer.ts';
import { failedStep, judged, type Step, shown, tried } from './step.ts';

/** `algorithms` are those of all issuers: which one is meant is not known yet. A header that is refused is null. */
export function examineHeader(segment: string, algorithms: ReadonlySet<string>, setting: string) {
  const parsed = tried(() => jsonObject(segment));
  if (parsed.code !== null) {
    const step = failedStep('header', parsed.code, {
      expected: 'a JSON object',
      found: 'something else',
      advice: 'The first part of the token is not JSON: it was cut off or changed on the way.',
    });
    return { step, members: {}, header: null };
  }
  const members = parsed.value;
  const { value: header, code } = tried(() => readHeader(members, algorithms));
  const found = `alg ${shown(members.alg)}, kid ${shown(members.kid)}, typ ${shown(members.typ)}`;
  const extensions = ['crit', 'b64'].filter((name) => members[name] !== undefined);
  const step = judged('header', code, found, {
    expected: `alg one of ${[...algorithms].join(', ')}; no "crit", no "b64"`,
    found: [found, ...extensions.map((name) => `"${name}"`)].join(', '),
    advice: headerCause(members, algorithms, setting),
  });
  return { step, members, header };
}

function headerCause(
  { alg, crit, b64, kid }: JsonObject,
  algorithms: ReadonlySet<string>,
  setting: string,
): string {
  if (typeof alg !== 'string' || !algorithms.has(alg)) return algorithmCause(alg, setting);
  if (crit !== undefined || b64 !== undefined) {
    return 'The token demands an extension ("crit" or "b64") that is not supported here. Have it issued without.';
  }
  if (kid !== undefined) return 'The name of the key ("kid") is no text, or longer than 512 characters.';
  return 'The type of the token ("typ") is no text.';
}

const asymmetric = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

function algorithmCause(alg: unknown, setting: string): string {
  if (typeof alg === 'string' && /^HS\d+$/.test(alg)) {
    return `The token is signed with a shared secret (${alg}), and whoever can check such a token can also forge it. Set the provider to RS256 for this API.`;
  }
  if (typeof alg === 'string' && /^none$/i.test(alg)) return 'The token is not signed at all (alg "none").';
  if (typeof alg === 'string' && asymmetric.test(alg)) {
    return `The token is signed with ${alg}, which ${setting} does not name. Add it there, or let the provider sign otherwise.`;
  }
  return `The token is signed with ${shown(alg)}, which is never taken. Let the provider sign with RS256.`;
}

/** Whether its issuer may sign so. */
export function examineAlgorithm(header: TokenHeader | null, issuer: NamedRules): Step {
  if (header === null) return skipped('algorithm', 'the header is refused');
  const { algorithm } = header;
  const code = issuer.algorithms.has(algorithm) ? null : 'algorithm_not_allowed';
  return judged('algorithm', code, algorithm, {
    expected: `one of ${[...issuer.algorithms].join(', ')}`,
    found: algorithm,
    advice: algorithmCause(algorithm, issuer.settings.algorithms),
  });
}

export function examineType({ typ }: JsonObject, { algorithms, requireAtJwt, settings }: NamedRules): Step {
  const [alg] = algorithms;
  const { code } = tried(() => checkType(readHeader({ alg, typ }, algorithms).type, requireAtJwt));
  const found = typ === undefined ? 'no "typ"' : shown(typ);
  const isUsual = typ === undefined || /^(application\/)?jwt$/i.test(String(typ));
  return judged('type', code, found, {
    expected: requireAtJwt ? '"at+jwt"' : '"at+jwt", "JWT" or none',
    found,
    advice: isUsual
      ? `Only tokens that say "typ": "at+jwt" are taken (${settings.requireAtJwt}), and this one does not. Let the provider write it (RFC 9068), or set ${assigned([settings.requireAtJwt, 'false'])}`
      : `This is no access token: its "typ" is ${found}. Send the access token.`,
  });
}
