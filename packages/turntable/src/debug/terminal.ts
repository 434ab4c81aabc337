// The lines of the time machine's terminal, and what is done with them: at a real one with a prompt, completion and history; from a pipe one after the other, each shown before its answer, so
// that what is printed reads as a conversation. Ctrl-C gives up what is under way, and ends where nothing is.
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Client, Wire } from '@turntable/time-machine/client';
import { Repl } from './repl.ts';

export interface Surroundings {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether somebody sits there. */
  readonly isTerminal: boolean;
  /** Connects again, to what has been recorded by then of a program that goes on. */
  readonly connect?: () => Promise<Wire>;
}

/** Answers the exit code: 1 if lines from a pipe could not all be done. */
export async function atTerminal(
  client: Client,
  { input, output, isTerminal, connect }: Surroundings,
): Promise<number> {
  const repl = new Repl(client, await client.hello('terminal'), (text) => void output.write(text), connect);
  await repl.begins();
  const lines = createInterface({
    input,
    ...(isTerminal ? { output } : {}),
    terminal: isTerminal,
    completer: (line: string, told: (error: Error | null, found?: [string[], string]) => void) => {
      repl.completionsOf(line).then(
        (found) => told(null, found),
        () => told(null, [[], line]),
      );
    },
  });
  let under: AbortController | undefined;
  const interrupted = (): void => {
    if (under !== undefined) under.abort();
    else lines.close();
  };
  lines.on('SIGINT', interrupted);
  if (!isTerminal) process.on('SIGINT', interrupted);
  repl.onEnd = (why) => {
    output.write(`${why}\n`);
    lines.close();
  };
  try {
    for await (const line of prompting(lines, () => (isTerminal ? repl.position : undefined))) {
      if (!isTerminal && line.trim() !== '') output.write(`${repl.position}> ${line.trim()}\n`);
      under = new AbortController();
      const onProgress = isTerminal ? showProgress(output) : undefined;
      const goesOn = await repl.run(line, { signal: under.signal, onProgress });
      under = undefined;
      if (!goesOn) break;
    }
  } finally {
    process.off('SIGINT', interrupted);
    repl.end();
    lines.close();
  }
  return repl.hasFailed && !isTerminal ? 1 : 0;
}

async function* prompting(
  lines: Interface,
  position: () => string | undefined,
): AsyncGenerator<string, void, undefined> {
  const prompt = (): void => {
    const where = position();
    if (where === undefined) return;
    lines.setPrompt(`${where}> `);
    lines.prompt();
  };
  const all = lines[Symbol.asyncIterator]();
  prompt();
  for (let next = await all.next(); next.done !== true; next = await all.next()) {
    yield next.value;
    prompt();
  }
}

/** Overwritten by what comes next. */
function showProgress(output: Writable): (done: number, total: number) => void {
  return (done, total) => void output.write(`… ${Math.floor((done / Math.max(1, total)) * 100)} %\r`);
}
