// With the first message that a thread hears of a channel, of which the desk's are, Node loads a client for HTTP, in which the class of such events is: forty milliseconds, which nobody is to wait for.
import { BroadcastChannel, threadId } from 'node:worker_threads';

/** Answers when this thread has had one. */
export async function meetMessages(): Promise<void> {
  const name = `turntable: thread ${threadId} of ${process.pid} meets messages`;
  const [hears, says] = [new BroadcastChannel(name), new BroadcastChannel(name)];
  const met = new Promise((resolve) => hears.addEventListener('message', resolve, { once: true }));
  says.postMessage(undefined);
  await met;
  hears.close();
  says.close();
}
