import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MEETS = new URL('../src/engine/meet-messages.ts', import.meta.url).href;

/** How many of Node's modules a process loads when it first hears of a channel. */
function loadedByMessage(before: string): number {
  const script = `
    import { BroadcastChannel } from 'node:worker_threads';
    ${before}
    const [hears, says] = [new BroadcastChannel('channel'), new BroadcastChannel('channel')];
    const { length } = process.moduleLoadList;
    hears.addEventListener('message', () => {
      console.log(process.moduleLoadList.length - length);
      hears.close();
      says.close();
    });
    says.postMessage('a message');`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}

it('has everything there that the first message of a channel makes Node load', () => {
  expect(loadedByMessage('')).toBeGreaterThan(0);
  expect(loadedByMessage(`await (await import(${JSON.stringify(MEETS)})).meetMessages();`)).toBe(0);
});
