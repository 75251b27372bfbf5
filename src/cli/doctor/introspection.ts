import { type Finding, failed, passed } from '../../base/finding.ts';
import { withoutSecrets } from '../../base/without-password.ts';
import type { Provider } from '../../config/providers.ts';
import { fetchAdvice } from './fetch-advice.ts';

/** Whether a provider that is asked about opaque tokens answers; nothing where none is. */
export async function examineIntrospection({ name, introspection }: Provider): Promise<readonly Finding[]> {
  if (introspection === null) return [];
  const url = withoutSecrets(introspection.url);
  const { inspectIntrospection } = await import('../../app/doctor.ts');
  const answer = await inspectIntrospection(introspection);
  const expected = `"active": false about a made-up token, from ${url}`;
  const member = `"introspection" of "${name}" in IDPS_FILE`;
  if ('message' in answer) {
    const { message: found, status } = answer;
    const advice = adviceFor(status, member) ?? fetchAdvice(found, `"url" of ${member}`);
    return [failed('introspection', { expected, found, advice })];
  }
  if (!answer.isActive)
    return [passed('introspection', `${url} says of a made-up token that it is not active`)];
  const advice = `Whatever is there takes every token for good, and so everybody would come in. Check "url" of ${member}.`;
  return [failed('introspection', { expected, found: '"active": true', advice })];
}

/** Where it differs from what is to be done about keys that cannot be had. */
function adviceFor(status: number | null, member: string): string | null {
  if (status === 401 || status === 403)
    return `The provider does not take the client for who it says it is, or lets it ask nothing. Check "client_id" and "client_secret_file" of ${member}, and what the client may do there.`;
  if (status !== null && status >= 300 && status < 400)
    return `It sends us elsewhere, and no token is sent where somebody sends us. Set "url" of ${member} to the final address.`;
  return null;
}
