import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Collection, RecordItem } from '../../web/src/api/types.ts';
import { historyInWords } from '../../web/src/records/history-words.ts';
import { mayChange, rolesInWords } from '../../web/src/records/roles.ts';
import { readSearch } from '../../web/src/records/search-query.ts';
import { commonOf } from '../../web/src/records/selection-actions.ts';
import { weighActions } from '../../web/src/records/weigh-actions.ts';
import { whoReads } from '../../web/src/records/who-reads.ts';
import { described } from './described.ts';
import './english.ts';

const items: Collection = {
  ...described('items', 'Items'),
  schema: { type: 'object', properties: { title: { type: 'string' } } },
  states: {
    open: {
      buy: { to: 'bought', by: 'owner' },
      drop: { to: 'dropped', by: 'owner' },
      lend: { to: 'lent', by: 'owner', sets: ['due'] },
    },
    bought: { undo: { to: 'open', by: 'owner' }, drop: { to: 'open', by: 'owner' } },
    dropped: {},
  },
  roles: { member: { invited_by: ['owner'] }, borrower: { max_per_user: 3 } },
  access: {
    read: { owner: 'all' },
    delete: { owner: ['open', 'dropped'] },
    clients: 'none',
    scopes: { read: null, write: null },
  },
};

function item(state: string, actions: readonly string[], roles = ['owner']): RecordItem {
  const at = '2027-01-01T00:00:00Z';
  return { id: `${state} ${actions}`, title: state, state, actions, roles, created_at: at, updated_at: at };
}

describe('the text of a search box', () => {
  const rows: readonly (readonly [typed: string, q: string | null])[] = [
    ['', ''],
    ['  ', ''],
    [' green   tea ', 'green tea'],
    ['één', 'één'],
    ['g', null],
    ['c++', null],
    ['--', null],
    ['tea -- milk', 'tea -- milk'],
    ['green t', null],
    ['one two three four', 'one two three four'],
    ['one two three four five', null],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), null],
  ];
  for (const [typed, q] of rows)
    it(`"${typed}" is ${q === null ? 'not sent' : `sent as "${q}"`}`, () => {
      const read = readSearch(typed);
      assert.equal(read.q, q);
      assert.equal(read.hint === null, q !== null);
    });
});

describe('bulk actions on selected records', () => {
  const open = item('open', ['buy', 'drop', 'lend']);

  it('are the actions without input that every record allows', () => {
    const names = (records: readonly RecordItem[]) =>
      commonOf(items, records).actions.map(({ name, isFinal }) => `${name}${isFinal ? '!' : ''}`);
    assert.deepEqual(names([open]), ['buy', 'drop!']);
    assert.deepEqual(names([item('bought', ['undo', 'drop']), open]), ['drop!']);
    assert.deepEqual(names([open, item('dropped', [])]), []);
    assert.deepEqual(names([]), []);
  });

  it('include deletion if every record may be deleted', () => {
    assert.equal(commonOf(items, [open, item('dropped', [])]).mayDelete, true);
    assert.equal(commonOf(items, [open, item('bought', [])]).mayDelete, false);
    assert.equal(commonOf(items, [item('open', [], ['member'])]).mayDelete, false);
    assert.equal(commonOf(items, []).mayDelete, false);
  });
});

describe('an entry of the history in words', () => {
  const at = '2027-01-01T00:00:00Z';

  it('names the action, the role and the change of state', () => {
    const entry = { at, action: 'buy', from: 'open', to: 'bought', by: 'member' };
    assert.deepEqual(historyInWords(items, entry), {
      what: '“Buy”',
      who: 'by a member',
      states: { from: 'Open', to: 'Bought' },
    });
  });

  it('covers creation, change without a new state, and changes by the service', () => {
    const inWords = (action: string, from: string | null, to: string | null, by: string | null) => {
      const { what, who, states } = historyInWords(items, { at, action, from, to, by });
      return `${what} ${who}${states === null ? '' : ` ${states.from} ${states.to}`}`;
    };
    assert.equal(inWords('create', null, 'open', 'owner'), 'Created by the owner');
    assert.equal(inWords('update', 'open', 'open', 'borrower'), 'Changed by the borrower');
    assert.equal(inWords('moved_up', 'waiting', 'open', null), 'Got a free place by itself Waiting Open');
    assert.equal(inWords('buy', null, null, 'client'), '“Buy” by a program of the operator');
  });
});

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
    assert.match(words('owner', 'none'), /between you and the operator/);
    assert.match(words('owner', 'own'), /between you and the operator/);
    for (const other of [words('owner', 'any'), words('everyone', 'none'), words('everyone', 'any')])
      assert.doesNotMatch(other, /between you/);
  });

  it('the text names everybody as readers, and machine clients that see or change records', () => {
    assert.match(words('everyone', 'none'), /Everybody who signs in can read.*only you can change/);
    assert.match(words('everyone', 'any'), /only you and the programs of the operator can change/);
    assert.match(words('owner', 'any'), /you and the programs of the operator see/);
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
