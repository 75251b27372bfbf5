import { attackedService } from './attacked-service.ts';
import { authorizationHeaderForgeries } from './forgeries/authorization-header.ts';

authorizationHeaderForgeries(attackedService);
