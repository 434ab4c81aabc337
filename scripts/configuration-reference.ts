// Writes the table of settings into docs/guide/configuration.md, from the reference in the loader's sources. `npm run
// docs:reference` runs this; a test compares the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS_REFERENCE } from '../packages/loader/src/settings/settings-reference.ts';
import { replaceGeneratedPart } from './generated-part.ts';
import { root } from './node-release.mjs';

const FILE = join(root, 'docs/guide/configuration.md');
const HEAD = '| `turntable.config.ts` | environment | flag | default | meaning |\n|---|---|---|---|---|';

/** The table of all settings, as Markdown. */
export function settingsTable(): string {
  const rows = SETTINGS_REFERENCE.map(({ config = '', variable = '', flag = '', defaultText, meaning }) =>
    ['', config, variable, flag, defaultText, meaning, ''].join(' | ').trim(),
  );
  return `${HEAD}\n${rows.join('\n')}\n`;
}

/** The page with its present table replaced. */
export function configurationPage(): string {
  return replaceGeneratedPart(readFileSync(FILE, 'utf8'), 'settings', settingsTable());
}

if (import.meta.main) writeFileSync(FILE, configurationPage());
