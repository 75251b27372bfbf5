import { describe } from 'node:test';
import { allForgeries } from '../attack/forgeries/all.ts';
import { frameworks, verifierAttack } from './attacked-verifier.ts';

for (const framework of frameworks)
  describe(`@vestibule/verify with ${framework}`, () => allForgeries(verifierAttack(framework)));
