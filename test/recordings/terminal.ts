// Runs a Turntable command in a new terminal, with the `script` of util-linux.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { environment } from './processes.ts';

export const hasTerminals: boolean = process.platform === 'linux' && existsSync('/usr/bin/script');

export class TerminalRun {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #output = '';

  constructor(cwd: string, args: readonly string[]) {
    const command = [process.execPath, ...FLAGS, CLI, ...args].map((each) => `'${each}'`).join(' ');
    this.#child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { ...environment, SHELL: '/bin/sh' },
    });
    onTestFinished(() => void this.#child.kill());
    this.#ended = once(this.#child, 'close');
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text.replaceAll('\r', '')));
  }

  /** Resolves when the output contains a text. Rejects if the command ends before. */
  async waitFor(text: string): Promise<void> {
    const hasEnded = this.#ended.then(() => true);
    while (!this.#output.includes(text)) {
      const next = once(this.#child.stdout as NodeJS.ReadableStream, 'data').then(() => false);
      if (await Promise.race([next, hasEnded])) break;
    }
    if (!this.#output.includes(text)) throw new Error(`the command ended without "${text}":\n${this.#output}`);
  }

  /** Types a text. Resolves when the command has ended. */
  async type(text: string): Promise<{ readonly output: string; readonly status: unknown }> {
    this.#child.stdin?.write(text);
    const [status] = await this.#ended;
    return { output: this.#output, status };
  }
}
