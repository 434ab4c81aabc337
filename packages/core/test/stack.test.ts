import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/stack.mjs', import.meta.url));
const stack = (...args: string[]): string =>
  execFileSync(process.execPath, ['-C', 'turntable-source', '--no-warnings', fixture, ...args], { encoding: 'utf8' });

test.each(['main', 'timer', 'microtask'])(
  "an error's stack names the async frames that await it, as natively, started from %s",
  (entry) => {
    const native = stack('native', entry);
    expect(native).toContain('at async Promise.all (index 1)');
    expect(stack('realm', entry)).toBe(native);
  },
);
