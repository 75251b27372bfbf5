import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection, RecordItem } from '../../web/src/api/types.ts';
import { mayChange, rolesInWords } from '../../web/src/records/roles.ts';
import { weighActions } from '../../web/src/records/weigh-actions.ts';
import { whoReads } from '../../web/src/records/who-reads.ts';

const states = {
  draft: { cancel: { to: 'cancelled' }, submit: { to: 'submitted' }, park: { to: 'parked' } },
  submitted: { cancel: { to: 'cancelled' } },
  parked: { submit: { to: 'submitted' } },
  cancelled: {},
};

function weighed(state: string, actions: readonly string[]): string[] {
  const record = { id: '1', created_at: '', updated_at: '', state, actions } as RecordItem;
  return weighActions({ states } as unknown as Collection, record).map(
    ({ name, isMain, isFinal }) => `${name}${isMain ? ' main' : ''}${isFinal ? ' final' : ''}`,
  );
}

describe('the actions of a record', () => {
  it('one action is main and comes first, and it is never a final one', () => {
    assert.deepEqual(weighed('draft', ['cancel', 'submit', 'park']), ['submit main', 'cancel final', 'park']);
  });

  it('the actions are those that the service allows this caller', () => {
    assert.deepEqual(weighed('draft', ['park']), ['park main']);
    assert.deepEqual(weighed('draft', []), []);
  });

  it('there is no main action if every action is final', () => {
    assert.deepEqual(weighed('submitted', ['cancel']), ['cancel final']);
  });

  it('there are no actions in a final or unknown state, or without states', () => {
    assert.deepEqual(weighed('cancelled', ['submit']), []);
    assert.deepEqual(weighed('unheard-of', ['submit']), []);
    const record = { id: '1', created_at: '', updated_at: '' };
    assert.deepEqual(weighActions({} as Collection, record), []);
  });
});

describe('who can read a collection, in words', () => {
  const words = (read: 'owner' | 'everyone', clients: 'none' | 'own' | 'any') =>
    whoReads({ access: { read, clients } } as Collection);

  it('privacy is promised only if nobody else can read the records', () => {
    assert.match(words('owner', 'none'), /between you and this service/);
    assert.match(words('owner', 'own'), /between you and this service/);
    for (const other of [words('owner', 'any'), words('everyone', 'none'), words('everyone', 'any')])
      assert.doesNotMatch(other, /between you/);
  });

  it('the text names everybody as readers, and machine clients that see or change records', () => {
    assert.match(words('everyone', 'none'), /Everybody who signs in can read.*only you can change/);
    assert.match(words('everyone', 'any'), /only you and the clients of this service can change/);
    assert.match(words('owner', 'any'), /you and the clients of this service see/);
  });

  it('with roles the text promises no privacy', () => {
    const shared = (read: object) => whoReads({ roles: {}, access: { read, clients: 'none' } } as Collection);
    for (const words of [shared({ owner: 'all', everyone: 'all' }), shared({ owner: 'all' })])
      assert.doesNotMatch(words, /between you|only you can change/);
    assert.match(shared({ owner: 'all', everyone: 'all' }), /Everybody who signs in can read/);
    assert.match(shared({ owner: 'all' }), /people with a role/);
  });
});

describe('the rights and roles of a caller in a shared record', () => {
  const collection = {
    roles: { borrower: { max_per_user: 5 }, editor: {} },
    access: { update: { owner: ['available'], editor: 'all' }, delete: { owner: ['available'] } },
  } as unknown as Collection;
  const having = (state: string, ...roles: string[]) =>
    ({ id: '1', created_at: '', updated_at: '', state, roles }) as RecordItem;

  it('update and delete depend on the roles and the state', () => {
    assert.equal(mayChange(collection, having('available', 'owner'), 'update'), true);
    assert.equal(mayChange(collection, having('lent', 'owner'), 'update'), false);
    assert.equal(mayChange(collection, having('lent', 'editor'), 'update'), true);
    assert.equal(mayChange(collection, having('available', 'editor'), 'delete'), false);
    assert.equal(mayChange(collection, having('available'), 'delete'), false);
  });

  it('the roles are named in a sentence, or null without a role', () => {
    assert.equal(rolesInWords(collection, having('lent', 'borrower')), 'You are the borrower');
    assert.equal(
      rolesInWords(collection, having('lent', 'owner', 'editor')),
      'You are the owner and an editor',
    );
    assert.equal(rolesInWords(collection, having('lent')), null);
    assert.equal(rolesInWords({} as Collection, having('lent', 'a field of its own')), null);
  });
});
