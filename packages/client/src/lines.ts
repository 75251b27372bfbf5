import type { ApiRequest, Connection, Limits } from './connection.ts';

/** The lines of an answer as they arrive. Text after the last line feed is incomplete and left out. */
export async function* linesOf(
  { send }: Connection,
  request: ApiRequest,
  options?: Limits,
): AsyncGenerator<string, void, void> {
  const body = await send(request, options, async (answer) => answer.body as ReadableStream<Uint8Array>);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
