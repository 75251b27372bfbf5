import { attackedService } from './attacked-service.ts';
import { signatureForgeries } from './forgeries/signature.ts';

signatureForgeries(attackedService);
