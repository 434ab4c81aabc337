import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { transform } from '@turntable/transform';

const folder = fileURLToPath(new URL('golden/', import.meta.url));
const inputs = readdirSync(folder).filter((name) => /\.m?js$/.test(name));

describe('emitted code', () => {
  it.each([...inputs, ...inputs.map((name) => `${name}.debug`)])(
    'of %s stays as it was read and approved',
    async (form) => {
      const name = form.replace(/\.debug$/, '');
      const source = readFileSync(folder + name, 'utf8');
      const { code } = transform(source, {
        path: name,
        kind: name.endsWith('.mjs') ? 'module' : 'commonjs',
        id: 'golden',
        debug: form !== name,
      });
      expect(() => new Script(code, { filename: name })).not.toThrow();
      // One statement a line, so that a difference shows where it is.
      await expect(code.replaceAll(/([;{}]) (?=\S)/g, '$1\n')).toMatchFileSnapshot(`${folder}${form}.out`);
    },
  );
});
