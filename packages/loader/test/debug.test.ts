import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { createProgram, runWith } from './running.ts';
import { FLAGS } from '../../../scripts/tested-form.ts';

/** Like `turntable/register` in debug mode; at the end it prints how many statement lists were entered, and where it stopped. */
const INSTALL_SCRIPT = `
import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';
const { statementClock } = install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
const { stdout } = process;
if (process.env.STOP_AT) {
  const [list, statement] = process.env.STOP_AT.split('.').map(Number);
  statementClock.stopAt({ list, statement }, (file, statement, locals) => stdout.write(\`stopped \${JSON.stringify(locals.slice(0, 2))}\\n\`));
}
process.on('exit', () => stdout.write(\`\${statementClock.listsEntered} lists\\n\`));
`;

const PROGRAM_FILES = {
  'install.mjs': INSTALL_SCRIPT,
  'main.mjs': `
    import twice from './twice.cjs';
    const sum = new Function('a', 'b', 'const c = a + b; return c;');
    console.log(twice(sum(1, 2)), twice.toString(), (0, eval)('1; var x = 2'));
  `,
  'twice.cjs': `module.exports = function twice(n) { let m = n; m *= 2; return m; };`,
};

const PROGRAM_OUTPUT = '6 function twice(n) { let m = n; m *= 2; return m; } 1\n';
/** One list for the file, for the module, for each function, and for the evaluated text. */
const LIST_COUNT_LINE = '5 lists\n';

/** At the stop, compares the file's statements as known there and as computed from its text. */
const COMPARE_SCRIPT = `
import { readFileSync } from 'node:fs';
import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, probeLocationsOf, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';
const { statementClock, locateProbe } = install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
const { stdout } = process;
const path = new URL('main.mts', import.meta.url).pathname;
const strange = JSON.stringify([probeLocationsOf(path, 'let = 1', undefined), probeLocationsOf('/data.json', '{}', undefined)]);
const byText = probeLocationsOf(path, readFileSync(path, 'utf8'), undefined);
statementClock.stopAt({ list: 1, statement: 1 }, (file) => {
  const there = [];
  for (let n = 0, place = locateProbe(file, n); place !== undefined; place = locateProbe(file, ++n)) there.push(place);
  const text = (places) => JSON.stringify(places.map((each) => ({ ...each, file: '' })));
  stdout.write(\`\${text(there) === text(byText) ? 'the same' : 'others'} \${byText.length} \${strange}\\n\`);
});
`;

const TYPESCRIPT_SOURCE = `
enum Sort { One, Two }
interface Named { readonly name: string }
class Shop<T extends Named> {
  readonly #all: T[] = []; count: number = 0;
  constructor(readonly sort: Sort) { this.count = 1; }
  async add(one: T): Promise<number> { this.#all.push(one); for (const each of this.#all) if (each.name === '') return 0; return this.#all.length; }
}
const shop = new Shop<Named>(Sort.Two); console.log(await shop.add({ name: 'tea' } as Named), shop!.count);
`;

describe('programs with the code of debug mode', () => {
  it('behave as before, have probes in code compiled at run time, and stop at statements', async ({
    onTestFinished,
  }) => {
    const directory = createProgram(PROGRAM_FILES, onTestFinished);
    const cache = join(directory, 'cache');
    const run = async (args: readonly string[], environment = {}): Promise<string> => {
      const { stdout, stderr } = await runWith(directory, [...args, 'main.mjs'], {
        flags: FLAGS,
        environment: { TURNTABLE_CACHE: cache, ...environment },
      });
      expect(stderr).toBe('');
      return stdout;
    };
    const debugFlags = ['--import', './install.mjs'];
    expect(await run([])).toBe(PROGRAM_OUTPUT);
    expect(await run(['--import', 'turntable/register'])).toBe(PROGRAM_OUTPUT);
    expect(await run(debugFlags)).toBe(PROGRAM_OUTPUT + LIST_COUNT_LINE);
    // From the cache, which now has both forms.
    expect(await run(debugFlags, { STOP_AT: '4.3' })).toBe(`stopped [3,6]\n${PROGRAM_OUTPUT}${LIST_COUNT_LINE}`);
    expect(await run(['--import', 'turntable/register'])).toBe(PROGRAM_OUTPUT);
  });

  it('have the statements that are computed from their texts', async ({ onTestFinished }) => {
    const directory = createProgram({ 'compare.mjs': COMPARE_SCRIPT, 'main.mts': TYPESCRIPT_SOURCE }, onTestFinished);
    const { stdout, stderr } = await runWith(directory, ['--import', './compare.mjs', 'main.mts'], { flags: FLAGS });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^the same \d\d \[null,null\]\n1 1\n$/);
  });
});
