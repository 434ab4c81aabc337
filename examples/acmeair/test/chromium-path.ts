// Path of the machine's Chromium, from CHROMIUM or PATH; undefined if there is none.

import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = '{chromium,chromium-browser,google-chrome}';

export const chromiumPath: string | undefined =
  process.env['CHROMIUM'] ??
  (process.env['PATH'] ?? '').split(delimiter).flatMap((directory) => globSync(join(directory, NAMES)))[0];
