import { attackedService } from '../support/attacked-service.ts';
import { oracleForgeries } from '../support/forgeries/oracle.ts';

oracleForgeries(attackedService);
