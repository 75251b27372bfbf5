/** What is no plain English plural has no singular that anybody could tell. */
const plural = /^[A-Za-z][A-Za-z -]*[a-z]s$/;
/** Words that look like a plural of another form than they are, or like one at all. */
const unlike = /(?:ss|us|is|news|series|species)$/i;
const inIe = /(?:^|[^a-z])(?:cookie|calorie|movie|pie|selfie|tie|zombie)s$/i;
const inUs = /(?:^|[^a-z])(?:bonus|bus|campus|census|corpus|status|virus)es$/i;

export function isPlural(noun: string): boolean {
  return plural.test(noun);
}

/** "bookings" is "booking", "Entries" is "Entry"; null where nobody can tell. */
export function singularOf(noun: string): string | null {
  if (!isPlural(noun) || unlike.test(noun)) return null;
  if (/ies$/i.test(noun) && !inIe.test(noun)) return `${noun.slice(0, -3)}y`;
  return noun.slice(0, /(?:ch|sh|x|ss|z)es$/i.test(noun) || inUs.test(noun) ? -2 : -1);
}
