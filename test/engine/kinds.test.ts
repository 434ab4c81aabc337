// Moves to and breakpoints on events of a kind, forward and back, at the terminal, word for word: the cases of Kómpos'
// tests for debuggers of actors and promises, in our vocabulary; also errors, requests and host calls.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-kinds-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function recorded(name: string): string {
  const into = join(scratch, name);
  record(into, [join(import.meta.dirname, 'programs', name)]);
  return into;
}

/** The output of a debugger session, with times replaced. */
function outputOf(directory: string, lines: readonly string[]): string {
  const { stdout, stderr, status } = runTurntable(['debug', directory], { input: `${lines.join('\n')}\n` });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const [, ...rest] = stdout.split('\n');
  return rest.join('\n').replaceAll(/\+\d+\.\d{3}s/g, '+0.000s');
}

const times = (count: number, line: string): string[] => Array.from({ length: count }, () => line);

describe('actors and promises', () => {
  let directory = '';
  beforeAll(() => void (directory = recorded('playing.ts')));

  test.for<[name: string, lines: readonly string[]]>([
    [
      'breakpoints-of-messages',
      [
        'break players.ts:8',
        'continue',
        'locals',
        'delete 1',
        ...['send pong.hit', 'receive pong.hit', 'enter pong.hit', 'leave pong.hit', 'reply pong.hit'].flatMap(
          (kind, i) => [
            'run',
            `break ${kind}`,
            ...times(3, 'continue'),
            'locals',
            ...times(2, 'reverse-continue'),
            `delete ${i + 2}`,
          ],
        ),
        'run',
        'break enter *.again if times === 1',
        'continue',
        'locals',
        'continue',
        'break spawn times 2',
        ...times(2, 'reverse-continue'),
        'info breakpoints',
      ],
    ],
    [
      'where-promises-are-settled',
      [
        'break reply p*',
        ...['normal', 'nothing', 'chained', 'open', 'ready', 'whenResolved', 'onError', 'whenResolvedOnError'].flatMap(
          (game) => ['run', `forward turn *ping.${game}`, ...times(2, 'continue'), 'reverse-continue'],
        ),
        'delete 1',
        'run',
        'break settle rejected',
        ...times(3, 'continue'),
        ...times(3, 'reverse-continue'),
      ],
    ],
    [
      'what-goes-on-with-promises',
      [
        'break reaction',
        ...['normal', 'chained', 'open', 'ready', 'whenResolved', 'onError', 'whenResolvedOnError'].flatMap((game) => [
          'run',
          `forward turn *ping.${game}`,
          ...times(2, 'continue'),
          'reverse-continue',
        ]),
        'delete 1',
        'break await',
        'run',
        ...times(4, 'continue'),
        ...times(2, 'reverse-continue'),
      ],
    ],
    [
      'steps-of-actors',
      [
        // One line at a time; a breakpoint is set while all threads are paused, and removed.
        'forward turn ping.normal',
        'step',
        'next',
        'reverse-next',
        'break players.ts:8',
        'continue',
        'delete 1',
        // To the receiver on another actor, to the turn that takes the answer, and back.
        'back turn ping.normal',
        'receiver',
        'reply',
        'resolver',
        'sender',
        // On the same actor.
        'run',
        'forward turn ping.again',
        'receiver',
        'receiver',
        'sender',
        // The next turns of an actor, and the next ones of a method.
        'run',
        'forward turn pong.hit',
        'forward actor',
        'forward turn pong.hit',
        'back turn pong.hit',
        // From a waiter to where its promise is settled, and to its reaction.
        'run',
        'forward turn *ping.whenResolved',
        'break reaction',
        'continue',
        'resolver',
        'reply',
        'step',
        'bt',
        'birth',
        'spawner',
      ],
    ],
  ])('%s', async ([name, lines]) => {
    await expect(outputOf(directory, lines)).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

test('moves to the places where errors are thrown and to host calls', async () => {
  const lines = [
    ...times(4, 'forward caught'),
    ...times(4, 'back caught'),
    'forward caught RangeError*',
    'locals',
    ...times(3, 'forward rejection'),
    'back rejection',
    'forward uncaught',
    'back uncaught',
    // All of them, each once.
    'run',
    ...times(7, 'forward exception'),
    ...times(6, 'back exception'),
    'forward exception "no x"',
    'run',
    'forward device fs.*',
    'bt',
    'forward device clock.*',
    'back device fs.*',
    'forward output',
    'back output',
    'goto end',
    'back output',
    'run',
    'break caught RangeError* times 1',
    'break uncaught',
    'break device clock.* if true',
    'continue',
    'continue',
    'continue',
    'reverse-continue',
    ...[1, 2, 3].map((id) => `delete ${id}`),
    'break stdout "*caught lost"',
    'continue',
    'break stdout no*',
    'reverse-continue',
  ];
  await expect(outputOf(recorded('errors.mjs'), lines)).toMatchFileSnapshot('golden/errors.txt');
});

test('moves to requests and their responses', async () => {
  const lines = [
    ...times(3, 'forward request'),
    ...times(2, 'back request'),
    'forward request "GET /carts/8"',
    'forward response',
    'locals',
    'back response "POST *"',
    'forward response "* 404"',
    'run',
    'events request',
    'events response "* 404"',
    'break response "GET *" if count === undefined',
    'break request "POST *"',
    'continue',
    'continue',
    'reverse-continue',
  ];
  await expect(outputOf(recorded('asking.mjs'), lines)).toMatchFileSnapshot('golden/requests.txt');
});

test('breakpoints stop at the statement of an event, not at one of a function that it has called', () => {
  const lines = [
    'break settle fulfilled',
    'continue',
    'delete 1',
    'break await',
    'continue',
    'delete 2',
    'break stdout',
  ];
  const output = outputOf(recorded('nested-calls.mjs'), [...lines, 'continue', 'continue']);
  expect(output.match(/(?<=nested-calls\.mjs:)\d+/g)).toEqual(['9', '10', '8', '11']);
});
