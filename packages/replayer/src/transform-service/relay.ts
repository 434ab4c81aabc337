// The transform service of the replays of one recording, in the process that starts them. Passes their requests to a
// process in the sandbox, one at a time. This process starts with the first request and ends with the last replay.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { processKiller } from '../sandbox/process-killer.ts';
import { reachedLimitText } from '../sandbox/process-limits.ts';
import type { Launch } from '../sandbox/sandbox.ts';
import { LineSplitter } from './line-splitter.ts';
import { answerLine, failureAnswer, MAX_REQUEST_BYTES, parseLine } from './protocol.ts';

/** Length of the error output that is kept to describe a failure. */
const MAX_ERROR_LENGTH = 2000;

interface ServedReplay {
  readonly connection: Duplex;
  readonly launch: () => Launch;
  /** Requests that have not been sent. While there are any, no more are read. */
  readonly requests: string[];
}

interface ServiceProcess {
  send(request: string): void;
  end(): void;
}

export class TransformRelay {
  readonly #replays: Set<ServedReplay> = new Set();
  /** The request that the process is working on. */
  #current: { readonly replay: ServedReplay; readonly request: string } | undefined;
  #process: ServiceProcess | undefined;

  /**
   * Serves a replay process through this end of its connection, until it ends.
   * @param launch of the service's process, in the sandbox
   */
  serve(connection: Duplex, launch: () => Launch): void {
    const replay: ServedReplay = { connection, launch, requests: [] };
    const splitter = new LineSplitter();
    this.#replays.add(replay);
    connection.on('data', (chunk: Buffer) => {
      replay.requests.push(...splitter.split(chunk));
      if (splitter.pendingBytes > MAX_REQUEST_BYTES) connection.destroy();
      if (replay.requests.length > 0) connection.pause();
      this.#sendNext();
    });
    connection.on('end', () => void connection.destroy());
    // The replay was killed during a request.
    connection.on('error', () => {});
    connection.on('close', () => {
      this.#replays.delete(replay);
      if (this.#replays.size > 0) return;
      this.#process?.end();
      this.#process = undefined;
      this.#current = undefined;
    });
  }

  #sendNext(): void {
    if (this.#current !== undefined) return;
    const replay = [...this.#replays].find(({ requests }) => requests.length > 0);
    const request = replay?.requests.shift();
    if (replay === undefined || request === undefined) return;
    // The others come first next time.
    this.#replays.delete(replay);
    this.#replays.add(replay);
    this.#current = { replay, request };
    try {
      this.#process ??= this.#start(replay.launch());
    } catch (error) {
      this.#fail((error as Error).message);
      return;
    }
    this.#process.send(request);
  }

  /** Answers the current request with a failure. */
  #fail(description: string): void {
    const [id] = parseLine(this.#current?.request ?? '');
    this.#answer(answerLine(id, failureAnswer(description)));
  }

  #answer(line: string): void {
    const { connection, requests } = this.#current?.replay ?? {};
    this.#current = undefined;
    if (connection?.writable === true) connection.write(`${line}\n`);
    if (requests?.length === 0) connection?.resume();
    this.#sendNext();
  }

  #start({ file, args, cwd, env, limits }: Launch): ServiceProcess {
    const child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', limits !== undefined ? 'pipe' : 'ignore'],
      cwd,
      env,
    });
    const [input, output, errors] = child.stdio as readonly unknown[] as readonly [Socket, Socket, Socket];
    child.unref();
    for (const stream of child.stdio) (stream as Socket | null)?.unref();
    const kill = processKiller(child);
    const splitter = new LineSplitter();
    let errorText = '';
    const service: ServiceProcess = {
      send: (request) => void input.write(`${request}\n`),
      end: kill,
    };
    const handleEnd = (description: string): void => {
      if (this.#process !== service) return;
      this.#process = undefined;
      if (this.#current !== undefined) this.#fail(description);
    };
    input.on('error', () => {});
    output.on('data', (chunk: Buffer) => {
      for (const line of splitter.split(chunk)) if (this.#process === service) this.#answer(line);
    });
    errors.setEncoding('utf8').on('data', (text: string) => {
      errorText = (errorText + text).slice(-MAX_ERROR_LENGTH);
    });
    child.on('error', ({ message }) => handleEnd(message));
    child.on('close', (code, signal) => {
      handleEnd(`${signal ?? `exit code ${code}`}${reachedLimitText(code, limits)}${errorText && `\n${errorText}`}`);
    });
    return service;
  }
}
