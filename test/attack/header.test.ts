import { attackedService } from './attacked-service.ts';
import { headerForgeries } from './forgeries/header.ts';

headerForgeries(attackedService);
