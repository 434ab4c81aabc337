// Lowered TypeScript keeps the positions of the original. Its behaviour is compared with tsc's output in test/programs.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { describe, expect, it } from 'vitest';
import { lowerTypeScript, transform, TransformError } from '@turntable/transform';

const SOURCE = `import { type Kind } from './kind.ts';
import { Inject } from './inject.ts';
namespace Stock.Inner {
  export interface Item { readonly sku: string }
  export let amount: number = startAmount(), other = 2;
  export const { left: renamedLeft, deep: [first = fallbackValue()] } = readPair();
  export function decrease(step: number): number { return amount -= checkStep(step); }
}

@Register({ name: nameOfService() })
export class Service {
  static readonly self = firstUse(Service);
  accessor level: number = startLevel();
  @Column(typeOfColumn())
  field!: string;
  constructor(@Inject(tokenOf()) private readonly dependency: Kind, count = defaultCount()) {
    throw new RangeError(String(count));
  }
  @Route(pathOf()) handle<T>(@Body(partOf()) body: T): Promise<T> { return inHandler(body as T)!; }
}
`;

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) as string).length };
}

const CALLED =
  'startAmount fallbackValue readPair checkStep nameOfService firstUse startLevel typeOfColumn tokenOf defaultCount RangeError pathOf partOf inHandler renamedLeft Register Column Route Body';

describe('every position of lowered TypeScript maps to the original', () => {
  const lowered = lowerTypeScript(SOURCE, 'service.ts', {}, 'module');
  const transformed = transform(SOURCE, { path: 'service.ts', kind: 'module' });
  // Parameters have no decorators of the standard kind.
  const standard = lowerTypeScript(
    SOURCE.replaceAll(/@(?:Inject|Body)\(\w+\(\)\)/g, (text) => ' '.repeat(text.length)),
    'service.ts',
    { legacyDecorators: false },
    'module',
  );
  it.each(CALLED.split(' '))('%s', (word) => {
    for (const { code, map } of /tokenOf|Body|partOf/.test(word)
      ? [lowered, transformed]
      : [lowered, transformed, standard]) {
      const traced = new TraceMap(map as never);
      const inCode = [...code.matchAll(new RegExp(`\\b${word}\\b`, 'g'))]
        .map(({ index }) => originalPositionFor(traced, lineAndColumn(code, index)))
        .map(({ line, column }) => ({ line, column }));
      const inSource = [...SOURCE.matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map(({ index }) =>
        lineAndColumn(SOURCE, index),
      );
      expect(inSource).toEqual(expect.arrayContaining(inCode));
      expect(inCode.length).toBeGreaterThan(0);
    }
  });
});

function failure(source: string): string {
  try {
    transform(source, { path: 'a.ts', kind: 'module' });
  } catch (error) {
    if (error instanceof TransformError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('an error in TypeScript names the position in the original', () => {
  const head = 'interface A {\n  x: 1;\n}\nnamespace N {\n  export type T = A;\n  export let n = 0;\n}\n';

  it('when it does not parse', () => {
    expect(failure(`${head}let = ;`)).toMatch(/^TT_SYNTAX a\.ts:8:/);
  });

  it('when it is refused', () => {
    expect(failure(`${head}  const f = (x: string): void => { eval(x as string); };`)).toMatch(
      /^TT_REFUSED a\.ts:8:36: /,
    );
  });

  it('when a name is declared twice', () => {
    expect(failure(`${head}  let a: number; let a: string;`)).toMatch(/^TT_SYNTAX a\.ts:8:\d+: /);
  });

  it('when parameters are decorated in the standard way', () => {
    const source = `${head}class C { m(@d x: 1) {} }`;
    const lower = (): unknown => lowerTypeScript(source, 'a.ts', { legacyDecorators: false });
    expect(lower).toThrow(/^a\.ts:8:13: Parameter decorators need "experimentalDecorators": true in tsconfig\.json$/);
  });

  it('when decorators are in a wrong position', () => {
    expect(failure(`${head}const C = class { @d m() {} };`)).toMatch(
      /^TT_SYNTAX a\.ts:8:11: Decorators are not valid in a class expression/,
    );
  });
});

it.each([
  ['tags of comments', '/** @param x\n * @deprecated */\n// @ts-ignore\nlet x;'],
  ['packages and addresses', "import x from '@scope/name'; const y = `a@b.c`; const z = 'module';"],
  ['namespaces that are only declared', 'declare namespace NodeJS { interface Timeout {} }\nlet x: NodeJS.Timeout;'],
])('%s change nothing', (_, text) => {
  const { code } = lowerTypeScript(text, 'a.ts', {}, 'module');
  expect(code).not.toMatch(/babelHelpers|function/);
});

it('the storage of an accessor has the name of the accessor, as tsc names it', () => {
  const source = "class C { accessor level = 1; accessor #depth = 2; accessor ['k' + 1] = 3; accessor 'a b' = 4; }";
  const { code } = lowerTypeScript(source, 'a.ts', {}, 'module');
  expect(new Set(code.match(/#\w*_accessor_storage\w*/g))).toEqual(
    new Set(['#level_accessor_storage', '#depth_accessor_storage', '#_accessor_storage', '#_accessor_storage_2']),
  );
});
