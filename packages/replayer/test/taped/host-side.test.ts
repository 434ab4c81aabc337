// Tests programs that reach the host in every possible way, recorded and replayed with a tape in memory.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { createProgram, type Files, type ProgramRunOptions } from '../../../loader/test/running.ts';
import { replayProgram, recordProgram } from './taped-runs.ts';

interface TapedRunOptions {
  readonly main?: string;
  /** Runs between recording and replay. */
  readonly between?: (directory: string) => void;
  readonly options?: ProgramRunOptions;
}

/** Records and replays a program; returns its output, which must be the same. */
async function expectSameReplay(
  { onTestFinished }: TestContext,
  files: Files,
  { main = 'main.mjs', between: betweenRuns, options = {} }: TapedRunOptions = {},
): Promise<string> {
  const directory = createProgram(files, onTestFinished);
  const recordedRun = await recordProgram(directory, main, options);
  expect(recordedRun.stderr).toBe('');
  betweenRuns?.(directory);
  expect(await replayProgram(directory, main, options)).toEqual(recordedRun);
  return recordedRun.stdout;
}

const removeFiles =
  (...files: string[]) =>
  (directory: string): void =>
    files.forEach((file) => rmSync(join(directory, file)));

describe.concurrent('a host object', () => {
  it('has one handle on every path and does not exist in a replay', async (context) => {
    const output = await expectSameReplay(
      context,
      {
        'data.txt': 'recorded',
        'main.mjs': `
          import fs, { readFileSync, constants, promises } from 'node:fs';
          import * as all from 'fs';
          import { createRequire } from 'node:module';
          import other from './other.cjs';
          const require = createRequire(import.meta.url);
          const ways = [all.default, require('fs'), process.getBuiltinModule('node:fs'), (await import('fs')).default, ...other];
          console.log(ways.map((way) => way === fs), all.readFileSync === readFileSync, fs.readFileSync === readFileSync);
          console.log(constants.O_RDONLY, promises === require('fs/promises'), Object.keys(all).includes('existsSync'));
          console.log(readFileSync('data.txt', 'utf8'), await promises.readFile('data.txt', 'latin1'), all.existsSync('data.txt'));
        `,
        'other.cjs': `module.exports = [require('fs'), module.require('fs'), process.mainModule?.require('fs') ?? require('fs')];`,
      },
      { between: removeFiles('data.txt') },
    );
    expect(output).toContain(
      `${JSON.stringify(Array(7).fill(true)).replaceAll(',', ', ').replace('[', '[\n  ')}`.slice(2, 8),
    );
    expect(output).not.toContain('false');
    expect(output).toContain('recorded recorded true');
  });

  it('replays its own writes to standard output, in order with the program’s', async (context) => {
    const output = await expectSameReplay(context, {
      'node_modules/native/package.json': '{"name":"native","main":"index.js"}',
      'node_modules/native/index.js': `
        const fs = require('fs');
        const stream = fs.createWriteStream('', { fd: 1, autoClose: false });
        exports.say = (done) => {
          fs.writeSync(1, 'text, ');
          fs.writevSync(1, [Buffer.from('parts, '), Buffer.from('and more\\n')]);
          console.log('by console');
          fs.write(1, Buffer.from('..bytes later\\n'), 2, () => fs.write(1, 'text later\\n', null, 'utf8', () => stream.write('a stream\\n', done)));
        };
        exports.later = (done) => void setTimeout(() => exports.say(() => done()), 1);`,
      'main.mjs': `
        import fs from 'node:fs';
        import { say, later } from 'native';
        console.log('before');
        await new Promise((done) => say(done));
        fs.writeSync(1, 'between\\n');
        await new Promise((done) => fs.write(1, 'asked for\\n', done));
        await new Promise((done) => later(done));
        fs.writeFileSync(1, 'behind\\n');`,
    });
    const hostOutput = 'text, parts, and more\nby console\nbytes later\ntext later\na stream\n';
    const expectedOutput = `before\n${hostOutput}between\nasked for\n${hostOutput}behind\n`;
    expect(output.slice(0, expectedOutput.length)).toBe(expectedOutput);
  });

  it('is patched by the program for all code, native packages included, and for imports after syncBuiltinESMExports', async (context) => {
    const output = await expectSameReplay(
      context,
      {
        'node_modules/native/package.json': '{"name":"native","main":"index.js"}',
        'node_modules/native/index.js': `const fs = require('fs'); exports.read = (file) => fs.readFileSync(file, 'utf8');`,
        'main.mjs': `
          import fs, { readFileSync } from 'node:fs';
          import { syncBuiltinESMExports } from 'node:module';
          import { read } from 'native';
          const before = fs.readFileSync;
          const patched = function (...args) { return 'patched ' + before.apply(this, args).length; };
          fs.readFileSync = patched;
          console.log(fs.readFileSync === patched, readFileSync === before, read('package.json'));
          syncBuiltinESMExports();
          console.log(readFileSync === patched, readFileSync('package.json'));
          fs.readFileSync = before;
          console.log(read('package.json'), read === (await import('native')).read);
        `,
      },
      { options: { environment: { TURNTABLE_EXCLUDE: 'native' } } },
    );
    expect(output).toMatch(/^true true patched 18\ntrue patched 18\n\{"name":"program"\} true\n/);
  });

  it.for([
    ['as usual', ''],
    ['without stack frames', 'Error.stackTraceLimit = 0;'],
    ['with an own formatter of stacks', 'Error.prepareStackTrace = () => formatted();'],
    [
      'with a redefined formatter of stacks',
      `Object.defineProperty(Error, 'prepareStackTrace', { value: () => formatted(), configurable: true });`,
    ],
    [
      'with a redefined limit of stack frames',
      `Object.defineProperty(Error, 'stackTraceLimit', { get: () => formatted(), set: () => formatted(), configurable: true });`,
    ],
  ])('may be a package that reads clocks and random numbers by itself, %s', async ([, setUp], context) => {
    const reads = `
      [Date.now(), +new Date(), performance.now(), process.hrtime()[1], Number(process.hrtime.bigint()), Math.random()],
      [performance].map(performance.now, performance), [1, 2].map(Math.random),
      (0, eval)('Date.now()'), new Function('return performance.now()')()`;
    const output = await expectSameReplay(
      context,
      {
        'node_modules/native/package.json': '{"name":"native","main":"index.js"}',
        'node_modules/native/index.js': `exports.later = (done) => setTimeout(() => done([${reads}].length), 1);`,
        'main.mjs': `
          import { later } from 'native';
          let calls = 0;
          const formatted = () => { calls++; return 'formatted'; };
          ${setUp}
          console.log([${reads}]);
          later((count) => console.log(count, [${reads}]));
          setTimeout(() => console.log([${reads}], calls), 1);
        `,
      },
      { options: { environment: { TURNTABLE_EXCLUDE: 'native' } } },
    );
    expect(output).toMatch(/\] 0\n/);
  });

  it('may be a native package, which a replay does not load', async (context) => {
    await expectSameReplay(
      context,
      {
        'node_modules/native/package.json':
          '{"name":"native","exports":{"import":"./index.mjs","require":"./index.cjs"}}',
        'node_modules/native/index.mjs': `
          import { writeFileSync } from 'node:fs';
          writeFileSync('loaded', 'natively');
          export let count = 0;
          export class Counter { #n = 1; add(n) { count++; return (this.#n += n); } }
          export default (callback) => setTimeout(callback, 1, { later: [1, 2] });
        `,
        'node_modules/native/index.cjs': `module.exports = function hello(name) { return 'hello ' + name; }; module.exports.more = { deep: [1] };`,
        'main.mjs': `
          import wait, { Counter, count } from 'native';
          import { createRequire } from 'node:module';
          class Mine extends Counter { add(n) { return super.add(n) * 10; } }
          const mine = new Mine();
          console.log(mine.add(1), mine instanceof Counter, count, new Counter().add(4));
          const hello = createRequire(import.meta.url)('native');
          console.log(hello('you'), hello.more.deep[0], hello === createRequire(import.meta.url)('native'));
          wait((answer) => console.log(answer));
        `,
      },
      {
        between: removeFiles('loaded'),
        options: { environment: { TURNTABLE_EXCLUDE: 'native' } },
      },
    );
  });

  it('is visible in the global object under any name, and can be replaced there', async (context) => {
    const output = await expectSameReplay(context, {
      'main.mjs': `
        import { ReadableStream as Web } from 'node:stream/web';
        import buffer from 'node:buffer';
        console.log(globalThis.Response === Response, ReadableStream === Web, Blob === buffer.Blob, typeof fetch);
        console.log(new Response('x') instanceof Response, await new Response('text').text(), new Headers({ a: 'b' }).get('a'));
        const native = fetch;
        globalThis.fetch = async (url) => new Response('mocked ' + url);
        console.log(await (await fetch('here')).text(), fetch === globalThis.fetch, fetch === native);
        Object.defineProperty(globalThis, 'fetch', { value: native, writable: true, configurable: true });
        console.log(fetch === native, Object.getOwnPropertyDescriptor(globalThis, 'fetch').value === native, 'fetch' in globalThis);
        File = class Mine {};
        console.log(new File() instanceof File, File === globalThis.File, File === buffer.File);
        console.log(Buffer.from(await crypto.subtle.digest('SHA-1', Buffer.from('x'))).toString('hex').slice(0, 4));
        console.log(process.stdin === process.stdin, typeof process.stdin.on);
        process.stdin.destroy();
      `,
    });
    expect(output).toMatch(
      /^true true true function\ntrue text b\nmocked here true false\ntrue true true\ntrue true false\n11f6\ntrue function\n/,
    );
  });

  it('reads the clock without events in the program’s trace', async (context) => {
    await expectSameReplay(context, {
      'main.mjs': `
        import { createServer } from 'node:http';
        import { once } from 'node:events';
        const server = createServer((request, response) => response.end(String(typeof Date.now())));
        await once(server.listen(0), 'listening');
        const { port } = server.address();
        for (let i = 0; i < 3; i++) {
          const response = await fetch('http://127.0.0.1:' + port);
          console.log(await response.text(), Math.random() < 1, Date.now() > 0, performance.now() > 0);
        }
        server.closeAllConnections();
        server.close();
      `,
    });
  });
});

it('replays timers that were started or refreshed after a long time without timers', async (context) => {
  const output = await expectSameReplay(context, {
    'main.mjs': `
      import { stat } from 'node:fs';
      const idle = async () => { for (let i = 0; i < 1300; i++) await new Promise((resolve) => stat('.', resolve)); };
      let fired = 0;
      let resolve;
      const fires = () => new Promise((each) => { resolve = each; });
      const first = fires();
      const timeout = setTimeout(() => { console.log('timeout', ++fired); resolve(); }, 1);
      await first;
      for (let i = 0; i < 2; i++) {
        await idle();
        const again = fires();
        timeout.refresh();
        await again;
      }
      await idle();
      await new Promise((resolve) => setImmediate(resolve));
      console.log('immediate');
      await idle();
      let beats = 0;
      await new Promise((resolve) => {
        const interval = setInterval(async () => {
          if (++beats === 4) { clearInterval(interval); resolve(); }
          else if (beats === 1) await idle();
        }, 1);
      });
      console.log('interval', beats);
    `,
  });
  expect(output.split('\n').slice(0, 5)).toEqual(['timeout 1', 'timeout 2', 'timeout 3', 'immediate', 'interval 4']);
});

it('throws errors of the recorded classes, with the same text', async (context) => {
  const output = await expectSameReplay(context, {
    'node_modules/native/package.json': '{"name":"native","main":"index.js"}',
    'node_modules/native/index.js': `
      const { readFileSync } = require('fs');
      class OddError extends RangeError {
        get shape() { return 'odd'; }
        constructor(text) { super(text); this.code = 'E_ODD'; }
        toString() { return this.name + ' [' + this.code + ']: ' + this.message; }
      }
      class PlainError extends Error {}
      exports.odd = () => { throw new OddError('not even'); };
      exports.plain = () => { throw new PlainError('plain'); };
    `,
    'main.mjs': `
      import assert from 'node:assert';
      import { on } from 'node:events';
      import fs from 'node:fs';
      import net from 'node:net';
      import os from 'node:os';
      import { pipeline } from 'node:stream/promises';
      import { PassThrough } from 'node:stream';
      import zlib from 'node:zlib';
      import native from 'native';
      const attempts = {
        argument: () => fs.readFileSync(true),
        range: () => fs.readSync(1, Buffer.alloc(1), { length: 3 }),
        option: () => net.connect({ port: 70000 }),
        unknown: () => fs.readFileSync('nowhere'),
        cp: () => fs.cpSync('main.mjs', 'main.mjs'),
        aborted: () => fs.promises.readFile('main.mjs', { signal: AbortSignal.abort() }),
        reason: () => fs.promises.readFile('main.mjs', { signal: AbortSignal.abort(new URIError('mine')) }),
        timeout: () => fetch('http://127.0.0.1:1', { signal: AbortSignal.timeout(0) }).catch((error) => { throw error.name === 'TimeoutError' ? error : Object.assign(error, { cause: undefined }); }),
        refused: () => new Promise((_, reject) => net.connect(1, '127.0.0.1').on('error', reject)),
        premature: () => { const from = new PassThrough(); from.destroy(); return pipeline(from, new PassThrough()); },
        data: () => zlib.unzipSync('what'),
        url: () => fs.readFileSync(new URL('http://a')),
        system: () => os.setPriority(2 ** 31 - 1, 0),
        pid: () => process.kill('x'),
        odd: () => native.odd(),
        plain: () => native.plain(),
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        let error;
        try { await attempt(); } catch (caught) { error = caught; }
        const classes = [Error, TypeError, RangeError, URIError, DOMException, assert.AssertionError].filter((type) => error instanceof type);
        console.log(name, error?.constructor.name, classes.map((type) => type.name).join(), String(error), Object.keys(error ?? {}).join(), error?.code, error?.errno, error?.syscall);
        if (Object.values(globalThis).concat(Error, TypeError, RangeError).includes(error?.constructor) !== /^(Error|TypeError|RangeError|DOMException)$/.test(error?.constructor.name)) console.log('another class');
      }
      const abortErrors = [];
      for (const signal of [AbortSignal.abort()]) {
        await fs.promises.readFile('main.mjs', { signal }).catch((error) => abortErrors.push(error));
        await fs.promises.writeFile('main.mjs', '', { signal }).catch((error) => abortErrors.push(error));
      }
      console.log(abortErrors.length, abortErrors[0].constructor === abortErrors[1].constructor);
    `,
  });
  expect(output).toContain('argument TypeError Error,TypeError TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument');
  expect(output).toContain('aborted AbortError Error AbortError: The operation was aborted code,name ABORT_ERR');
  expect(output).toContain('odd OddError Error,RangeError RangeError [E_ODD]: not even');
  expect(output).toContain('2 true');
});

describe('a class of the program', () => {
  it('can be called by host objects, including emitters', async (context) => {
    const output = await expectSameReplay(context, {
      'main.mjs': `
        import { EventEmitter } from 'node:events';
        import { Readable } from 'node:stream';
        class Sink extends EventEmitter {
          #got = [];
          writable = true;
          write(text) { this.#got.push(String(text)); return true; }
          end() { this.emit('finish', this.#got); }
        }
        const sink = new Sink();
        sink.on('pipe', (source) => console.log('piped', source === source));
        sink.on('finish', (got) => console.log('finish', got));
        console.log(Readable.from(['a', 'b']).pipe(sink) === sink);
      `,
    });
    expect(output).toMatch(/^piped true\ntrue\nfinish \[ 'a', 'b' \]\n/);
  });

  it('can inherit from a class of the host side, also in function style', async (context) => {
    const output = await expectSameReplay(
      context,
      {
        'main.cjs': `
          const { Readable } = require('stream');
          const { inherits } = require('util');
          function Words(words) { Readable.call(this); this.words = words; }
          inherits(Words, Readable);
          Words.prototype._read = function () { setImmediate(() => this.push(this.words.shift() ?? null)); };
          const words = new Words(['one', 'two']);
          console.log(words instanceof Readable, words.readable);
          words.on('data', (data) => console.log(String(data)));
          words.on('end', () => console.log('end', words.words));
        `,
      },
      { main: 'main.cjs' },
    );
    expect(output).toContain('true true\none\ntwo\nend []\n');
  });
});

describe('a package of a recorded program', () => {
  it('is on the program side even if it does I/O', async (context) => {
    const output = await expectSameReplay(context, {
      'node_modules/store/package.json': '{"name":"store"}',
      'node_modules/store/index.js': `
        const { readFileSync } = require('fs');
        exports.read = async (file) => { const started = Date.now(); await null; return [readFileSync(file, 'utf8'), started > 0, exports.read.constructor.name]; };
      `,
      'main.mjs': `import { read } from 'store'; console.log(await read('package.json'));`,
    });
    expect(output).toContain(`[ '{"name":"program"}', true, 'AsyncFunction' ]`);
    expect(existsSync('loaded')).toBe(false);
  });
});
