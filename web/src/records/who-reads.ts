import type { Collection } from '../api/types.ts';
import { t } from '../parts/words.ts';
import { isReadByEveryone, isShared } from './roles.ts';

/** Who can read the records of a collection. The person learns it before they create one. */
export function whoReads(collection: Collection): string {
  const isWithPrograms = collection.access.clients === 'any';
  const { reads } = t.form;
  if (isShared(collection)) {
    if (isReadByEveryone(collection)) return reads.everyoneActs;
    return isWithPrograms ? reads.membersAndPrograms : reads.members;
  }
  if (isReadByEveryone(collection)) return isWithPrograms ? reads.everyoneAndPrograms : reads.everyone;
  return isWithPrograms ? reads.youAndPrograms : reads.you;
}
