import type { Finding } from '../base/finding.ts';

const words: Readonly<Record<Finding['result'], string>> = {
  pass: 'pass',
  warn: 'WARN',
  fail: 'FAIL',
  skip: 'skip',
};

/** What was found, what was expected and what to do, in one line. */
export function findingLine({ name, result, expected, found, advice }: Finding): string {
  const text = [
    result === 'skip' ? `not looked at: ${found}` : found,
    ...(expected === null ? [] : [`expected ${expected}`]),
  ].join('; ');
  const whole = advice === null ? text : `${text.replace(/\.$/, '')}. ${advice}`;
  const oneLine = whole.replace(/\s*\n\s*/g, ' ');
  return `${words[result]}  ${name.padEnd(17)}  ${oneLine}`;
}
