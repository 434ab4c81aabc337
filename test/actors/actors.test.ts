// Programs with actors on real threads, each in its own process. Checks their output, and that they end.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../programs/run-program.ts';

const fixtures = fileURLToPath(new URL('fixtures/', import.meta.url));

async function lines(file: string): Promise<string[]> {
  const { stdout, code, died } = await runProgram(join(fixtures, file), 'transformed');
  expect({ code, died }).toEqual({ code: 0, died: '' });
  return stdout.replaceAll(fixtures, '').trimEnd().split('\n');
}

describe('a program with actors on several workers', () => {
  it('can use ordinary TypeScript: references, errors, enums, decorators, pipelines, large payloads', async () => {
    expect(await lines('shop.ts')).toEqual([
      'bought, 1 left',
      'bought, 0 left',
      'tea is missing',
      'threads 1 2 0',
      'true milk no milk left',
      'Small 4',
      'one identity true true true undefined',
      'tea is missing',
      'pipelined milk is missing',
      'later 0',
      'known before they were made true 2',
      'Eager#6 has been stopped; it takes no more messages',
      '{ count: 4, bytes: 270030 }',
      'Broken#9 could not be created: no disk Error: no disk',
      'the end',
    ]);
  });

  it('can use enums, namespaces, parameter properties and legacy decorators that replace classes', async () => {
    const each = ["60 200 busy [ 'work: parameter 0', 'the clerk: Clerk' ]", 'carried served 2 1', 'fire!'];
    expect(await lines('decorated/main.ts')).toEqual([...each, ...each]);
  });

  it('runs timers, ticks and loops of an actor in order and never during a turn', async () => {
    const each = [
      'tick, microtask, awaited, timer 1, timer 2, timer 3, immediate, slept',
      '3 3 nothing fired',
      'begin 0 end 0 begin 1 end 1 begin 2 end 2',
    ];
    expect(await lines('timers.ts')).toEqual([...each, ...each]);
  });

  it('can consist of CommonJS modules', async () => {
    expect(await lines('cjs-main.cjs')).toEqual([
      '1 2 1 0',
      "Private is not exported by cjs-actors.cjs, so no worker can find it; export it, or spawn it with { on: 'main' }",
    ]);
  });

  it('can send to an actor whose module is still being loaded', async () => {
    expect(await lines('unborn.ts')).toEqual(['zero one two three four 5']);
  });

  it('runs host callbacks as code of the actors that wait for them', async () => {
    expect(await lines('callbacks.ts')).toEqual([
      "[ '1 true true', '1 true true', '1 true true' ]",
      "[ '2 true true', '2 true true', '2 true true' ]",
      '[[],[],[],[],[]]',
      '[[],[],[],[],[]]',
      "[ '0' ]",
    ]);
  });

  it('does not leak asynchronous context into turns of other actors', async () => {
    const each = 'undefined, undefined a a, undefined, undefined b b, undefined request';
    expect(await lines('storages.ts')).toEqual([each, each, 'undefined']);
  });

  it('reports statistics of each actor', async () => {
    expect(await lines('stats.ts')).toEqual([
      '0 local 2 0 true',
      '1 busy 6 0 true',
      '1 idle 2 0 true',
      '[ undefined, undefined ]',
      '1000 10',
    ]);
  });

  it('survives the death of workers by process.exit, an exception or lack of memory', async () => {
    expect(await lines('deaths.ts')).toEqual([
      "[ 'alive', 'alive', 'alive', 'alive' ]",
      'ActorLostError: Mortal#1 is lost: worker 1 has ended: process.exit(7) true',
      'broken: Mortal#1 is lost: worker 1 has ended: process.exit(7)',
      'ActorLostError: Mortal#1 is lost: worker 1 has ended: process.exit(7) true',
      'ActorLostError: Mortal#2 is lost: worker 2 has ended: a timer of an actor has failed true',
      'ActorLostError: Mortal#3 is lost: worker 3 has ended: it was out of memory true',
      'answered alive',
      'in its place: answered alive',
      '[ 0, 1, 2, 3, 4 ]',
    ]);
  });

  it('recreates supervised actors when their worker dies, until it dies too often', async () => {
    expect(await lines('supervised.ts')).toEqual([
      'of the main program 1 of another worker 2',
      'continues after want of memory: of the main program 3 of another worker 4',
      'asked: ActorLostError Phoenix#1 is lost: worker 1 has ended: process.exit(3)',
      'continues: of the main program 1 of another worker 2',
      'old part: ActorLostError this object belonged to an earlier epoch of Phoenix#1: worker 1 has ended: process.exit(3)',
      'new part: part of 2',
      'continues after an exception: of the main program 1 of another worker 2',
      'too often: ActorLostError Phoenix#1 is lost: worker 1 has ended: process.exit(5)',
      'broken: Phoenix#1 is lost: worker 1 has ended: process.exit(5)',
      'places: 2 2',
      'ended worker: TT_PLACEMENT worker 1 has ended; spawn the actor on another worker',
      'closed true',
    ]);
  });

  it('does not end when the last worker dies while the program waits for it', async () => {
    expect(await lines('last-worker.ts')).toEqual([
      ...[0, 1, 2].flatMap((code) => [
        'of the main program 1',
        `Phoenix#1 is lost: worker 1 has ended: process.exit(${code})`,
      ]),
      'the end',
    ]);
  });

  it('gets errors with a remedy for impossible requests', async () => {
    const reported = await lines('failures.ts');
    // Output of workers arrives at any time.
    const loaded = reported.filter((line) => line.startsWith('rare errors'));
    expect(loaded).toEqual(['rare errors are known on thread 2']);
    expect(reported.filter((line) => !loaded.includes(line))).toEqual([
      "entry: TT_UNKNOWN_CLASS OfEntry is defined in failures.ts, the program's entry file, which workers do not run; export it from another module, or spawn it with { on: 'main' }",
      'entry on main: answered undefined',
      "not exported: TT_UNKNOWN_CLASS Hidden is not exported by hidden.ts, so no worker can find it; export it, or spawn it with { on: 'main' }",
      'builtin: TT_UNKNOWN_CLASS Map is not a class of the program; extend it in a module of the program and export the subclass',
      'no worker: TT_PLACEMENT there is no worker 9; choose 0, the main thread, or a worker from 1 to 2',
      'function: TT_NOT_PASSABLE on.change in args[0] of Sink#6.take: the function "change" cannot leave its actor; pass data, or an object with a method, wrapped in far(…)',
      'instance: TT_NOT_PASSABLE [0] in args[0] of Sink#7.take: an instance of URLSearchParams is not plain data; pass its data, make its class extend Actor, or pass a reference to it with far(…)',
      'of the constructor: TT_NOT_PASSABLE args[0] of new Shop: the function without a name cannot leave its actor; pass data, or an object with a method, wrapped in far(…)',
      'method: TT_UNKNOWN_METHOD Mortal#1 has no method "dance"; only methods of its class can be called',
      'no reference: TT_NOT_A_REFERENCE dance() was sent to an object, which is not a far reference; await it and call it, or let the other actor return far(…)',
      'callback: answered here',
      'done: answered undefined',
      'released: TT_RELEASED Mortal#1 has released this object, so references to it no longer work',
      'deadline: TT_DEADLINE pass was not answered within 500 ms; it waits for:',
      '  the main program → Relay#10.pass → Relay#9.pass',
      'deadline elsewhere: TT_DEADLINE wait was not answered within 500 ms; it waits for:',
      '  the main program → Mortal#1.wait',
      'deadline through all: TT_DEADLINE pass was not answered within 1500 ms; it waits for:',
      '  the main program → Relay#12.pass → Relay#11.pass → Relay#10.pass → Relay#9.pass',
      'deadline from the middle: TT_DEADLINE pass was not answered within 1500 ms; it waits for:',
      '  the main program → Relay#11.pass → Relay#10.pass → Relay#9.pass',
      'signal: undefined enough',
      'stopped: TT_ACTOR_STOPPED Mortal#1 has been stopped; it takes no more messages',
      'still: answered alive',
      'rare: undefined of a class that no other thread has loaded',
      'far: answered 42',
    ]);
  });

  it('shows where an error was thrown, the call that failed, and the callers that wait for it', async () => {
    const shown = (await lines('journey.ts')).filter((line) => !line.includes('(node:'));
    expect(shown).toEqual([
      'OutOfTea: no tea left',
      '    at Cellar.take (file://cellar.ts:14:30)',
      '    at <asked> Cellar#1.take (worker 2)',
      '    at async #bring (file://cellar.ts:32:30)',
      '    at async Counter.order (file://cellar.ts:29:30)',
      '    at <asked> Counter#2.order (worker 1)',
      '    at async order (file://journey.ts:9:10)',
      '    at async show (file://journey.ts:15:5)',
      '    at async file://journey.ts:22:1 {',
      "  sku: 'tea'",
      '}',
      'true tea undefined',
      'OutOfTea: no milk left',
      '    at #look (file://cellar.ts:18:11)',
      '    at Cellar.take (file://cellar.ts:15:17)',
      '    at <asked> Cellar#1.take (worker 2)',
      '    at async #bring (file://cellar.ts:32:30)',
      '    at async Counter.order (file://cellar.ts:29:30)',
      '    at <asked> Counter#2.order (worker 1)',
      '    at async order (file://journey.ts:9:10)',
      '    at async show (file://journey.ts:15:5)',
      '    at async file://journey.ts:23:1 {',
      "  sku: 'milk',",
      '  [cause]: Error: the ship is late',
      '      at #look (file://cellar.ts:18:38)',
      '      at Cellar.take (file://cellar.ts:15:17)',
      '}',
      'true milk the ship is late',
      'OutOfTea: no tea left',
      '    at Cellar.take (file://cellar.ts:14:30)',
      '    at <asked> Cellar#3.take (main thread)',
      '    at async file://journey.ts:25:1 {',
      "  sku: 'tea'",
      '}',
      'closed true',
    ]);
  });

  it('loses none of a million messages from one turn or from many actors', async () => {
    expect(await lines('floods.ts')).toEqual([
      '{ count: 1000000, bytes: 0 }',
      'alive alive alive',
      '{ count: 1300000, bytes: 0 }',
      'closed true',
      'TT_CLOSED',
    ]);
  });

  it('keeps the order of messages between two actors over all references, large and small', async () => {
    const reports = (await lines('order.ts')).map((line) => line.replace(/\d+ bytes, /, ''));
    expect(reports).toEqual([
      ...[0, 1, 1, 2].map((on, i) => `actor ${i} on ${on}: 720 letters, 0 out of order`),
      'closed true',
    ]);
  });

  it('publishes its events on diagnostics channels', async () => {
    expect(await lines('observed.ts')).toEqual([
      'spawn Shop#1',
      'send Shop#1 size',
      'turn start construct Shop#1',
      'turn end construct Shop#1',
      'turn start call Shop#1 size',
      'turn end call Shop#1 size',
      'turn start fulfil the main program',
      'settle the main program false',
      'spawn elsewhere',
      'send elsewhere take',
      'turn end fulfil the main program',
      'turn start reject the main program',
      'settle the main program true',
      'turn end reject the main program',
    ]);
  });

  it('ends by itself exactly when nothing is left to do on any worker', async () => {
    expect(await lines('quiet-end.ts')).toEqual(['left 0', 'exit 0']);
  });

  it('ends when it is closed, although a worker dies meanwhile', async () => {
    expect(await lines('lost-while-closing.ts')).toEqual([
      'Mortal#1 is lost: worker 1 has ended: process.exit(3)',
      'closed true',
    ]);
  });

  it('clears the timers of an actor that is stopped', async () => {
    expect(await lines('stopped-timers.ts')).toEqual(['stopped', 'stopped']);
  });

  it('shows what a far reference refers to when it is logged or written as JSON', async () => {
    expect(await lines('shown.ts')).toEqual([
      '[Far Phoenix#1 on worker 1]',
      '{',
      '  named: [Far the red one on main thread],',
      '  part: [Far Object of Phoenix#1 on worker 1]',
      '}',
      '[Tell Phoenix#1 on worker 1] [Far Object of the main program on main thread]',
      '{"phoenix":"[Far Phoenix#1 on worker 1]","part":"[Far Object of Phoenix#1 on worker 1]","sender":"[Tell the red one on main thread]"}',
      '{ a: [Object] }',
    ]);
  });

  it('ends in time if it is closed with a deadline', async () => {
    expect(await lines('late-close.ts')).toEqual([
      'a timer of the program still runs',
      'Mortal#1 is lost: the app has been closed',
      'closed false',
    ]);
  });
});
