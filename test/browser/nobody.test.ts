import { before, describe, it } from 'node:test';
import { browsing } from './browser.ts';
import { personNamed } from './browser-person.ts';
import type { Visitor } from './browser-visitor.ts';

/** The answer of GET /me to a token without a subject. */
const nobody = {
  id: null,
  kind: 'client',
  registered_at: null,
  subject: null,
  token: { issued_at: null, expires_at: '2099-01-01T00:00:00.000Z' },
};

describe('a caller without a subject, in a browser', () => {
  const running = browsing();
  let visitor: Visitor;
  before(async () => {
    visitor = await running().visitor();
    await visitor.signIn(personNamed('Nobody'));
    await visitor.page.route('**/api/consumer/v1/me', (route) => route.fulfill({ json: nobody }));
  });

  it('reads that it has no id', async () => {
    await visitor.open('you');
    await visitor.sees('none: your token has no subject');
  });

  it('reads that its token is accepted and nothing is stored', async () => {
    await visitor.open('token');
    await visitor.sees('It has no subject, so nothing is stored about you.');
  });
});
