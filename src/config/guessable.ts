/** Why a secret might be guessed, or null. Nothing of it is in the answer but its length. */
export function whyGuessable(secret: string): string | null {
  const length = `its ${secret.length} characters`;
  if (secret.length * Math.log2(alphabetOf(secret)) < 256) return `${length} are too few`;
  if (repeats(secret)) return `${length} repeat themselves`;
  if (spread(secret) < 160) return `${length} are too much alike`;
  if (isInOrder(secret)) return `${length} follow one another in order`;
  if (readsLikeWords(secret)) return `${length} read like words`;
  return null;
}

/** How many characters each of its characters may have been chosen from; never more than base64 has. */
function alphabetOf(secret: string): number {
  if (/^([0-9a-f]*|[0-9A-F]*)$/.test(secret)) return /^\d*$/.test(secret) ? 10 : 16;
  const isOfOneCase = secret === secret.toLowerCase() || secret === secret.toUpperCase();
  return isOfOneCase ? 36 : 64;
}

/** A beginning of at most half of it that goes on to the end. */
function repeats(secret: string): boolean {
  const half = Math.floor(secret.length / 2);
  return Array.from({ length: half }, (_, index) => index + 1).some((period) =>
    secret.startsWith(secret.slice(period)),
  );
}

/** Shannon's measure over its own characters, in bits: about 245 for 64 random digits of hex, 208 for 43 of base64. */
function spread(secret: string): number {
  const counts = Map.groupBy(secret, (character) => character).values();
  const shares = [...counts].map(({ length }) => length / secret.length);
  return secret.length * shares.reduce((sum, share) => sum - share * Math.log2(share), 0);
}

/** As in an alphabet; by chance one of sixteen characters of hex follows the one before it. */
function isInOrder(secret: string): boolean {
  const codes = Array.from(secret, (character) => character.charCodeAt(0));
  const followers = codes.filter((code, index) => code === (codes[index - 1] ?? 0) + 1);
  return followers.length > secret.length / 3;
}

/** Small letters follow small ones in a sixth of random base64, and in more than half of most texts. */
function readsLikeWords(secret: string): boolean {
  const share = (pair: RegExp) => (secret.match(pair)?.length ?? 0) / (secret.length - 1);
  return share(/[a-z](?=[a-z])/g) > 0.52 || share(/[A-Z](?=[A-Z])/g) > 0.52;
}
