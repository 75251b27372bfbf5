import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SignatureQueue } from '../../src/auth/signature-queue.ts';
import { signedDocumentOpener } from '../../src/auth/signed-document.ts';
import { attackedService } from './attacked-service.ts';
import { shapeForgeries } from './forgeries/shape.ts';

shapeForgeries(attackedService);

const target = attackedService();

it('[A20] a letter whose last eight bits are one of base64url stands for itself, where no header has cut it off', async () => {
  const open = signedDocumentOpener(['RS256'], new SignatureQueue());
  const token = await target().provider.token();
  assert.notEqual(open(token), null, 'control');
  for (let at = 0; at < token.length; at += 50) {
    const twin = String.fromCharCode(token.charCodeAt(at) + 0x100);
    assert.equal(open(`${token.slice(0, at)}${twin}${token.slice(at + 1)}`), null, `at ${at}`);
  }
});
