import { attackedService } from './attacked-service.ts';
import { boundTokenForgeries } from './forgeries/bound-token.ts';

boundTokenForgeries(attackedService);
