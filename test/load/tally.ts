/** What a finding is about, with its line in the result of a run. */
const findingKinds = {
  lost: 'acknowledged writes lost',
  doubled: 'writes doubled, or not asked for',
  half: 'batches of which a part is missing',
  place: 'places given twice, or out of turn',
  role: 'roles that differ from what was acknowledged',
  read: 'searches, histories, counts that differ',
  usage: 'usage that differs from what is there',
  event: 'events missing, doubled or out of order',
  answer: 'answers that should not have been',
  start: 'starts that failed, errors in the log',
} as const;

export type FindingKind = keyof typeof findingKinds;

export class Tally {
  readonly findings: { readonly kind: FindingKind; readonly what: string }[] = [];
  readonly answers = new Map<string, number>();
  kills = 0;
  databaseKills = 0;
  starts = 0;
  acknowledged = 0;
  /** Writes without an answer, and how many of those turned out to be done. */
  unanswered = 0;
  unansweredDone = 0;
  /** Refused without being begun, by a process that had no time for more. */
  overloaded = 0;
  replays = 0;
  erased = 0;
  movedUp = 0;
  /** Comparisons of what the service shows with what must be there. */
  checks = 0;
  events = 0;
  /** The most positions that callers who were erased can have taken with them. */
  mayBeMissing = 0;

  count(asked: string): void {
    this.answers.set(asked, (this.answers.get(asked) ?? 0) + 1);
  }

  find(kind: FindingKind, what: string): void {
    this.findings.push({ kind, what });
  }

  /** Counts a comparison, which is a finding if the two differ. */
  compare(kind: FindingKind, what: string, found: unknown, expected: unknown): void {
    this.checks += 1;
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== should) this.find(kind, `${what}: is ${is}, expected ${should}`);
  }

  print(): void {
    const lines = {
      kills: this.kills,
      'kills of PostgreSQL': this.databaseKills,
      starts: this.starts,
      'writes acknowledged': this.acknowledged,
      'writes without an answer': `${this.unanswered}, of which done: ${this.unansweredDone}`,
      'refused, and not begun': this.overloaded,
      'the same request again': this.replays,
      'moved up from a waiting line': this.movedUp,
      'callers erased': this.erased,
      'events read': this.events,
      'checks of what is there': this.checks,
    };
    for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(48)} ${value}`);
    for (const [answer, count] of [...this.answers].sort()) console.log(`  ${answer.padEnd(46)} ${count}`);
    const found = Map.groupBy(this.findings, ({ kind }) => kind);
    for (const [kind, text] of Object.entries(findingKinds))
      console.log(`${text.padEnd(48)} ${found.get(kind as FindingKind)?.length ?? 0}`);
    for (const { kind, what } of this.findings.slice(0, 50)) console.log(`${kind}: ${what}`);
  }
}
