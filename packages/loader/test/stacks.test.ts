// Stacks show the program as written: the same functions, types, lines and columns as natively.
import { expect, it } from 'vitest';
import { createProgram, runNative, runTransformed } from './running.ts';

const MAIN = `
const util = require('util');
const { imported } = require('./lib.cjs');
const lines = [];
/** The frames in this directory. */
const own = (stack) => String(stack).split('\\n').filter((line) => line.includes(__dirname) || !line.startsWith('    at '));
const show = (name, stack) => lines.push(name, ...own(stack).map((line) => '  ' + line.replaceAll(__dirname, '')));
function plain() { return new Error('plain').stack; }
const arrow = () => plain();
const object = { method() { return arrow(); }, get value() { return this.method(); }, 'odd name': function () { return this.value; }, async later() { await null; return plain(); } };
class Base {
  constructor(stack) { this.stack = stack ?? plain(); }
  static make() { return new this(); }
  method() { return plain(); }
  #secret() { return this.method(); }
  secret() { return this.#secret(); }
  get value() { return this.secret(); }
  static { this.initial = plain(); }
  field = plain();
  static *steps() { yield plain(); yield object.value; }
  async later() { await 1; return this.secret(); }
  async *stream() { yield plain(); await null; yield plain(); }
}
class Derived extends Base {
  method() { return super.method(); }
}
show('plain', plain());
show('arrow', arrow());
show('method', object.method());
show('getter', object.value);
show('odd', object['odd name']());
show('constructor', new Base().stack);
show('static', Derived.make().stack);
show('private', new Derived().secret());
show('class getter', new Base().value);
show('static block', Base.initial);
show('field', new Base('x').field);
for (const each of Base.steps()) show('generator', each);
show('callback', [1].map(function named() { return plain(); })[0]);
show('nameless', [1].map(() => plain())[0]);
show('call', plain.call({}));
show('apply', object.method.apply(new Base()));
show('bound', object.method.bind(null)());
show('imported', imported(plain));
show('indirect', (0, imported)(() => new TypeError('in a callback').stack));
show('constructed', Reflect.construct(Base, []).stack);
show('sorted', (() => { let stack; [2, 1].sort(() => { stack = plain(); return 0; }); return stack; })());
show('proxy', new Proxy({}, { get: () => plain() }).x);
show('nested', (function outer() { return (function inner() { return plain(); })(); })());
show('default', ((stack = plain()) => stack)());
show('multiline', plain
  ());
for (const limit of [0, 1, 3]) {
  Error.stackTraceLimit = limit;
  show('limit ' + limit, object.value);
}
Error.stackTraceLimit = 50;
function hidden() { const holder = {}; Error.captureStackTrace(holder, hidden); return holder.stack; }
function visible() { const holder = {}; Error.captureStackTrace(holder); return holder.stack; }
show('hidden', (function caller() { return hidden(); })());
show('visible', visible());
function sites() { return util.getCallSites(3).map(({ functionName, lineNumber, columnNumber, column }) => [functionName, lineNumber, columnNumber, column]); }
lines.push(JSON.stringify((function caller() { return sites(); })()), JSON.stringify(new Derived(sites()).stack.slice(0, 2)), util.getCallSites()[0].lineNumber);
for (const invalid of [0, 201, 'x']) try { lines.push(util.getCallSites(invalid).length); } catch (error) { lines.push(error.code); }
Error.prepareStackTrace = (error, all) => all.filter((site) => String(site.getFileName()).startsWith(__dirname)).map((site) => JSON.stringify([
  site.getFunctionName(), site.getMethodName(), site.getTypeName(), site.getLineNumber(), site.getColumnNumber(),
  site.isConstructor(), site.isToplevel(), site.isAsync(), site.isEval(), site.isNative(), site.getFileName().slice(__dirname.length), String(site).replaceAll(__dirname, ''),
])).join('\\n');
for (const make of [plain, () => object.value, () => new Base().stack, () => Derived.make().stack, () => new Derived().secret(), () => visible()])
  lines.push(make());
lines.push(typeof Error.prepareStackTrace, Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace') !== undefined);
Error.prepareStackTrace = undefined;
show('after the formatter', plain());
Error.prepareStackTrace = (error) => 'formatted ' + error.message;
lines.push(plain());
Error.prepareStackTrace = 5;
show('no formatter', plain());
delete Error.prepareStackTrace;
show('after deletion', plain());
(async () => {
  show('async', await object.later());
  show('async method', await new Derived().later());
  for await (const each of new Base().stream()) show('async generator', each.split('\\n', 3).join('\\n'));
  const fail = async (depth) => { if (depth === 0) { await null; throw new RangeError('deep'); } await fail(depth - 1); };
  try { await fail(2); } catch (error) { show('rejected', error.stack); }
  try { await Promise.all([fail(0)]); } catch (error) { show('all', error.stack); }
  show('then', await Promise.resolve().then(function reaction() { return plain(); }));
  await new Promise((resolve) => setTimeout(function onTimer() { show('timer', plain()); resolve(); }, 1));
  await new Promise((resolve) => process.nextTick(() => { show('tick', plain()); resolve(); }));
  const error = new Error('a cause', { cause: new TypeError('the cause') });
  lines.push(util.inspect(error).replaceAll(__dirname, '').split('\\n').filter((line) => !/node:/.test(line)).join('\\n'));
  console.log(lines.join('\\n'));
})();
`;

it('a stack is the same as natively', { timeout: 60_000 }, async ({ onTestFinished }) => {
  const directory = createProgram(
    {
      'main.cjs': MAIN,
      'lib.cjs': 'exports.imported = function imported(run) {\n  return run();\n};\n',
      'module.mjs': `
import { imported as other } from './lib.mjs';
import * as all from './lib.mjs';
const show = (stack) => console.log(stack.split('\\n').filter((line) => line.includes('.mjs')).map((line) => line.replace(/file:.*\\//, '')).join('\\n'));
show(other());
show(all.imported ());
show(other?.());
show([0].map(() => all.imported())[0]);
show((await import('./lib.mjs')).default.make());
`,
      'lib.mjs':
        "export function imported() { return new Error('imported').stack; }\nexport default class { static make() { return imported(); } }\n",
      'typed.cts': `interface Gone { a: number }
enum Kind { one = 1, two }
class Typed<T> { constructor(private readonly value: T, public stack: string = new Error(String(value)).stack!) {} method(this: Typed<T>): string { return new Error(String(Kind.two)).stack!; } }
const show = (stack: string): void => console.log(stack.split('\\n').filter((line) => line.includes('typed')).map((line) => line.replace(/\\/.*\\//, '')).join('\\n'));
show(new Typed<number>(1).stack);
show((new Typed('x') as Typed<string>).method());
(async (): Promise<void> => { await null; const waiting = async (): Promise<void> => { await null; throw new Error('later'); };
  try { await waiting(); } catch (error) { show((error as Error).stack!); } })();
`,
    },
    onTestFinished,
  );
  for (const main of ['main.cjs', 'module.mjs']) {
    const native = await runNative(directory, main);
    const transformed = await runTransformed(directory, main);
    expect(native.stdout.length).toBeGreaterThan(100);
    expect(transformed.stdout.split('\n')).toEqual(native.stdout.split('\n'));
    expect(transformed.stderr).toBe(native.stderr);
  }
  expect((await runTransformed(directory, 'typed.cts')).stdout.split('\n')).toEqual([
    '    at new Typed (typed.cts:3:80)',
    '    at Object.<anonymous> (typed.cts:5:6)',
    '    at Typed.method (typed.cts:3:156)',
    '    at Object.<anonymous> (typed.cts:6:40)',
    '    at waiting (typed.cts:7:106)',
    '    at async typed.cts:8:9',
    '',
  ]);
});
