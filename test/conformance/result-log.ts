/*
 * Results of one kind of run, appended as one JSON line each, so that an interrupted run can be resumed. The file name
 * covers all inputs except the test files, whose hashes are in their lines.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { FileOutcome } from './execution.ts';

export type LoggedResult = { readonly path: string; readonly hash: string } & Partial<FileOutcome>;

export class ResultLog {
  readonly file: string;
  readonly results = new Map<string, LoggedResult>();

  constructor(file: string) {
    this.file = file;
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      try {
        const result = JSON.parse(line) as LoggedResult;
        this.results.set(result.path, result);
      } catch {
        // The line was cut by an interruption, so that file is rerun.
      }
    }
  }

  has(path: string, hash: string): boolean {
    return this.results.get(path)?.hash === hash;
  }

  add(result: LoggedResult): void {
    this.results.set(result.path, result);
    appendFileSync(this.file, `${JSON.stringify(result)}\n`);
  }
}

export function hashOf(...texts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
}

export function hashOfFiles(files: readonly string[]): string {
  return hashOf(...files.toSorted().map((file) => readFileSync(file)));
}

export function suiteFileHash(suite: string, path: string): string {
  return hashOf(readFileSync(join(suite, path)));
}
