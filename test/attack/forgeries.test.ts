import { attackedService } from './attacked-service.ts';
import { allForgeries } from './forgeries/all.ts';

/** For all suites that need no settings of their own. */
const plain = attackedService({ settings: { REFUSALS_PER_MINUTE: '1000000' } });

allForgeries((preparation) => (preparation === undefined ? plain : attackedService(preparation)));
