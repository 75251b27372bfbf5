import type { ExaminedProvider } from '../../auth/examine/provider.ts';
import { assigned, doubtful, type Finding, passed, quoted, skipped } from '../../base/finding.ts';
import type { Provider } from '../../config/providers.ts';
import type { Config } from '../../config/settings.ts';

const name = 'bound tokens';

/**
 * Whether a provider says that it binds tokens to the keys of their senders, where the settings count on it; nothing where
 * they do not. A doubt at most: some do so and do not say it.
 */
export async function examineBinding(
  config: Config,
  { webClientId }: Pick<Provider, 'webClientId'>,
  discovery: ExaminedProvider['discovery'],
): Promise<readonly Finding[]> {
  const isRequired = config.dpop.policy === 'required';
  const ofPage = config.web === 'on' && config.dpop.page && webClientId !== null;
  if (!isRequired && !ofPage) return [];
  if ('fault' in discovery) return [skipped(name, 'there is no discovery document to compare with')];
  const { inspectBinding } = await import('../../app/doctor.ts');
  const { announced, taken } = inspectBinding(discovery.document);
  const common = taken.filter((algorithm) => announced?.includes(algorithm));
  if (common.length > 0) return [passed(name, `by DPoP, with ${common.join(', ')}`)];
  const effect = isRequired
    ? 'DPOP=required refuses every token that is not bound'
    : 'DPOP=page signs nobody in with a token that is not bound';
  return [
    doubtful(name, {
      expected: `"dpop_signing_alg_values_supported" with one of ${taken.join(', ')}`,
      found: announced === null ? 'a discovery document that says nothing of DPoP' : quoted(announced),
      advice: `${effect}. Let the provider bind the tokens for this API to keys, if it does not, or set ${assigned(['DPOP', 'on'])}`,
    }),
  ];
}
