/** Measured with V8 on 64 bits, for the data that take the most memory for each byte of a token. */
const ofText = 24;
const ofContainer = 64;
const ofItem = 8;
const ofMember = 64;

/**
 * About how many bytes of memory plain data take: a token of 8 KB can become 170 KB of lists in lists, so that its length
 * says little. A character counts as two bytes, which it takes in a text that is not all Latin-1. Objects whose members
 * have names of their own can take a third more than is said here.
 */
export function memoryTaken(data: unknown): number {
  if (typeof data === 'string') return ofText + 2 * data.length;
  if (typeof data !== 'object' || data === null) return ofItem;
  let bytes = ofContainer;
  if (Array.isArray(data)) for (const item of data) bytes += ofItem + memoryTaken(item);
  else
    for (const [name, value] of Object.entries(data))
      bytes += ofMember + 2 * name.length + memoryTaken(value);
  return bytes;
}
