import type { ExaminedProvider, PublishedKeys } from '../../auth/examine/provider.ts';
import { roughDuration } from '../../base/duration.ts';
import { doubtful, type Finding, failed, passed, quoted, skipped } from '../../base/finding.ts';
import type { Provider } from '../../config/providers.ts';
import { fetchAdvice } from './fetch-advice.ts';

/** Whether a token could be verified with what the provider publishes where the settings say. */
export function keysFinding(provider: Provider, keys: ExaminedProvider['keys']): Finding {
  const name = 'keys';
  const { jwksUrl: url, settings } = provider;
  if ('fault' in keys) {
    const isUseless = keys.fault === 'no_usable_keys';
    return failed(name, {
      expected: `a usable key at ${url}`,
      found: keys.detail,
      advice: isUseless
        ? uselessKeys(keys.detail, settings)
        : fetchAdvice(keys.detail, `${settings.origin} and ${settings.jwksPath}`),
    });
  }
  const found = `${keys.usable.length} usable (${keys.usable.map(described).join('; ')})${leftOut(keys)}`;
  if (!keys.leftOut.some(({ isAlarming }) => isAlarming)) return passed(name, found);
  return doubtful(name, {
    expected: 'no key that nobody should use',
    found,
    advice: 'Whoever runs the provider should withdraw them. The service uses the others only.',
  });
}

function uselessKeys(detail: string, settings: Provider['settings']): string {
  return detail.includes('algorithm_not_allowed')
    ? `The keys are for other algorithms than ${settings.algorithms} names: add those of the provider.`
    : `Check ${settings.jwksPath}: what is published there are no keys that a token could be verified with.`;
}

function described({ kid, algorithms }: PublishedKeys['usable'][number]): string {
  return `${quoted(kid)} for ${algorithms.join(', ')}`;
}

function leftOut({ leftOut: keys }: PublishedKeys): string {
  if (keys.length === 0) return '';
  return `; ${keys.length} left out: ${keys.map(({ kid, fault }) => `${quoted(kid)} (${fault})`).join(', ')}`;
}

/** Of which verification takes five in either direction. */
const toleratedSeconds = 5;
const noticeableSeconds = 2;

export function clockFinding({ aheadSeconds }: ExaminedProvider): Finding {
  const name = 'clock';
  if (aheadSeconds === null) return skipped(name, 'the provider does not tell the time');
  const distance = Math.abs(aheadSeconds);
  const found = `ours is ${roughDuration(distance)} ${aheadSeconds > 0 ? 'behind' : 'ahead of'} the provider's`;
  const trouble = {
    expected: `less than ${noticeableSeconds} s between our clock and the provider's`,
    found,
    advice: 'Let this machine set its clock by the network (NTP): tokens are judged by it.',
  };
  if (distance > toleratedSeconds) return failed(name, trouble);
  if (distance > noticeableSeconds) return doubtful(name, trouble);
  return passed(name, `agrees with the provider's to ${distance.toFixed(1)} s`);
}
