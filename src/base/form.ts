const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const formType = /^application\/x-www-form-urlencoded(?:[ \t]*;[ \t]*charset=(?:"utf-8"|utf-8))?[ \t]*$/i;

export function isForm(contentType: string | undefined): boolean {
  return formType.test(contentType ?? '');
}

export class FormError extends Error {
  override readonly name = 'FormError';
}

/** RFC 6749 section 3.2: a repeated field is an error, an empty one counts as not sent. */
export function readFields(body: Uint8Array): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const seen = new Set<string>();
  for (const part of decodeText(body).split('&')) {
    if (part === '') continue;
    const [name = '', ...rest] = part.split('=');
    const key = decodePart(name);
    const value = decodePart(rest.join('='));
    if (seen.has(key)) throw new FormError('a field sent twice');
    seen.add(key);
    if (value !== '') fields.set(key, value);
  }
  return fields;
}

export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new FormError('percent-encoding');
  }
}

export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new FormError('not UTF-8');
  }
}
