/**
 * A piece of code, found by what matters in it. Spaces and line ends do not count, and `…` stands for whatever is there:
 * the shortest text whose brackets close, without the end of a statement. So a row of the table quotes the name of a
 * rule or the code of a refusal, and goes on fitting when the line around it is reworded.
 */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** What each `…` stands for. */
  readonly filled: readonly string[];
}

/** Every place where the pattern fits. */
export function matchesOf(pattern: string, source: string): Match[] {
  const expression = new RegExp(pattern.split('…').map(loosely).join('\\s*([^;]*?)'), 'g');
  const found: Match[] = [];
  for (let match = expression.exec(source); match !== null; match = expression.exec(source)) {
    const end = expression.lastIndex;
    const start = match.index + (match[0].length - match[0].trimStart().length);
    const filled = match.slice(1).map(String);
    // A `…` that ran past a bracket is no match; one that begins later may be.
    if (filled.every(isBalanced)) found.push({ start, end, filled });
    else expression.lastIndex = start + 1;
  }
  return found;
}

/** The replacement, where `…` stands for the same as in the pattern, in the same order. */
export function fill(replacement: string, filled: readonly string[]): string {
  const rest = [...filled];
  return replacement.replace(/…/g, () => rest.shift() ?? '');
}

/** Words and signs as they are, whatever space is between them; between two words there has to be some. */
function loosely(text: string): string {
  const pieces = text.match(/\w+|[^\w\s]/g) ?? [];
  return pieces.reduce((all, piece, index) => {
    const isBetweenWords = /\w$/.test(pieces[index - 1] ?? '') && /^\w/.test(piece);
    return `${all}${isBetweenWords ? '\\s+' : '\\s*'}${RegExp.escape(piece)}`;
  }, '');
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
