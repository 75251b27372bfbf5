import { attackedService } from './attacked-service.ts';
import { scopeForgeries } from './forgeries/scope.ts';

scopeForgeries(attackedService);
