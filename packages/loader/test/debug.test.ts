import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { program, runWith } from './running.ts';
import { FLAGS } from '../../../scripts/tested.ts';

/** As `turntable/register`, with code of debug mode; at the end it says how many lists of statements were entered, and where it was stopped. */
const INSTALL = `
import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';
const { statements } = install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
const { stdout } = process;
if (process.env.STOP_AT) {
  const [list, statement] = process.env.STOP_AT.split('.').map(Number);
  statements.stopAt({ list, statement }, (file, statement, locals) => stdout.write(\`stopped \${JSON.stringify(locals.slice(0, 2))}\\n\`));
}
process.on('exit', () => stdout.write(\`\${statements.lists} lists\\n\`));
`;

const FILES = {
  'install.mjs': INSTALL,
  'main.mjs': `
    import twice from './twice.cjs';
    const sum = new Function('a', 'b', 'const c = a + b; return c;');
    console.log(twice(sum(1, 2)), twice.toString(), (0, eval)('1; var x = 2'));
  `,
  'twice.cjs': `module.exports = function twice(n) { let m = n; m *= 2; return m; };`,
};

const TOLD = '6 function twice(n) { let m = n; m *= 2; return m; } 1\n';
/** One of the file, of the module, of each function, and of the text that is evaluated. */
const COUNT = '5 lists\n';

/** Where it is stopped, it is compared what is known of the file's statements there and by its text. */
const COMPARE = `
import { readFileSync } from 'node:fs';
import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, statementsOf, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';
const { statements, statementOf } = install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
const { stdout } = process;
const path = new URL('main.mts', import.meta.url).pathname;
const strange = JSON.stringify([statementsOf(path, 'let = 1', undefined), statementsOf('/data.json', '{}', undefined)]);
const byText = statementsOf(path, readFileSync(path, 'utf8'), undefined);
statements.stopAt({ list: 1, statement: 1 }, (file) => {
  const there = [];
  for (let n = 0, place = statementOf(file, n); place !== undefined; place = statementOf(file, ++n)) there.push(place);
  const text = (places) => JSON.stringify(places.map((each) => ({ ...each, file: '' })));
  stdout.write(\`\${text(there) === text(byText) ? 'the same' : 'others'} \${byText.length} \${strange}\\n\`);
});
`;

const TYPED = `
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
  it('run as ever, with what they make at run time counted as well, and stop where they are told', async ({
    onTestFinished,
  }) => {
    const directory = program(FILES, onTestFinished);
    const cache = join(directory, 'cache');
    const run = async (args: readonly string[], environment = {}): Promise<string> => {
      const { stdout, stderr } = await runWith(directory, [...args, 'main.mjs'], {
        flags: FLAGS,
        environment: { TURNTABLE_CACHE: cache, ...environment },
      });
      expect(stderr).toBe('');
      return stdout;
    };
    const debug = ['--import', './install.mjs'];
    expect(await run([])).toBe(TOLD);
    expect(await run(['--import', 'turntable/register'])).toBe(TOLD);
    expect(await run(debug)).toBe(TOLD + COUNT);
    // From the cache, which has both forms now.
    expect(await run(debug, { STOP_AT: '4.3' })).toBe(`stopped [3,6]\n${TOLD}${COUNT}`);
    expect(await run(['--import', 'turntable/register'])).toBe(TOLD);
  });

  it('have the statements that their texts say they have', async ({ onTestFinished }) => {
    const directory = program({ 'compare.mjs': COMPARE, 'main.mts': TYPED }, onTestFinished);
    const { stdout, stderr } = await runWith(directory, ['--import', './compare.mjs', 'main.mts'], { flags: FLAGS });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^the same \d\d \[null,null\]\n1 1\n$/);
  });
});
