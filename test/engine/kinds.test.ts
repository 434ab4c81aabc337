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
        'next breakpoint',
        'variables',
        'unbreak 1',
        ...['sent pong.hit', 'received pong.hit', 'entered pong.hit', 'left pong.hit', 'answered pong.hit'].flatMap(
          (kind, i) => [
            'start',
            `break ${kind}`,
            ...times(3, 'next breakpoint'),
            'variables',
            ...times(2, 'back breakpoint'),
            `unbreak ${i + 2}`,
          ],
        ),
        'start',
        'break entered *.again if times === 1',
        'next breakpoint',
        'variables',
        'next breakpoint',
        'break spawned times 2',
        'back breakpoint',
        'break',
      ],
    ],
    [
      'where-promises-are-settled',
      [
        'break answered p*',
        ...['normal', 'nothing', 'chained', 'open', 'ready', 'whenResolved', 'onError', 'whenResolvedOnError'].flatMap(
          (game) => ['start', `next match ping ${game}`, ...times(2, 'next breakpoint'), 'back breakpoint'],
        ),
        'unbreak 1',
        'start',
        'break resolved rejected',
        ...times(3, 'next breakpoint'),
        ...times(2, 'back breakpoint'),
      ],
    ],
    [
      'what-goes-on-with-promises',
      [
        'break reaction',
        ...['normal', 'chained', 'open', 'ready', 'whenResolved', 'onError', 'whenResolvedOnError'].flatMap((game) => [
          'start',
          `next match ping ${game}`,
          ...times(2, 'next breakpoint'),
          'back breakpoint',
        ]),
        'unbreak 1',
        'break awaited',
        'start',
        ...times(4, 'next breakpoint'),
        ...times(2, 'back breakpoint'),
      ],
    ],
    [
      'steps-of-actors',
      [
        // One line at a time; a breakpoint is set while all threads are paused, and removed.
        'next match ping normal',
        'next into',
        'next',
        'back',
        'break players.ts:8',
        'next breakpoint',
        'unbreak 1',
        // To the receiver on another actor, to the turn that takes the answer, and back.
        'back match ping normal',
        'receiver',
        'answer',
        'resolver',
        'sender',
        // On the same actor.
        'start',
        'next match ping again',
        'receiver',
        'receiver',
        'sender',
        // The next turns of an actor, and the next ones of a method.
        'start',
        'next match pong hit',
        'next actor',
        'next match pong hit',
        'back match pong hit',
        // From a waiter to where its promise is settled, and to its reaction.
        'start',
        'next match ping whenResolved',
        'break reaction',
        'next breakpoint',
        'resolver',
        'answer',
        'next into',
        'frames',
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
    ...times(4, 'next exception'),
    ...times(4, 'back exception'),
    'next exception RangeError*',
    'variables',
    ...times(3, 'next rejection'),
    'back rejection',
    'next error',
    'back error',
    'start',
    'next device fs.*',
    'frames',
    'next device clock.*',
    'back device fs.*',
    'next output',
    'back output',
    'end',
    'back output',
    'start',
    'break exception RangeError* times 1',
    'break error',
    'break device clock.* if true',
    'next breakpoint',
    'next breakpoint',
    'next breakpoint',
    'back breakpoint',
    ...[1, 2, 3].map((id) => `unbreak ${id}`),
    'break stdout "*caught lost"',
    'next breakpoint',
    'break stdout no*',
    'back breakpoint',
  ];
  await expect(outputOf(recorded('errors.mjs'), lines)).toMatchFileSnapshot('golden/errors.txt');
});

test('moves to requests and their responses', async () => {
  const lines = [
    ...times(3, 'next request'),
    ...times(2, 'back request'),
    'next request "GET /carts/8"',
    'next response',
    'variables',
    'back response "POST *"',
    'next response "* 404"',
    'start',
    'marks request',
    'marks response "* 404"',
    'break response "GET *" if count === undefined',
    'break request "POST *"',
    'next breakpoint',
    'next breakpoint',
    'back breakpoint',
  ];
  await expect(outputOf(recorded('asking.mjs'), lines)).toMatchFileSnapshot('golden/requests.txt');
});
