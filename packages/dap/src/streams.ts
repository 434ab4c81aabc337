// A conversation by two streams: standard input and output, or both directions of a socket.
import type { Readable, Writable } from 'node:stream';
import { framed, FrameReader } from './framing.ts';
import type { House } from './house.ts';
import { Session } from './session.ts';

/** Bytes that wait for a client that does not read: beyond, it is let go of. */
const MOST_WAITING = 1 << 26;

/**
 * Settles when the client has gone, or has said that it is done, and nothing of it is left.
 * @param token what a client has to say before anything is run for it
 */
export async function serveStreams(
  house: House,
  {
    input,
    output,
    token,
  }: { readonly input: Readable; readonly output: Writable; readonly token?: string | undefined },
): Promise<void> {
  let isOver = false;
  let gone: () => void = () => {};
  const over = new Promise<void>((settle) => (gone = settle));
  const end = (): void => {
    isOver = true;
    gone();
  };
  const send = (text: string): void => {
    if (isOver) return;
    output.write(framed(text));
    if (output.writableLength > MOST_WAITING) end();
  };
  const session = new Session(house, { send, done: end, token });
  const reader = new FrameReader();
  input.on('data', (bytes: Buffer) => {
    if (isOver) return;
    try {
      for (const text of reader.read(bytes)) session.receive(text);
    } catch (error) {
      // Nothing that comes behind can be told from it.
      session.misses((error as Error).message);
      end();
    }
  });
  for (const event of ['end', 'close', 'error']) input.on(event, end);
  output.on('error', end);
  await over;
  await session.end();
  // What was said last has to go, before a socket does.
  await new Promise<void>((settle) => output.end(() => settle()));
  input.destroy();
}
