import type { Input } from '../../../src/base/handler.ts';

/** What a handler gets of a request, for tests that call one without a server. */
export function inputWith(parts: Partial<Input>): Input {
  return {
    contentType: undefined,
    authorization: undefined,
    body: undefined,
    params: {},
    query: '',
    header: () => undefined,
    address: '127.0.0.1',
    proof: null,
    isSuspect: () => false,
    giveWay: () => {},
    leavePlace: () => {},
    hasHungUp: () => false,
    onClose: () => {},
    ...parts,
  };
}
