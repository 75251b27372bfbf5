import type { Provider } from 'oidc-provider';

const prefix = '/pictures/';

export function pictureAddress(issuer: string, accountId: string): string {
  return `${issuer}${prefix}${encodeURIComponent(accountId)}`;
}

/** Pictures are shown on the pages of frontends, which is what pictures are for. */
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
    ctx.body = picture(ctx.path.slice(prefix.length));
  });
}

/** A bust before a wall. Its colours follow from the name, so that everybody keeps the same ones. */
function picture(name: string): string {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  const wall = `hsl(${hue} 42% 78%)`;
  const coat = `hsl(${(hue + 150) % 360} 38% 34%)`;
  const hair = `hsl(${18 + (hue % 4) * 6} 34% ${18 + (hue % 5) * 8}%)`;
  const skin = `hsl(26 ${38 + (hue % 3) * 6}% ${52 + (hue % 5) * 7}%)`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">
<rect width="96" height="96" fill="${wall}"/>
<path d="M10 96c2-24 18-32 38-32s36 8 38 32z" fill="${coat}"/>
<path d="M40 52h16v13a8 7 0 0 1-16 0z" fill="${skin}"/>
<circle cx="48" cy="40" r="19" fill="${skin}"/>
<path d="M27 42c-3-20 9-29 21-29s25 8 21 29c-3-9-8-13-13-14-9 5-20 5-25 4-2 3-3 6-4 10z" fill="${hair}"/>
</svg>
`;
}
