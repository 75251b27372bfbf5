import { attackedService } from '../support/attacked-service.ts';
import { subjectForgeries } from '../support/forgeries/subject.ts';

subjectForgeries(attackedService);
