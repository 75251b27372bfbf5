import { createHash, randomBytes } from 'node:crypto';

/**
 * Personal data that the tests plant in every token and request they send. The words are fixed, so that test/after
 * finds what any process of the run has kept of them; none of them occurs anywhere by accident.
 */
export const canaryWords = [
  'Quixotella',
  'Zanzibarnacle',
  'Žluťoučký-Quixotell',
  'quixotella.zanzibarnacle@people.example',
  'fluttermouse',
  '+49-5550-917283',
  'Kaleidoscopeweg',
  '1971-07-19x',
  'portrait-of-quixotella.png',
  'subject|quixotella-8c1f6e',
  'agent-wobblefish',
  'query-snorkelfinch',
  'cookie-gingerquoll',
  'referer-plumfalcon',
  'path-mistlewombat',
  'secret-thistledrake',
  'session-snufflepuffin',
] as const;

/** Every claim in which a provider could put something personal. */
export const canaryClaims = {
  sub: 'subject|quixotella-8c1f6e',
  name: 'Quixotella Zanzibarnacle',
  given_name: 'Quixotella',
  family_name: 'Zanzibarnacle',
  middle_name: 'Žluťoučký-Quixotell',
  preferred_username: 'fluttermouse',
  email: 'quixotella.zanzibarnacle@people.example',
  phone_number: '+49-5550-917283',
  address: { street_address: 'Kaleidoscopeweg 7' },
  birthdate: '1971-07-19x',
  picture: 'https://people.example/portrait-of-quixotella.png',
  'https://claims.example/profile': { nickname: 'fluttermouse', more: [{ name: 'Zanzibarnacle' }] },
} as const;

/** What a browser sends along. */
export const canaryHeaders = {
  'user-agent': 'agent-wobblefish/1.0',
  referer: 'https://people.example/referer-plumfalcon',
  cookie: 'session=cookie-gingerquoll',
} as const;

/** A word in every form in which a careless program could have kept it. */
export function encodings(word: string): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(word);
  const forms = new Map<string, Buffer>();
  const add = (name: string, text: string) => forms.set(name, Buffer.from(text));
  add('as it is', word);
  add('lower case', word.toLowerCase());
  add('upper case', word.toUpperCase());
  add('JSON', JSON.stringify(word).slice(1, -1));
  add(
    'JSON in ASCII',
    word.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
  add('URL', encodeURIComponent(word));
  add('hex', bytes.toString('hex'));
  add('hex in capitals', bytes.toString('hex').toUpperCase());
  forms.set('UTF-16', Buffer.from(word, 'utf16le'));
  add('reversed', [...word].reverse().join(''));
  for (const algorithm of ['md5', 'sha1', 'sha256']) {
    const digest = createHash(algorithm).update(word).digest();
    add(`${algorithm} hex`, digest.toString('hex'));
    add(`${algorithm} base64`, digest.toString('base64').replace(/=+$/, ''));
    add(`${algorithm} base64url`, digest.toString('base64url'));
    forms.set(`${algorithm} bytes`, digest);
  }
  // Base64 depends on where in its text a word begins: three alignments, without the characters its neighbours share.
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([randomBytes(before), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    const skip = before === 0 ? 0 : 4;
    add(`base64 +${before}`, whole.toString('base64').slice(skip));
    add(`base64url +${before}`, whole.toString('base64url').slice(skip));
  }
  return forms;
}
