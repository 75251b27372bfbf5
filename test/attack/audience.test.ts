import { attackedService } from '../support/attacked-service.ts';
import { audienceForgeries } from '../support/forgeries/audience.ts';

audienceForgeries(attackedService);
