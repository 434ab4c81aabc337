// The engine of a window: `turntable debug DIR --stdio` in a process of the user's own Node. The runtime is the one that the recording's project has, since another version would not run it again alike.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface EngineEvents {
  text(text: string): void;
  closed(why: string): void;
}

export interface EngineCommand {
  readonly node: string;
  readonly cli: string;
}

export interface EngineWish {
  /** Though it might come out otherwise. */
  readonly isForced: boolean;
  /** The file of the key that it is sealed with. */
  readonly key: string | undefined;
  /** Of the program that writes it and goes on: what there is so far. */
  readonly pid: number | undefined;
}

/** Which Node and which runtime; undefined, if there is no runtime above the recording. */
export function engineCommand(place: string, environment: NodeJS.ProcessEnv): EngineCommand | undefined {
  const node = environment['TURNTABLE_NODE'] ?? 'node';
  const said = environment['TURNTABLE_CLI'];
  if (said !== undefined) return { node, cli: said };
  for (let at = resolve(place); ; at = dirname(at)) {
    const cli = join(at, 'node_modules/turntable/dist/cli.js');
    if (existsSync(cli)) return { node, cli };
    if (dirname(at) === at) return undefined;
  }
}

/** Bytes of what it says of itself that are kept. */
const KEPT = 4000;

export class Engine {
  readonly #child: ChildProcess;
  #isOver = false;

  constructor(place: string, { node, cli }: EngineCommand, { isForced, key, pid }: EngineWish, events: EngineEvents) {
    // What Electron has put into the environment is not the program's.
    const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
    const more = [...(isForced ? ['--force'] : []), ...(key === undefined ? [] : [`--key=${key}`])];
    const what = pid === undefined ? place : `--pid=${pid}`;
    const child = spawn(node, [cli, 'debug', what, ...more, '--stdio'], { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.#child = child;
    let rest = '';
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') events.text(line);
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said = (said + chunk).slice(-KEPT)));
    child.stdin?.on('error', () => undefined);
    const over = (why: string): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      events.closed(why);
    };
    child.on('error', ({ message }) => over(`${node} cannot be started: ${message}`));
    child.on('close', (code, signal) => over(said.trim() || `the engine has ended (${signal ?? `exit code ${code}`})`));
  }

  send(text: string): void {
    if (!this.#isOver) this.#child.stdin?.write(`${text}\n`);
  }

  end(): void {
    this.#isOver = true;
    this.#child.stdin?.end();
    this.#child.kill();
  }
}
