// Tests that a replay from a tape has the same output and final state and consumes the tape, and that a different
// program diverges at the first difference.
import fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { describe, expect, it, type TestContext } from 'vitest';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { createDateConstructor } from '../../../boundary/src/inputs/date-constructor.ts';
import {
  restoreRandomState,
  random,
  captureRandomState,
  seedRandom,
  type RandomState,
} from '../../../boundary/src/inputs/random.ts';
import { createProgram, type ProgramRunOptions } from '../../../loader/test/running.ts';
import type { TapeEvent } from './tapes.ts';
import { replayProgram, recordProgram } from './taped-runs.ts';

/** Output of a recorded program, which its replay must equal. */
async function expectSameReplay(
  { onTestFinished }: TestContext,
  source: string,
  options: ProgramRunOptions = {},
): Promise<string> {
  const directory = createProgram({ 'main.mjs': source }, onTestFinished);
  const recordedRun = await recordProgram(directory, 'main.mjs', options);
  expect(await replayProgram(directory, 'main.mjs', options)).toEqual(recordedRun);
  expect(recordedRun.stderr).toBe('');
  return recordedRun.stdout;
}

/** The divergence that a replay of another program reports. */
async function replayDivergence(
  { onTestFinished }: TestContext,
  recordedSource: string,
  changedSource: string,
): Promise<string> {
  const directory = createProgram({ 'main.mjs': recordedSource }, onTestFinished);
  await recordProgram(directory, 'main.mjs');
  writeFileSync(join(directory, 'main.mjs'), changedSource);
  const { stdout } = await replayProgram(directory, 'main.mjs');
  return /^diverged: (.*)$/m.exec(stdout)?.[1] ?? 'none';
}

describe.concurrent('a replayed program', () => {
  it('reads the same times from every clock', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      import { performance as hooks } from 'node:perf_hooks';
      import { hrtime } from 'node:process';
      const { now } = Date;
      console.log(Date.now(), now(), new Date(), +new globalThis.Date(), Date(), Reflect.construct(Date, []).getTime());
      class Later extends Date { later = 1; }
      console.log(new Later().getTime(), new Later() instanceof Later, Object.prototype.toString.call(new Later()));
      console.log(performance.now(), hooks.now(), performance.timeOrigin, JSON.stringify(performance.nodeTiming));
      console.log(hrtime(), process.hrtime(process.hrtime()), process.hrtime.bigint(), process.uptime());
      performance.mark('a');
      console.log(performance.measure('b', 'a').duration, performance.measure('c', { start: 1, end: 3 }).duration);
      console.time('t');
      console.timeEnd('t');
      console.log(await import('node:vm').then(({ runInNewContext }) => runInNewContext('1 + 1')));
      console.log(globalThis.Temporal?.Now.instant().epochNanoseconds, globalThis.Temporal?.Now.plainDateTimeISO().toString());
    `,
      { environment: { NODE_NO_WARNINGS: '1' } },
    );
    expect(output).toContain('cannot replay a context of node:vm');
  });

  // Once the host can call the program, each turn enters an async context of Node, which may halve the speed.
  it.for([
    ['computes', 'console.log(Math.max(1, 2))', false],
    ['imports a builtin that does I/O', "import 'node:fs'", true],
    ['requires a builtin that does I/O', "process.getBuiltinModule('node:fs')", true],
    ['listens to process events', "process.on('message', () => {})", true],
  ] as const)('counts as callable by the host only if it is: %s', async ([, source, canBeCalled], context) => {
    const environment = { TAPE_OUTSIDE: '1' };
    expect(await expectSameReplay(context, source, { environment })).toContain(
      `can be called by the host: ${canBeCalled}`,
    );
  });

  it('draws the same random values', async (context) => {
    await expectSameReplay(
      context,
      `
      import crypto, { randomInt } from 'node:crypto';
      console.log(Math.random(), [3, 1, 2].map(Math.random), crypto.randomBytes(5), randomInt(1000), crypto.randomUUID());
      const bytes = Buffer.alloc(8);
      const words = new Uint32Array(3);
      crypto.randomFillSync(bytes, 2, 4);
      crypto.randomFillSync(words, 1, 1);
      console.log(bytes, words, globalThis.crypto.getRandomValues(new BigInt64Array(2)), globalThis.crypto.randomUUID());
      console.log(crypto.getRandomValues(new Uint8Array(3)), crypto.generateKeySync('hmac', { length: 64 }).export());
      const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
      console.log(privateKey.export({ type: 'pkcs8', format: 'der' }), crypto.sign('sha256', bytes, privateKey));
      for (const wrong of [() => crypto.randomBytes(-1), () => crypto.getRandomValues([]), () => randomInt(2, 1)])
        try { wrong(); } catch (error) { console.log(error.code ?? error.name); }
    `,
    );
  });

  it('sees the recorded process and machine', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      import os from 'node:os';
      import v8 from 'node:v8';
      console.log(process.pid, process.ppid, process.argv, process.cwd(), process.title, process.umask(), process.env);
      console.log(process.memoryUsage(), process.memoryUsage.rss(), process.cpuUsage(), process.resourceUsage());
      console.log(os.loadavg(), os.freemem(), os.uptime(), os.userInfo(), os.cpus(), os.networkInterfaces());
      console.log(v8.getHeapStatistics(), navigator.hardwareConcurrency, process.availableMemory());
      try { process.cpuUsage(5); } catch (error) { console.log(error.name, error.code, error.message); }
      try { os.getPriority(2 ** 30); } catch (error) { console.log(error.name, error.code, error.message); }
      `,
      { environment: { OF_THE_PROGRAM: 'a' } },
    );
    expect(output).toContain("OF_THE_PROGRAM: 'a'");
  });

  it('has the environment of the recorded process in its order, without variables of the replay process', async (context) => {
    const directory = createProgram(
      {
        'main.mjs':
          'console.log(JSON.stringify(process.env)); process.env.NODE_LATER = 1; console.log({ ...process.env });',
      },
      context.onTestFinished,
    );
    const recordedRun = await recordProgram(directory, 'main.mjs', {
      environment: { NODE_OF_IT: 'a', TURNTABLE_OF_IT: 'b' },
    });
    const environment = { TURNTABLE_OTHER: 'c', OTHER: 'd', NODE_OF_IT: 'e' };
    expect(await replayProgram(directory, 'main.mjs', { environment })).toEqual(recordedRun);
    expect(recordedRun.stdout).toContain('"NODE_OF_IT":"a","TURNTABLE_OF_IT":"b"');
  });

  it('prints nothing if muted, and still gets its callbacks', async (context) => {
    const source = `import { writeSync } from 'node:fs'; writeSync(1, 'a'); console.log('b'); process.stdout.write('c', () => console.error(Date.now()));`;
    const directory = createProgram({ 'main.mjs': source }, context.onTestFinished);
    const recordedRun = await recordProgram(directory, 'main.mjs');
    expect(recordedRun.stdout).toMatch(/^ab\ncstate \w+\n$/);
    const second = await replayProgram(directory, 'main.mjs', { environment: { TURNTABLE_CONSOLE: 'mute' } });
    expect(second).toEqual({ ...recordedRun, stdout: recordedRun.stdout.slice('ab\nc'.length), stderr: '' });
  });

  it('fires its timers in the same order, each in its async context and with the same result', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      import { AsyncLocalStorage } from 'node:async_hooks';
      import { scheduler, setInterval as every, setTimeout as sleep } from 'node:timers/promises';
      const store = new AsyncLocalStorage();
      // Leaves out the stack frames of this test's player.
      const stack = () => new Error('here').stack.replace(/\\n.*tapes\\.ts.*/g, '');
      const say = (...what) => console.log(...what, store.getStore(), stack());
      export const kept = [];
      kept.push(store.run('timeout', () => setTimeout(say, 3, 'fires')), store.run('waits', () => setTimeout(say, 90000).unref()));
      kept.push(store.run('immediate', () => setImmediate(function () { say(this._destroyed); }, 1)));
      let left = 3;
      const again = setTimeout(function () { console.log(this === again, again.hasRef()); if (left-- > 0) again.refresh(); }, 1);
      const interval = setInterval(() => { if (left < 0) interval.close(); console.log('interval', left); }, 1);
      for (const clear of [clearTimeout, (timer) => timer[Symbol.dispose](), (timer) => clearTimeout(+timer)])
        clear(kept.at(kept.push(setTimeout(say, 1, 'never')) - 1));
      setImmediate(() => {
        const other = setImmediate(say, 'never');
        setImmediate(() => console.log('second'));
        clearImmediate(other);
        Promise.resolve().then(() => console.log('job'));
        process.nextTick(() => console.log('tick'));
      });
      kept.push(setImmediate(() => console.log('unref')).unref(), again, interval, +setTimeout(() => {}, 1));
      await scheduler.wait(2);
      for await (const each of every(1, 'each')) if (Math.random() < 0.5) break;
      try { await sleep(90000, 0, { signal: AbortSignal.timeout(2) }); } catch (error) { kept.push(error); }
      process.on('uncaughtException', ({ message }) => console.log('uncaught', message));
      process.on('unhandledRejection', ({ message }) => console.log('unhandled', message));
      setTimeout(() => { throw new Error('of a timeout'); }, 1);
      setTimeout(() => { console.log('after it'); Promise.reject(new Error('of a promise')); }, 1);
      setImmediate(() => { throw new Error('of an immediate'); });
      setTimeout(async () => {
        const bytes = await crypto.subtle.digest('SHA-256', new Uint8Array(3));
        for await (const each of new Blob([bytes]).stream()) console.log(each);
      }, 4);
    `,
    );
    expect(output).toMatch(/^uncaught of a timeout$/m);
    expect(output).not.toMatch(/never|node:internal/);
  });

  it('loses weakly held objects at the recorded times', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      const both = Promise.withResolvers();
      const gone = [];
      const registry = new FinalizationRegistry((name) => {
        console.log('gone', name, Date.now());
        if (gone.push(name) === 2) both.resolve();
      });
      const refs = [];
      (() => { for (const name of 'ab') { const object = { name }; refs.push(new WeakRef(object)); registry.register(object, name, object); } })();
      const stays = {};
      refs.push(new WeakRef(stays));
      const look = () => console.log(refs.map((ref) => typeof ref.deref()).join());
      look();
      const collecting = setInterval(() => globalThis.gc?.(), 1);
      await both.promise;
      clearInterval(collecting);
      look();
      look();
      console.log(registry.unregister(stays));
      `,
      { flags: ['--expose-gc'] },
    );
    expect(output).toMatch(
      /object,object,object\n(?:gone.*\n){2}undefined,undefined,object\nundefined,undefined,object/,
    );
  });

  it('gets process events at the recorded times', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      let rounds = 0;
      process.on('beforeExit', (code) => { console.log('nothing left', code); if (rounds++ === 0) setTimeout(() => {}, 1); });
      process.on('exit', (code) => console.log('ends', code, Date.now()));
      const waits = setTimeout(() => {}, 90000);
      process.once('SIGUSR2', (name, number) => { console.log(name, number); clearTimeout(waits); });
      process.kill(process.pid, 'SIGUSR2');
    `,
    );
    expect(output.match(/nothing left 0/g)).toHaveLength(2);
    expect(output).toMatch(/SIGUSR2 12[^]*ends 0/);
  });

  it('ends in the recorded way', async (context) => {
    const output = await expectSameReplay(
      context,
      `
      process.on('exit', (code) => console.log('ends', code, Math.random()));
      setTimeout(() => process.exit(3), 1);
      setTimeout(() => console.log('never'), 9);
    `,
    );
    expect(output).toMatch(/^ends 3 /);
  });
});

describe.concurrent('a program that is another one', () => {
  it('names the operation it performed instead', async (context) => {
    expect(await replayDivergence(context, 'Date.now(); performance.now();', 'performance.now(); Date.now();')).toMatch(
      /^event 2: expected an answer of source 1: \d+; source 2 is asked$/,
    );
    const machine = (name: string): string => `import os from 'node:os'; os.${name}();`;
    expect(await replayDivergence(context, machine('freemem'), machine('uptime'))).toMatch(
      /the program reads os.freemem; the program reads os.uptime$/,
    );
  });

  it('names the timer it has cleared', async (context) => {
    const timer = 'const timer = setTimeout(() => {}, 1);';
    expect(await replayDivergence(context, timer, `${timer} clearTimeout(timer);`)).toMatch(
      /timer 1 of this worker fires; it is cleared$/,
    );
    expect(await replayDivergence(context, `${timer} setTimeout(() => {}, 1);`, timer)).toMatch(
      /timer 2 of this worker fires; the program has created 1$/,
    );
  });
});

it('a state includes the input position, at which a restored program continues', async ({ onTestFinished }) => {
  const source = `
    export const first = [Math.random(), setTimeout(() => process.emit('capture'), 1)];
    setTimeout(() => console.log('fires', Math.random(), setTimeout(() => {}, 1) !== undefined), 200);
  `;
  const directory = createProgram({ 'main.mjs': source, 'none.mjs': '' }, onTestFinished);
  const state = join(directory, 'state');
  const firedLine = (output: string): unknown => /^fires 0\.\d+ true$/m.exec(output)?.[0];
  const firedTimers = (): unknown[] =>
    (deserialize(readFileSync(join(directory, 'tape'))) as TapeEvent[]).flatMap((each) =>
      each.type === 'entry' && each.source === TRACE_SOURCES.timer ? [each.id] : [],
    );
  const { stdout } = await recordProgram(directory, 'main.mjs', { environment: { TAPE_STATE: state } });
  expect(firedTimers()).toEqual([1, 2, 3]);
  const resumedRun = await recordProgram(directory, 'none.mjs', { environment: { TAPE_FROM: state } });
  expect(firedLine(resumedRun.stdout)).toBe(firedLine(stdout));
  expect(firedTimers()).toEqual([2, 3]);
});

describe('random values', () => {
  it('are equal to V8’s draws from the same state', () => {
    const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    fc.assert(
      fc.property(word, word, (first, second) => {
        let [state0, state1] = [first, second];
        const halves = [first, second].flatMap((each) => [Number(each & 0xffffffffn) | 0, Number(each >> 32n) | 0]);
        restoreRandomState(halves as unknown as RandomState);
        for (let i = 0; i < 10; i++) {
          let s1 = state0;
          state0 = state1;
          s1 ^= BigInt.asUintN(64, s1 << 23n);
          s1 ^= s1 >> 17n;
          s1 ^= state0 ^ (state0 >> 26n);
          state1 = s1;
          expect(random()).toBe(Number(state0 >> 11n) * 2 ** -53);
        }
      }),
    );
  });

  it('continue from a state and from any seed', () => {
    seedRandom(new Uint8Array(16));
    expect(random()).not.toBe(random());
    const state = captureRandomState();
    const drawn = [random(), random()];
    restoreRandomState(state);
    expect([random(), random()]).toEqual(drawn);
  });
});

it('the Date that reads the tape looks like Node’s', () => {
  const own = createDateConstructor(Date, () => 5);
  const shape = (date: unknown): unknown =>
    Reflect.ownKeys(date as object).map((key) => [
      key,
      { ...Reflect.getOwnPropertyDescriptor(date as object, key), value: undefined },
    ]);
  expect(shape(own)).toEqual(shape(Date));
  expect([own.name, own.length, own.prototype === Date.prototype]).toEqual(['Date', 7, true]);
  expect([new own().getTime(), own.now(), new Date(own()).getTime(), new own(7).getTime()]).toEqual([5, 5, 0, 7]);
  expect(new own(2020, 1, 3)).toEqual(new Date(2020, 1, 3));
  expect(Number.isNaN(new own(undefined as never).getTime())).toBe(true);
});
