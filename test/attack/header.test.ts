import { attackedService } from '../support/attacked-service.ts';
import { headerForgeries } from '../support/forgeries/header.ts';

headerForgeries(attackedService);
