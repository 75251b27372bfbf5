import type { ErrorCode } from '../../base/errors.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Description } from '../../openapi/description.ts';
import { codesOf } from '../../openapi/document.ts';
import { describeList, describeRead } from '../describe/reads.ts';
import * as writing from '../describe/writes.ts';

/** By call of the typed client, the codes that it can be refused with. */
export type Problems = Readonly<Record<string, ReadonlySet<ErrorCode>>>;

/** As the OpenAPI document says it: from what the routes of the collection say of themselves. */
export function problemsOf(collection: Collection): Problems {
  const codes = (method: string, ...descriptions: readonly Description[]) =>
    new Set(descriptions.flatMap((each) => codesOf({ method, path: '', access: 'bearer', ...each })));
  const actions = collection.machine?.actions ?? [];
  return {
    list: codes('GET', describeList(collection)),
    get: codes('GET', describeRead(collection)),
    create: codes('POST', writing.describeCreate(collection)),
    update: codes('PATCH', writing.describePatch(collection)),
    replace: codes('PUT', writing.describeReplace(collection)),
    remove: codes('DELETE', writing.describeRemove(collection)),
    act: codes('POST', ...actions.map((action) => writing.describeAction(collection, action))),
  };
}

/** What every call of every collection can be refused with. */
export function commonProblems(all: readonly Problems[]): ReadonlySet<ErrorCode> {
  const calls = all.flatMap((problems) => Object.values(problems)).filter(({ size }) => size > 0);
  return calls.reduce((common, codes) => common.intersection(codes), calls[0] ?? new Set());
}
