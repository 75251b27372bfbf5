/**
 * The collection of the records benchmark and its content. Everything is computed from a number, so that all peers have the
 * same, and a million records need no memory.
 */
export const collection = 'listings';

/**
 * Everyone may read it, so that a page is full for any size of the table: of a thousand records no owner would have fifty.
 * Writes are more expensive, too, with one index more for each field. There is no budget.
 */
export const declaration = `title: Listings
schema:
  required: [starts_at, seats, place]
  properties:
    starts_at: { type: string, format: date-time }
    seats: { type: integer, minimum: 1, maximum: 500 }
    place: { type: string, maxLength: 100 }
    note: { type: string, maxLength: 500 }
    tags: { type: array, maxItems: 10, items: { type: string, maxLength: 30 } }
index: [starts_at]
access: { read: everyone }
limits: { per_user: 1000000, bytes: 4096, writes: 1000000/s }
`;

export interface Listing {
  readonly starts_at: string;
  readonly seats: number;
  readonly place: string;
  readonly note: string;
  readonly tags: readonly string[];
}

export const pageSize = 50;

const day = 86_400_000;
const minute = 60_000;
const yearMinutes = 365 * 24 * 60;
const firstStart = Date.UTC(2027, 0, 1);

/** When the callers were first seen and the first record was created: so long ago that no caller is a newcomer. */
export const firstDay = Date.now() - 60 * day;

/** A second apart; a million of them are through long before today. */
export function createdAt(number: number): number {
  return firstDay + number * 1000;
}

/** A UUID of version 7, as Vestibule makes them. */
export function idOf(number: number): string {
  const time = createdAt(number).toString(16).padStart(12, '0');
  const [one, other] = [hex(number, 1), hex(number, 2)];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${one.slice(0, 3)}-8${one.slice(3, 6)}-${one.slice(6)}${other}00`;
}

/** A third of a kilobyte. What it is sorted by has nothing to do with the order in which it was made. */
export function listing(number: number): Listing {
  const start = scrambled(number, 3) % yearMinutes;
  const words = Array.from({ length: 24 }, (_, index) => word(number, 10 + index));
  return {
    starts_at: new Date(firstStart + start * minute).toISOString(),
    seats: 1 + (scrambled(number, 4) % 200),
    place: `${word(number, 5)} hall, room ${scrambled(number, 6) % 900}`,
    note: `${words.join(' ')}.`,
    tags: [word(number, 7), word(number, 8)],
  };
}

/** Where a page begins: another place for each caller, and enough behind it that the page is full. */
export function pageStart(part: number): string {
  return new Date(firstStart + Math.floor(part * 0.9 * yearMinutes) * minute).toISOString();
}

const words =
  'river market lantern harbour orchard copper meadow signal garden timber winter bridge canvas valley marble station'.split(
    ' ',
  );

function word(number: number, which: number): string {
  return words[scrambled(number, which) % words.length] ?? '';
}

function hex(number: number, which: number): string {
  return scrambled(number, which).toString(16).padStart(8, '0');
}

/** Evenly spread over 32 bits, and the same every time. */
function scrambled(number: number, which: number): number {
  let bits = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(which, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
