// A variant is one way to do a piece of work; a session is a running instance of it that takes timed samples. Sessions
// normally run in separate processes: two variants in one process would share the type feedback and the optimised code
// of shared code (core, the collections), and the first would influence the second.

import { fork } from 'node:child_process';
import type { Sample } from './sample.ts';
import { makeScratch } from './scratch.ts';

export interface Session {
  sample(): Promise<Sample>;
  close(): Promise<void>;
}

export interface Variant {
  readonly name: string;
  open(): Promise<Session>;
}

export class BenchError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}

/** Messages between the two sides of a process variant. */
export type Request = 'sample';
export type Reply = { ready: true } | { sample: Sample } | { failure: string };

export interface ProcessVariant {
  readonly name: string;
  /** A program that calls `serveSamples`. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
  readonly execPath?: string;
}

export function processVariant(variant: ProcessVariant): Variant {
  return { name: variant.name, open: () => openProcess(variant) };
}

/** A variant with a new process for each sample, for work that happens once per process. */
export function freshVariant(name: string, variant: () => Promise<ProcessVariant>): Variant {
  return {
    name,
    open: async () => ({
      async sample() {
        const session = await openProcess(await variant());
        try {
          return await session.sample();
        } finally {
          await session.close();
        }
      },
      close: async () => {},
    }),
  };
}

async function openProcess(variant: ProcessVariant): Promise<Session> {
  const scratch = makeScratch();
  const child = fork(variant.file, variant.args, {
    execPath: variant.execPath ?? process.execPath,
    execArgv: [...(variant.execArgv ?? [])],
    env: scratch.env,
    // Standard output is reserved for the table; what the program prints goes to standard error.
    stdio: ['ignore', 2, 'inherit', 'ipc'],
  });
  let pendingReply: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | undefined;
  let exitError: Error | undefined;
  const exited = new Promise<void>((resolve) => {
    const onEnd = (status: string): void => {
      exitError = new BenchError('TT_BENCH_PROCESS', `variant "${variant.name}" ended early (${status})`);
      pendingReply?.reject(exitError);
      scratch.delete();
      resolve();
    };
    child.once('exit', (code, signal) => onEnd(signal === null ? `exit code ${code}` : `signal ${signal}`));
    child.once('error', (error) => onEnd(error.message));
  });
  child.on('message', (reply: Reply) => pendingReply?.resolve(reply));

  const nextReply = async (): Promise<Reply> => {
    if (exitError) throw exitError;
    const reply = await new Promise<Reply>((resolve, reject) => {
      pendingReply = { resolve, reject };
    });
    if ('failure' in reply) {
      throw new BenchError('TT_BENCH_FAILURE', `variant "${variant.name}" failed: ${reply.failure}`);
    }
    return reply;
  };
  const close = async (): Promise<void> => {
    child.kill();
    await exited;
  };

  try {
    await nextReply();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async sample() {
      const reply = nextReply();
      child.send('sample' satisfies Request);
      const answer = await reply;
      if ('sample' in answer) return answer.sample;
      throw new BenchError('TT_BENCH_PROTOCOL', `variant "${variant.name}" answered out of turn`);
    },
  };
}
