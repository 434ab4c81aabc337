// The version of the `turntable` package, and where it lies: what this is bundled into stands in `src` or in a folder beside it as well.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const home: string = fileURLToPath(new URL('../', import.meta.url));

export const version: string = (JSON.parse(readFileSync(`${home}package.json`, 'utf8')) as { version: string }).version;
