// The browser of the machine, if there is one: Debian's Chromium, or whatever CHROMIUM names.

import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = '{chromium,chromium-browser,google-chrome}';

export const chromiumPath: string | undefined =
  process.env['CHROMIUM'] ??
  (process.env['PATH'] ?? '').split(delimiter).flatMap((directory) => globSync(join(directory, NAMES)))[0];
