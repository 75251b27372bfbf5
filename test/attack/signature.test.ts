import { attackedService } from '../support/attacked-service.ts';
import { signatureForgeries } from '../support/forgeries/signature.ts';

signatureForgeries(attackedService);
