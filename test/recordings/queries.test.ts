// Queries over snapshots: of a running program, and of a recording whose program is gone.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { openRecording } from '@turntable/recording';
import { checksumOf } from '../../packages/heap/src/checksum.ts';
import { SnapshotView } from '../../packages/turntable/src/query/snapshot-view.ts';
import { sourcesOf } from '../../packages/turntable/src/query/view-recording.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const settings = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

function turntable(args: readonly string[], cwd = FIXTURES): { stdout: string; stderr: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd,
    encoding: 'utf8',
    env: settings,
  });
  return { stdout, stderr, status };
}

describe('a query of a running program', () => {
  it('sees one moment of all workers: no money is missing while it moves between them', () => {
    const { stdout, stderr } = turntable(['run', '--recordings', join(directory, 'queried'), 'queried.ts']);
    expect({ stdout, stderr }).toEqual({ stdout: '900,900,900,900,900,900\nwhile money moved\n', stderr: '' });
  });

  it('fails on its own, with an error that says what to do, and the program continues', () => {
    const { stdout, stderr } = turntable(['run', '--recordings', join(directory, 'bad'), 'bad-queries.ts']);
    expect(stderr).toBe('');
    expect(stdout).toMatchInlineSnapshot(`
      "a captured variable: RuntimeError TT_QUERY: the query uses mine, which is not defined: only the source of the function is copied; pass it as an argument, app.query(fn, mine), or import(…) it in the query
      an import: RuntimeError TT_QUERY: the query uses inspect, which is not defined: only the source of the function is copied; pass it as an argument, app.query(fn, inspect), or import(…) it in the query
      its own import answers /
      throws: SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)
      throws no error: 'just this'
      never ends: RuntimeError TT_DEADLINE: the query has not answered within 500 ms and was ended; allow more with app.queryWith({ timeout }, fn)
      eats: RuntimeError TT_QUERY: the query took more than 24 MB of memory and was ended; allow more with app.queryWith({ memory }, fn)
      answers a function: RuntimeError TT_QUERY: the result of the query cannot be copied to the program: () => 1 could not be cloned.; return plain data
      ends its thread: RuntimeError TT_QUERY: the query ended its thread with exit code 3; return a result instead
      native: RuntimeError TT_QUERY: query(…) was given isArray without source text (bound or native); give it an ordinary function
      no function: RuntimeError TT_QUERY: query(…) must be given a function, not snapshot
      an argument: RuntimeError TT_QUERY: an argument of the query cannot be copied to its thread: () => 1 could not be cloned.; give it plain data
      options: RuntimeError TT_OPTIONS: query: timeout must be a number above 0, not -1
      two at once, in their order: true
      the service answers true
      2
      "
    `);
  });

  it('requires a recorded program', () => {
    const { stderr, status } = turntable(['run', 'queried.ts']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/TT_NO_SNAPSHOT|this program is not recorded: start it with --recordings DIR/);
  });
});

describe('a recording', () => {
  const into = join(directory, 'inspected');
  /** The program's files, deleted after recording. */
  const program = join(directory, 'program');

  beforeAll(() => {
    cpSync(FIXTURES, program, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(program, 'node_modules'));
    const { stderr, status } = turntable(['run', '--recordings', into, 'inspected.ts'], program);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    rmSync(program, { recursive: true });
  });

  const evaluated = (text: string, ...flags: readonly string[]): unknown => {
    const { stdout, stderr } = turntable(['inspect', into, '--json', '--eval', text, ...flags]);
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it('is summarized: actors, mailboxes, classes by retained size', () => {
    const { stdout, status } = turntable(['inspect', into]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^.*inspected\.ts\n/);
    expect(stdout).toMatch(/^snapshot 1: 3 actors, 0 messages waiting, 0 under way$/m);
    expect(stdout).toMatch(/^ +3 +0 +\d+ +\d+ {2}Payer$/m);
    expect(stdout).toMatch(/^ +3 +\d+ +\d+ {2}Payer \(payer\.ts\)$/m);
  });

  it('prints everything as JSON', () => {
    const { stdout } = turntable(['inspect', into, '--json']);
    const { snapshot } = JSON.parse(stdout) as { snapshot: Record<string, readonly Record<string, unknown>[]> };
    expect(Object.keys(snapshot)).toEqual(['phase', 'taken', 'workers', 'actors', 'underWay', 'modules', 'classes']);
    expect(snapshot['actors']).toMatchObject([
      { name: 'Payer#1', class: 'Payer', worker: 0, waiting: 0, methods: {}, ended: false },
      { name: 'Payer#3', worker: 0 },
      { name: 'Payer#2', worker: 1 },
    ]);
    const classes = snapshot['classes'] ?? [];
    expect(classes.find(({ name }) => name === 'Order')).toMatchObject({ module: 'inspected.ts', count: 2 });
    for (const { bytes, retained } of classes) expect(retained).toBeGreaterThanOrEqual(bytes as number);
  });

  it('evaluates JavaScript and TypeScript functions over names, private fields and paths without the program', () => {
    const text = `(snapshot: { instancesOf(name: string): Record<string, unknown>[]; pathTo(object: object): string }) =>
      snapshot.instancesOf('Order').map((order) => [snapshot.pathTo(order), order.customer, order['#lines']])`;
    expect(evaluated(text)).toEqual([
      [
        'inspected.ts orders.get("first")',
        'Ada',
        [
          { sku: 'tea', count: 2 },
          { sku: 'milk', count: 1 },
        ],
      ],
      ['inspected.ts orders.get("second")', 'Grace', [{ sku: 'tea', count: 1 }]],
    ]);
    expect(evaluated('s => s.modules[0].exports.counter.next')).toEqual({
      name: 'next',
      file: join(program, 'inspected.ts'),
      line: 30,
      captured: {},
    });
    expect(evaluated('s => s.modules.find((m) => m.url.endsWith("/inspected.ts")).variables.asked')).toBe(1);
    expect(evaluated('s => s.instancesOf("ProgramClass").find((c) => c.name === "Order").properties')).toEqual({
      made: 2,
    });
    expect(evaluated('s => s.modules[0].exports.waiting[0].waiting')).toMatchObject({
      function: { name: 'waits', line: 33 },
      line: 35,
      variables: { since: { order: { customer: 'Ada' }, what: 'a delivery' } },
    });
    const { stdout } = turntable(['inspect', into, '--eval', 's => s.actor("Payer#2").state']);
    expect(stdout).toMatchInlineSnapshot(`
      "Payer {
        owner: 'owner on 1',
        '#balance': 100,
        '#others': [],
        '#next': 0,
        '#goesOn': false
      }
      "
    `);
  });

  it('has stand-ins for objects that only a running program has', () => {
    const text =
      's => Object.entries(s.modules[0].exports.odd).map(([key, value]) => [key, value.constructor.name, value])';
    expect(evaluated(text)).toMatchObject([
      ['server', 'Handle', { class: 'net.Server' }],
      ['headers', 'Headers', { entries: [['a', 'b']] }],
      ['bound', 'BoundFunction', { name: 'bound next', this: { me: 1 }, function: { name: 'next' } }],
      ['proxy', 'ProxyStandIn', { target: { target: 1 }, handler: {} }],
      ['resource', 'AsyncResource', {}],
      ['timer', 'Timeout', { delay: 100_000, refed: false, callback: { name: 'next' } }],
      ['payer', 'FarRef', { actor: 'Payer#2', class: 'Payer', worker: 1, number: 0 }],
      ['weak', 'WeakMap', [[expect.anything(), { held: 1 }]]],
    ]);
  });

  it.each([
    [
      'an error thrown by the query',
      ['--eval', '() => { throw new RangeError("too much") }'],
      'the query failed: RangeError: too much\n    at eval (query:1:16)\n',
      1,
    ],
    [
      'a text that is no function',
      ['--eval', '1 + 1'],
      'a query must be a function of a snapshot, but "1 + 1" is number; write snapshot => …\n',
      1,
    ],
    [
      'a text with a syntax error',
      ['--eval', '1 +'],
      "the text of the query is not a function: Unexpected token ')': 1 +\n",
      1,
    ],
    [
      'a name that is not defined',
      ['--eval', 's => orders.size'],
      'the query uses orders, which is not defined: only the source of the function is copied; pass it as an argument, app.query(fn, orders), or import(…) it in the query\n',
      1,
    ],
    ['a snapshot that does not exist', ['--phase', '7'], 'it has no snapshot 7; available: 1\n', 1],
    [
      'a phase that is no number',
      ['--phase', 'last'],
      '--phase must be the number of a snapshot, not "last"\nRun turntable inspect --help\n',
      2,
    ],
  ])('explains %s', (_, args, message, code) => {
    const { stdout, stderr, status } = turntable(['inspect', into, ...args]);
    expect({ stdout, status }).toEqual({ stdout: '', status: code });
    expect(stderr.endsWith(message) ? '' : stderr).toBe('');
  });

  it('refuses unknown flags, and flags for recordings on files', () => {
    expect(turntable(['inspect', into, '--evil']).status).toBe(2);
    expect(turntable(['inspect', CLI, '--eval', 's => s']).stderr).toMatch(
      /--phase, --eval and --trace are for recordings, but .* is neither a directory nor a packed recording/,
    );
  });

  describe('with arbitrary bytes', () => {
    const part = (): Uint8Array => {
      const recording = openRecording(join(into, readdirSync(into)[0] as string));
      using snapshot = recording.readSnapshot(1);
      return snapshot.part(0, 'state').read();
    };
    const look = (bytes: Uint8Array): string => {
      const sources = sourcesOf(() => openRecording(join(into, readdirSync(into)[0] as string)), {});
      try {
        const view = new SnapshotView([{ worker: 0, bytes }], { phase: 1, taken: new Date(0), sources, cwd: '/' });
        for (const actor of view.actors) expect(actor.retained).toBeGreaterThanOrEqual(0);
        expect(view.classes).toBeInstanceOf(Array);
        return 'read';
      } catch (error) {
        return String((error as { code?: string }).code ?? (error as Error).stack);
      }
    };

    it('is read or gives an error', () => {
      const bytes = part();
      expect(look(bytes)).toBe('read');
      for (let length = 0; length < bytes.length; length += 101) expect(look(bytes.slice(0, length))).toMatch(/^TT_/);
      const heap = 16;
      const end = bytes.length - 8 - Buffer.from(bytes).readUInt32LE(bytes.length - 8);
      const found = new Set<string>();
      for (let i = 0; i < 200; i++) {
        const changed = Buffer.from(bytes);
        const at = heap + 8 + ((i * 7919) % (end - heap - 12));
        changed[at] = i % 3 === 0 ? 0x15 : (i * 31) & 0xff;
        const state = changed.subarray(heap, end);
        state.writeUInt32LE(checksumOf(state, 8, state.length - 4), state.length - 4);
        found.add(look(changed));
      }
      expect([...found].filter((each) => each !== 'read' && !each.startsWith('TT_'))).toEqual([]);
      expect(found).toContain('read');
    }, 60_000);

    it('names the damaged file and shows the rest of the recording', () => {
      const recording = join(into, readdirSync(into)[0] as string);
      const file = join(recording, 'snapshots', '0000000001.tts');
      const whole = readFileSync(file);
      const changed = Buffer.from(whole);
      changed[200] = (changed[200] as number) ^ 1;
      writeFileSync(file, changed);
      const { stdout, status } = turntable(['inspect', into]);
      writeFileSync(file, whole);
      expect(status).toBe(0);
      expect(stdout).toMatch(
        /inspected\.ts[^]*the last snapshot cannot be read: .* has no complete snapshot; record with --snapshots every=30s\n/,
      );
    });
  });
});
