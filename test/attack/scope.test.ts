import { attackedService } from '../support/attacked-service.ts';
import { scopeForgeries } from '../support/forgeries/scope.ts';

scopeForgeries(attackedService);
