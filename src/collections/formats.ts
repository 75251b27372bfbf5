import { isIPv4, isIPv6 } from 'node:net';
import { isDate, isTime, normaliseDateTime } from './normalise.ts';

interface Format {
  /** Runs in linear time. */
  readonly fits: (text: string) => boolean;
  readonly maxLetters: number;
  readonly example: string;
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const hostname = new RegExp(`^${label}(?:\\.${label})*$`);
const mailbox = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const duration =
  /^P(?:\d{1,9}W|(?=.)(?:\d{1,9}Y)?(?:\d{1,9}M)?(?:\d{1,9}D)?(?:T(?=.)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?)$/;
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/;

/** Each format has a greatest length, so that a format is a bound. */
export const formats = {
  'date-time': {
    fits: (text) => normaliseDateTime(text) !== null,
    maxLetters: 35,
    example: '2026-01-01T08:00:00Z',
  },
  date: { fits: isDate, maxLetters: 10, example: '2026-01-01' },
  time: { fits: isTime, maxLetters: 24, example: '08:00:00Z' },
  duration: { fits: (text) => duration.test(text), maxLetters: 64, example: 'P3DT12H' },
  uuid: { fits: (text) => uuid.test(text), maxLetters: 36, example: '0b9a5c1e-6f1d-4b7e-9a53-2f1d8c7e4a60' },
  uri: {
    fits: (text) => uri.test(text) && URL.canParse(text),
    maxLetters: 2000,
    example: 'https://example.org/',
  },
  email: { fits: isEmail, maxLetters: 254, example: 'someone@example.org' },
  ipv4: { fits: isIPv4, maxLetters: 15, example: '192.0.2.1' },
  ipv6: { fits: (text) => isIPv6(text) && !text.includes('%'), maxLetters: 45, example: '2001:db8::1' },
  hostname: { fits: (text) => hostname.test(text), maxLetters: 253, example: 'www.example.org' },
} as const satisfies Readonly<Record<string, Format>>;

type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as FormatName[];

export function isFormatName(value: unknown): value is FormatName {
  return formatNames.includes(value as FormatName);
}

export function fitsFormat(name: FormatName, text: string): boolean {
  const { fits, maxLetters } = formats[name];
  return text.length <= maxLetters && fits(text);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const name = text.slice(0, Math.max(at, 0));
  const hasEmptyPart = name.startsWith('.') || name.endsWith('.') || name.includes('..');
  return mailbox.test(name) && !hasEmptyPart && hostname.test(text.slice(at + 1));
}
