import { attackedService } from './attacked-service.ts';
import { audienceForgeries } from './forgeries/audience.ts';

audienceForgeries(attackedService);
