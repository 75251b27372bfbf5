import { verifierAttack } from '../support/attacked-verifier.ts';
import { allForgeries } from '../support/forgeries/all.ts';

allForgeries(verifierAttack('fastify'));
