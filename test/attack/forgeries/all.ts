import { describe } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { algorithmForgeries } from './algorithm.ts';
import { audienceForgeries } from './audience.ts';
import { authorizationHeaderForgeries } from './authorization-header.ts';
import { headerForgeries } from './header.ts';
import { issuerForgeries } from './issuer.ts';
import { oracleForgeries } from './oracle.ts';
import { scopeForgeries } from './scope.ts';
import { shapeForgeries } from './shape.ts';
import { signatureForgeries } from './signature.ts';
import { subjectForgeries } from './subject.ts';
import { timesForgeries } from './times.ts';
import { typeForgeries } from './type.ts';

const batteries: Readonly<Record<string, (attack: Attack) => void>> = {
  algorithm: algorithmForgeries,
  audience: audienceForgeries,
  'Authorization header': authorizationHeaderForgeries,
  header: headerForgeries,
  issuer: issuerForgeries,
  oracle: oracleForgeries,
  scope: scopeForgeries,
  shape: shapeForgeries,
  signature: signatureForgeries,
  subject: subjectForgeries,
  times: timesForgeries,
  type: typeForgeries,
};

/** Every case for the service itself, tried on another server. */
export function allForgeries(attack: Attack): void {
  for (const [name, battery] of Object.entries(batteries)) describe(name, () => battery(attack));
}
