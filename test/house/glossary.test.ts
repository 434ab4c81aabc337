import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkedFiles, findingsIn, wordsOf } from '../../scripts/glossary-check.ts';
import { root } from '../../scripts/node-release.mjs';

const retiredIn = (source: string, file = 'packages/core/src/cell.ts') =>
  findingsIn(file, source).map(({ line, retired, instead }) => `${line}: ${retired} -> ${instead}`);

describe('glossary-check', () => {
  test('splits a name into its words', () => {
    expect(wordsOf('parseHTTPMessage')).toEqual(['parse', 'http', 'message']);
    expect(wordsOf('MAX_RUN_INDEX_BYTES')).toEqual(['max', 'run', 'index', 'bytes']);
    expect(wordsOf('run-index-2')).toEqual(['run', 'index', '2']);
  });

  test('finds a retired word in any identifier', () => {
    expect(retiredIn('const stretchOf = (MAX_STRETCHES) => this.#stretch;')).toEqual([
      '1: stretch -> task',
      '1: stretches -> tasks',
    ]);
  });

  test('finds a retired name as a whole only', () => {
    expect(retiredIn('class Travel {}\nclass TravelPlan {}')).toEqual(['1: Travel -> MoveQueue']);
  });

  test('finds a retired word in the name of a file', () => {
    expect(retiredIn('', 'packages/core/src/stretch-log.ts')).toEqual(['0: stretch -> task']);
  });

  test('finds a retired phrase in comments, strings, templates and titles of tests', () => {
    const source = `/* one
      stretch */
      test('a stretch ends', () => \`\${count} stretches\`);`;
    expect(retiredIn(source)).toEqual(['2: stretch -> task', '3: stretch -> task', '3: stretches -> tasks']);
  });

  test('leaves ordinary English alone', () => {
    expect(retiredIn('// takes the place of the default; ask for more\nconst place = 1;')).toEqual([]);
  });

  test('finds nothing in the workspace, and checks all of its sources', () => {
    const files = checkedFiles();
    expect(files).toContain('scripts/glossary-check.ts');
    expect(files.filter((file) => file.startsWith('packages/')).length).toBeGreaterThan(500);
    const output = execFileSync(process.execPath, ['scripts/glossary-check.ts'], { cwd: root, encoding: 'utf8' });
    expect(output).toBe(`0 retired words and phrases in ${files.length} files\n`);
  });

  test('refuses an unknown option and shows its help', () => {
    const script = fileURLToPath(new URL('../../scripts/glossary-check.ts', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--unknown'], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain('glossary-check [--json] [FILE…]');
  });
});
