// Runs the terminal client on a terminal, with prompt, completion and history, or on a pipe or file. Each line from a
// pipe or file is echoed before its result, and lines that start with # are comments. Lines run one after the other. Ctrl-C cancels the current line; without one, it quits.
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { REDACTED } from '@turntable/recording/redaction';
import type { Client, Wire } from '@turntable/time-machine/client';
import { sanitizeLines, sanitizeText } from '@turntable/replayer/entry';
import { Repl } from './repl.ts';

export interface TerminalOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether a user types the lines; otherwise they come from a pipe or file. */
  readonly isTerminal: boolean;
  /** Opens a new connection to the recording of a running program. */
  readonly connect?: () => Promise<Wire>;
}

/** Runs the client. Resolves with the exit code: 1 if a line from a pipe or file failed. */
export async function runTerminal(
  client: Client,
  { input, output, isTerminal, connect }: TerminalOptions,
): Promise<number> {
  // All texts of the session, also what the program printed, come from the recording.
  const redactions = { isShown: false, isExplained: false };
  const print = (text: string): void => {
    redactions.isShown ||= text.includes(REDACTED);
    output.write(sanitizeLines(text));
  };
  const repl = new Repl(client, await client.hello('terminal'), print, connect);
  await repl.start();
  const lines = createInterface({
    input,
    ...(isTerminal ? { output } : {}),
    terminal: isTerminal,
    completer: (line: string, callback: (error: Error | null, found?: [string[], string]) => void) => {
      repl.completionsOf(line).then(
        ([names, typed]) => callback(null, [names.map(sanitizeText), typed]),
        () => callback(null, [[], line]),
      );
    },
  });
  let running: AbortController | undefined;
  const onInterrupt = (): void => {
    if (running !== undefined) running.abort();
    else lines.close();
  };
  lines.on('SIGINT', onInterrupt);
  if (!isTerminal) process.on('SIGINT', onInterrupt);
  repl.onEnd = (reason) => {
    print(`${reason}\n`);
    lines.close();
  };
  try {
    for await (const line of promptLines(lines, () => (isTerminal ? repl.position : undefined))) {
      if (!isTerminal && line.startsWith('#')) continue;
      if (!isTerminal && line.trim() !== '') print(`${repl.position}> ${line.trim()}\n`);
      running = new AbortController();
      const onProgress = isTerminal ? progressPrinter(output) : undefined;
      const shouldContinue = await repl.run(isTerminal ? repl.lineToRepeat(line) : line, {
        signal: running.signal,
        onProgress,
      });
      running = undefined;
      if (redactions.isShown && !redactions.isExplained) {
        redactions.isExplained = true;
        print('(secrets are redacted; turntable debug --no-redact shows them)\n');
      }
      if (!shouldContinue) break;
    }
  } finally {
    process.off('SIGINT', onInterrupt);
    repl.end();
    lines.close();
  }
  return repl.hasFailed && !isTerminal ? 1 : 0;
}

async function* promptLines(
  lines: Interface,
  position: () => string | undefined,
): AsyncGenerator<string, void, undefined> {
  let isClosed = false;
  lines.once('close', () => void (isClosed = true));
  const prompt = (): void => {
    const label = position();
    // Lines that were entered before the end of the input are still run.
    if (label === undefined || isClosed) return;
    lines.setPrompt(`${label}> `);
    lines.prompt();
  };
  const iterator = lines[Symbol.asyncIterator]();
  prompt();
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    yield next.value;
    prompt();
  }
}

/** Prints progress in a line that the next output overwrites. */
function progressPrinter(output: Writable): (done: number, total: number) => void {
  return (done, total) => void output.write(`… ${Math.floor((done / Math.max(1, total)) * 100)} %\r`);
}
