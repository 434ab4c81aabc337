// The engine of a window: `turntable debug DIR --stdio` in a process of the user's own Node. The runtime is the one that the recording's project has, since another version would not run it again alike.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface DebugServerEvents {
  onText(text: string): void;
  onClose(reason: string): void;
}

export interface DebugServerCommand {
  readonly node: string;
  readonly cli: string;
}

export interface DebugServerOptions {
  /** Though it might come out otherwise. */
  readonly isForced: boolean;
  /** The file of the key that it is sealed with. */
  readonly keyFile: string | undefined;
  /** Of the program that writes it and goes on: what there is so far. */
  readonly pid: number | undefined;
}

/** Which Node and which runtime; undefined, if there is no runtime above the recording. */
export function findDebugServerCommand(path: string, environment: NodeJS.ProcessEnv): DebugServerCommand | undefined {
  const node = environment['TURNTABLE_NODE'] ?? 'node';
  const cliPath = environment['TURNTABLE_CLI'];
  if (cliPath !== undefined) return { node, cli: cliPath };
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    const cli = join(directory, 'node_modules/turntable/dist/cli.js');
    if (existsSync(cli)) return { node, cli };
    if (dirname(directory) === directory) return undefined;
  }
}

/** Bytes of what it says of itself that are kept. */
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
    // What Electron has put into the environment is not the program's.
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
      handleClose(stderrText.trim() || `the engine has ended (${signal ?? `exit code ${code}`})`),
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
