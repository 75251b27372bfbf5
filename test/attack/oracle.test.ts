import { attackedService } from './attacked-service.ts';
import { oracleForgeries } from './forgeries/oracle.ts';

oracleForgeries(attackedService);
