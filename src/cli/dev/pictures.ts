import { readFileSync } from 'node:fs';
import type { Provider } from 'oidc-provider';

const prefix = '/pictures/';
const drawing = readFileSync(new URL('../../../web/provider/picture.svg', import.meta.url), 'utf8');

export function pictureAddress(issuer: string, accountId: string): string {
  return `${issuer}${prefix}${encodeURIComponent(accountId)}`;
}

/** Frontends may show the pictures. The colour follows from the name. */
export function addPictures(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (ctx.method !== 'GET' || !ctx.path.startsWith(prefix)) return next();
    ctx.type = 'image/svg+xml';
    ctx.set({
      'Cache-Control': 'public, max-age=300',
      'Content-Security-Policy': "default-src 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    const name = ctx.path.slice(prefix.length);
    const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
    ctx.body = drawing.replaceAll('HUE', String(hue));
  });
}
