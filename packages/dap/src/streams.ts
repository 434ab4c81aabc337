// A DAP session over two streams: standard input and output, or a socket.
import type { Readable, Writable } from 'node:stream';
import { frameMessage, MessageReader } from './framing.ts';
import type { DebugEmbedder } from './debug-embedder.ts';
import { DapSession } from './dap-session.ts';

/** Maximum number of bytes buffered for a client that does not read; beyond it, the connection is closed. */
const MAX_BUFFERED_BYTES = 1 << 26;

/**
 * Serves one DAP client. Resolves when the client has disconnected and everything is closed.
 * @param token required of the client before anything runs; undefined if none is required
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
      // The stream is unreadable after a malformed message.
      session.reportMalformed((error as Error).message);
      end();
    }
  });
  for (const event of ['end', 'close', 'error']) input.on(event, end);
  output.on('error', end);
  await ended;
  await session.end();
  // The last message must be flushed before the socket closes. A destroyed stream does not call back.
  if (!output.destroyed) await new Promise<void>((settle) => output.end(() => settle()));
  input.destroy();
}
