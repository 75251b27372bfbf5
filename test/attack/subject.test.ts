import { attackedService } from './attacked-service.ts';
import { subjectForgeries } from './forgeries/subject.ts';

subjectForgeries(attackedService);
