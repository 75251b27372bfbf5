import type { Collection } from '../../collections/collection.ts';
import { collectionTypes, commonProblems, problemsOf, shared } from './collection-types.ts';
import { nameTypes, recordTypes } from './record-types.ts';
import { block, comment, literal, union } from './source-text.ts';

const whole = 'Collections';

/** One file of TypeScript declarations that imports nothing: the types of all collections, for the typed client. */
export function typesDocument(collections: readonly Collection[]): string {
  const names = nameTypes(
    collections.map(({ name }) => name),
    // What the types themselves mean by these names.
    [whole, 'Date', ...Object.values(shared)],
  );
  const problems = collections.map(problemsOf);
  const common = commonProblems(problems);
  const each = collections.flatMap((collection, index) => {
    const [own, refusals] = [names[index], problems[index]];
    return own === undefined || refusals === undefined
      ? []
      : [{ collection, names: own, problems: refusals, common }];
  });
  const parts = [
    '// Made by "npx vestibule types" from the declarations of the collections. Do not edit: change those, and run it again.',
    ...each.flatMap(({ collection, names: own }) => recordTypes(collection, own)),
    `${comment(['Values in an order: after "gt", from "gte" on, before "lt", up to "lte".'])}export interface ${shared.bounds}<Value> ${block(
      ['gt', 'gte', 'lt', 'lte'].map((operator) => `${operator}?: Value;`),
    )}`,
    `${comment(['The codes that any call can be refused with.'])}export type ${shared.problem} = ${common.size === 0 ? 'never' : union([...common].map(literal))};`,
    `${comment(['For createClient<Collections>() of @vestibule/client.'])}export interface ${whole} ${block(each.map(collectionTypes))}`,
  ];
  return `${parts.join('\n\n')}\n`;
}
