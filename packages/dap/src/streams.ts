// A conversation by two streams: standard input and output, or both directions of a socket.
import type { Readable, Writable } from 'node:stream';
import { frameMessage, MessageReader } from './framing.ts';
import type { DebugEmbedder } from './debug-embedder.ts';
import { DapSession } from './dap-session.ts';

/** Bytes that wait for a client that does not read: beyond, it is let go of. */
const MAX_BUFFERED_BYTES = 1 << 26;

/**
 * Settles when the client has gone, or has said that it is done, and nothing of it is left.
 * @param token what a client has to say before anything is run for it
 */
export async function serveStreams(
  embedder: DebugEmbedder,
  {
    input,
    output,
    token,
  }: { readonly input: Readable; readonly output: Writable; readonly token?: string | undefined },
): Promise<void> {
  let hasEnded = false;
  let resolveEnded: () => void = () => {};
  const ended = new Promise<void>((settle) => (resolveEnded = settle));
  const end = (): void => {
    hasEnded = true;
    resolveEnded();
  };
  const send = (text: string): void => {
    if (hasEnded) return;
    output.write(frameMessage(text));
    if (output.writableLength > MAX_BUFFERED_BYTES) end();
  };
  const session = new DapSession(embedder, { send, onDone: end, token });
  const reader = new MessageReader();
  input.on('data', (bytes: Buffer) => {
    if (hasEnded) return;
    try {
      for (const text of reader.read(bytes)) session.receive(text);
    } catch (error) {
      // Nothing that comes behind can be told from it.
      session.reportMalformed((error as Error).message);
      end();
    }
  });
  for (const event of ['end', 'close', 'error']) input.on(event, end);
  output.on('error', end);
  await ended;
  await session.end();
  // What was said last has to go, before a socket does.
  await new Promise<void>((settle) => output.end(() => settle()));
  input.destroy();
}
