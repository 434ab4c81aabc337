// Keeps the recordings of failed tests although tests delete their directories, some even before an assertion fails:
// deleting a directory directly below the scratch directory moves it aside. The test command deletes all for good once
// the file has passed.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

export function keepDeleted(scratch: string, aside: string): void {
  const remove = fs.rmSync;
  let count = 0;
  fs.rmSync = (path, options) => {
    if (options?.recursive !== true || typeof path !== 'string' || dirname(resolve(path)) !== scratch)
      return remove(path, options);
    try {
      fs.mkdirSync(aside, { recursive: true });
      fs.renameSync(path, join(aside, `${++count}-${basename(path)}`));
    } catch {
      // The directory does not exist, or cannot be moved.
      remove(path, options);
    }
  };
  syncBuiltinESMExports();
}
