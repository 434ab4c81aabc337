// The debug server of a window: `turntable debug PATH --stdio`.
import { spawn, type ChildProcess } from 'node:child_process';
import type { DebugServerCommand } from './debug-server-command.ts';

export interface DebugServerEvents {
  onText(text: string): void;
  onClose(reason: string): void;
}

export interface DebugServerOptions {
  /** Whether to open the recording even if its replay may differ. */
  readonly isForced: boolean;
  /** The key file of a sealed (encrypted) recording; undefined if none was chosen. */
  readonly keyFile: string | undefined;
  /** The running program that writes the recording; undefined to open the recording by its path. */
  readonly pid: number | undefined;
}

/** Number of characters at the end of the standard error that are kept, to report why the server has ended. */
const MAX_STDERR_CHARS = 4000;

export class DebugServer {
  readonly #child: ChildProcess;
  #isClosed = false;

  constructor(
    path: string,
    { node, cli }: DebugServerCommand,
    { isForced, keyFile, pid }: DebugServerOptions,
    events: DebugServerEvents,
  ) {
    // The variable that makes Electron run as Node must not reach the server and its child processes.
    const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
    const flags = [...(isForced ? ['--force'] : []), ...(keyFile === undefined ? [] : [`--key=${keyFile}`])];
    const target = pid === undefined ? path : `--pid=${pid}`;
    const child = spawn(node, [cli, 'debug', target, ...flags, '--stdio'], { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.#child = child;
    let partialLine = '';
    let stderrText = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (partialLine + chunk).split('\n');
      partialLine = lines.pop() ?? '';
      for (const line of lines) if (line !== '') events.onText(line);
    });
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (chunk: string) => (stderrText = (stderrText + chunk).slice(-MAX_STDERR_CHARS)));
    child.stdin?.on('error', () => undefined);
    const handleClose = (reason: string): void => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      events.onClose(reason);
    };
    child.on('error', ({ message }) => handleClose(`${node} cannot be started: ${message}`));
    child.on('close', (code, signal) =>
      handleClose(stderrText.trim() || `the debug server has ended (${signal ?? `exit code ${code}`})`),
    );
  }

  send(text: string): void {
    if (!this.#isClosed) this.#child.stdin?.write(`${text}\n`);
  }

  close(): void {
    this.#isClosed = true;
    this.#child.stdin?.end();
    this.#child.kill();
  }
}
