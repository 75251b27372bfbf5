import { attackedService } from '../support/attacked-service.ts';
import { boundTokenForgeries } from '../support/forgeries/bound-token.ts';

boundTokenForgeries(attackedService);
