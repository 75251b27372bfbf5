import { doubtful, type Finding, passed } from '../../base/finding.ts';
import { ownIssuer } from '../../config/rules.ts';
import type { Config } from '../../config/settings.ts';

/** Whether a page in a browser may call us. One of our own origin needs no permission. */
export function examineFrontends(config: Config): Finding {
  const name = 'frontends';
  const own = new URL(ownIssuer(config)).origin;
  const others = config.corsOrigins.filter((origin) => origin !== own);
  if (others.length > 0) return passed(name, `${others.join(', ')} may call the API from a browser`);
  if (config.web === 'on' || config.corsOrigins.includes(own)) {
    return passed(name, `pages of ${own} itself, which need no permission`);
  }
  return doubtful(name, {
    expected: 'the origin of a frontend in CORS_ORIGINS',
    found: 'none',
    advice: `Browsers let no page of another origin than ${own} call the API. Set CORS_ORIGINS=https://www.example.org to the origin of yours.`,
  });
}
