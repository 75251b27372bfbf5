import { OperatorError } from '../../base/errors.ts';
import { suggestion } from '../../base/yaml/mistakes.ts';

/** `*`, or two parts around a dot, each a name or `*`. */
const patternForm = /^(?:\*|(?:\*|[a-z][a-z0-9_-]*)\.(?:\*|[a-z][a-z0-9_-]*))$/;
const maxPatterns = 50;

/** The patterns of `--events`, separated by commas, as they are kept: `notes.*,*.created,bookings.approved,consumer.erased`. */
export function readPatterns(text: string): string {
  const patterns = [...new Set(text.split(/[\s,]+/).filter((pattern) => pattern !== ''))];
  const wrong = patterns.find((pattern) => !patternForm.test(pattern));
  if (wrong === undefined && patterns.length > 0 && patterns.length <= maxPatterns) return patterns.join();
  const found = wrong ?? (patterns.length === 0 ? text : `${patterns.length} patterns`);
  throw new OperatorError(
    `--events is a list of 1 to ${maxPatterns} types of events, in which "*" stands for any part; found "${found}". Example: --events 'bookings.*,consumer.erased'`,
  );
}

/** A sentence for each pattern that no event can match, because no collection has that name. */
export function patternWarnings(patterns: string, collections: readonly string[]): readonly string[] {
  // Before the first start of the service no collection is known.
  if (collections.length === 0) return [];
  const known = [...collections, 'consumer'];
  const unknown = patterns.split(',').filter((pattern) => ![...known, '*'].includes(subjectOf(pattern)));
  return unknown.map(
    (pattern) =>
      `--events "${pattern}" matches nothing now: there is no collection "${subjectOf(pattern)}"; ${suggestion(subjectOf(pattern), known)}`,
  );
}

function subjectOf(pattern: string): string {
  return pattern.split('.')[0] ?? '';
}

/** Whether a type such as `notes.created` fits one of the patterns. */
export function typeMatcher(patterns: string): (type: string) => boolean {
  const pairs = patterns.split(',').map((pattern) => (pattern === '*' ? '*.*' : pattern).split('.'));
  return (type) => {
    const [subject, event] = type.split('.');
    return pairs.some(
      ([one, other]) => (one === '*' || one === subject) && (other === '*' || other === event),
    );
  };
}
