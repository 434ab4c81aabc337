// The states of a directory of recordings that kills leave: after each file system call of the writer, and within each
// write. They are made by repeating the logged calls of one run in another directory.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { LoggedCall } from '../../packages/recording/src/file-operations.ts';

export interface DirectoryState {
  /** The last call. */
  readonly name: string;
  /** Contents of files, and undefined for directories, by their relative paths in order. */
  readonly entries: ReadonlyMap<string, Buffer | undefined>;
}

export function readCalls(log: string): LoggedCall[] {
  return fs
    .readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LoggedCall);
}

/**
 * Returns the distinct states that are not empty, in order.
 * @param recordings the directory of the logged calls
 * @param copy an empty directory for their repetition
 */
export function distinctStates(calls: readonly LoggedCall[], recordings: string, copy: string): DirectoryState[] {
  const states = new Map<string, DirectoryState>();
  const add = (name: string): void => {
    const entries = readEntries(copy);
    const hash = hashOf(entries);
    if (entries.size > 0 && !states.has(hash)) states.set(hash, { name, entries });
  };
  const repeater = new CallRepeater((path) => join(copy, relative(recordings, path)));
  for (const [index, call] of calls.entries()) {
    repeater.repeat(call, () => add(`within call ${index + 1}, write`));
    add(`after call ${index + 1}, ${call.syscall}`);
  }
  repeater.close();
  return [...states.values()];
}

/** Makes the directory of a state. @param directory an empty directory */
export function writeState({ entries }: DirectoryState, directory: string): void {
  for (const [path, content] of entries) {
    const target = join(directory, path);
    fs.mkdirSync(content === undefined ? target : dirname(target), { recursive: true });
    if (content !== undefined) fs.writeFileSync(target, content);
  }
}

class CallRepeater {
  readonly #move: (path: string) => string;
  /** Own descriptors by logged ones. */
  readonly #descriptors = new Map<number, number>();

  /** @param move returns the path in the other directory */
  constructor(move: (path: string) => string) {
    this.#move = move;
  }

  /** @param afterHalf called when half of a write is done */
  repeat(call: LoggedCall, afterHalf: () => void): void {
    switch (call.syscall) {
      case 'open':
        this.#close(call.descriptor);
        this.#descriptors.set(call.descriptor, fs.openSync(this.#move(call.path), call.flags));
        return;
      case 'write': {
        const bytes = Buffer.from(call.base64, 'base64');
        const half = Math.ceil(bytes.length / 2);
        fs.writeSync(this.#descriptor(call.descriptor), bytes, 0, half);
        afterHalf();
        fs.writeSync(this.#descriptor(call.descriptor), bytes, half);
        return;
      }
      case 'ftruncate':
        return fs.ftruncateSync(this.#descriptor(call.descriptor), call.length);
      case 'rename':
        return fs.renameSync(this.#move(call.from), this.#move(call.to));
      case 'mkdir':
        return void fs.mkdirSync(this.#move(call.path), { recursive: true });
      case 'rm':
        return fs.rmSync(this.#move(call.path), { recursive: true, force: true });
      case 'fsync':
      case 'utimes':
        return;
      default:
        return call satisfies never;
    }
  }

  close(): void {
    for (const descriptor of this.#descriptors.keys()) this.#close(descriptor);
  }

  #descriptor(logged: number): number {
    return this.#descriptors.get(logged) as number;
  }

  #close(logged: number): void {
    const descriptor = this.#descriptors.get(logged);
    if (descriptor !== undefined) fs.closeSync(descriptor);
    this.#descriptors.delete(logged);
  }
}

function readEntries(directory: string): Map<string, Buffer | undefined> {
  const paths = (fs.readdirSync(directory, { recursive: true }) as string[]).toSorted();
  return new Map(
    paths.map((path) => {
      const file = join(directory, path);
      return [path, fs.statSync(file).isDirectory() ? undefined : fs.readFileSync(file)];
    }),
  );
}

function hashOf(entries: ReadonlyMap<string, Buffer | undefined>): string {
  const hash = createHash('sha256');
  for (const [path, content] of entries)
    hash.update(JSON.stringify([path, content?.length ?? null])).update(content ?? '');
  return hash.digest('hex');
}
