import { allForgeries } from '../attack/forgeries/all.ts';
import { verifierAttack } from './attacked-verifier.ts';

allForgeries(verifierAttack('node'));
