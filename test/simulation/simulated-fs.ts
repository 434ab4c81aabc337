// Replaces `node:fs` for the writer's file operations. Before each of them, another thread may run, or the process may
// be killed. Files are real; syncs do nothing, because no power fails.
import fs from 'node:fs';
import { activeProcess } from './simulated-process.ts';

const openDescriptors = new Set<number>();

/** Closes the files that a killed process has left open. */
export function closeLeftFiles(): void {
  for (const descriptor of openDescriptors) fs.closeSync(descriptor);
  openDescriptors.clear();
}

const operation = (): void => activeProcess()?.operation();

export default {
  ...fs,
  openSync(path: string, flags: string, mode?: number): number {
    operation();
    const descriptor = fs.openSync(path, flags, mode);
    openDescriptors.add(descriptor);
    return descriptor;
  },
  closeSync(descriptor: number): void {
    operation();
    fs.closeSync(descriptor);
    openDescriptors.delete(descriptor);
  },
  writeSync(descriptor: number, bytes: Uint8Array, offset: number, length: number): number {
    operation();
    return fs.writeSync(descriptor, bytes, offset, length);
  },
  ftruncateSync(descriptor: number, length: number): void {
    operation();
    fs.ftruncateSync(descriptor, length);
  },
  fsyncSync(): void {
    operation();
  },
  renameSync(from: string, to: string): void {
    operation();
    fs.renameSync(from, to);
  },
  mkdirSync(path: string, options: fs.MakeDirectoryOptions): void {
    operation();
    fs.mkdirSync(path, options);
  },
  rmSync(path: string, options: fs.RmOptions): void {
    operation();
    fs.rmSync(path, options);
  },
  utimesSync(path: string, accessed: number, modified: number): void {
    operation();
    fs.utimesSync(path, accessed, modified);
  },
};
