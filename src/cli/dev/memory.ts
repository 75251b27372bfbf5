import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAtMs: number;
}

/**
 * Where the provider keeps sessions, grants, codes and refresh tokens: in this process, gone with it. The
 * library brings the same thing, but announces it with a warning at every start.
 */
export function createMemory(): AdapterFactory {
  return () => new MemoryAdapter();
}

/** One kind of artifact. There are few of them, so whatever is not asked for by id is looked for one by one. */
class MemoryAdapter implements Adapter {
  readonly #entries = new Map<string, Entry>();

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    this.#dropWhere((entry) => entry.expiresAtMs <= Date.now());
    const expiresAtMs = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000;
    this.#entries.set(id, { payload, expiresAtMs });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.expiresAtMs > Date.now() ? entry.payload : undefined;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findWhere((payload) => payload.uid === uid);
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findWhere((payload) => payload.userCode === userCode);
  }

  async consume(id: string): Promise<void> {
    const payload = await this.find(id);
    if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    this.#dropWhere((entry) => entry.payload.grantId === grantId);
  }

  #findWhere(matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    for (const { payload, expiresAtMs } of this.#entries.values()) {
      if (expiresAtMs > Date.now() && matches(payload)) return payload;
    }
    return undefined;
  }

  #dropWhere(matches: (entry: Entry) => boolean): void {
    for (const [id, entry] of this.#entries) {
      if (matches(entry)) this.#entries.delete(id);
    }
  }
}
