import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { LiveCell } from '../../src/modules/live-cell.ts';

function cellOf(source: Record<string, unknown>, name: string): LiveCell {
  const cell = new LiveCell(name);
  cell.source = source;
  return cell;
}

describe('a cell of a native module', () => {
  it('reads the current value of an export of any name', () => {
    for (const name of ['count', 'default', '$', 'größe', 'module.exports', 'a b', '0', '']) {
      const source: Record<string, unknown> = { [name]: 1 };
      const cell = cellOf(source, name);
      expect([name, cell.v]).toEqual([name, 1]);
      source[name] = 2;
      expect([name, cell.v]).toEqual([name, 2]);
    }
  });

  it('is undefined before the module is evaluated, and follows a change of its source', () => {
    const cell = new LiveCell('x');
    expect(cell.v).toBeUndefined();
    cell.source = { x: 1 };
    expect(cell.v).toBe(1);
    cell.source = { x: 2 };
    expect(cell.v).toBe(2);
  });

  it('throws on a write like a constant, and on an early read like the module', () => {
    const source = Object.defineProperty({}, 'x', {
      get: () => {
        throw new ReferenceError("Cannot access 'x' before initialization");
      },
    });
    const cell = cellOf(source, 'x');
    expect(() => cell.v).toThrow(ReferenceError);
    expect(() => (cell.v = 1)).toThrow('Assignment to constant variable.');
  });

  it('works where code generation from strings is disabled', () => {
    const file = new URL('../../src/modules/live-cell.ts', import.meta.url).href;
    const text = `const { LiveCell } = await import(${JSON.stringify(file)});
      const cell = new LiveCell('x'); cell.source = { x: 7 }; console.log(cell.v);`;
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '-e', text];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('7\n');
  });
});
