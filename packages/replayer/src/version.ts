// Turntable's version, which all its packages share. When bundled, this file is in a folder next to `src`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Directory of this package. */
export const packageRoot: string = fileURLToPath(new URL('../', import.meta.url));

/** Version of Turntable. */
export const version: string = (JSON.parse(readFileSync(`${packageRoot}package.json`, 'utf8')) as { version: string })
  .version;
