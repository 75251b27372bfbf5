import { attackedService } from '../support/attacked-service.ts';
import { authorizationHeaderForgeries } from '../support/forgeries/authorization-header.ts';

authorizationHeaderForgeries(attackedService);
