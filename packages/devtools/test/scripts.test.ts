// Scripts: the recorded files, with their recorded text. Without a list of statements, each line with code can have a
// breakpoint.
import { expect, test } from 'vitest';
import { CART_FILE } from '../../time-machine/test/scripted-recording.ts';
import { scriptedServer } from '../../time-machine/test/scripted-server.ts';
import { debugCart, serveCart } from './scripted-session.ts';

interface ScriptParsed {
  readonly scriptId: string;
  readonly url: string;
  readonly endLine: number;
  readonly endColumn: number;
  readonly length: number;
}

test('every recorded file is a script, in order, except files without text', async () => {
  const files = Array.from({ length: 70 }, (_, i) => (i % 2 === 0 ? `/p/${i}.ts` : `file:///p/${i}.ts`));
  const deps = {
    sourceFiles: () => [...files, '/p/none.ts', 'node:fs', 'C:\\p\\windows.ts', '/p/0.ts'],
    findSource: (file: string) => (file === '/p/none.ts' ? undefined : `${file}\nend`),
  };
  const client = await debugCart({ deps });
  const parsed = client.log.received
    .filter(({ method }) => method === 'Debugger.scriptParsed')
    .map(({ params }) => params as ScriptParsed);
  expect(parsed.slice(1, -2).map(({ scriptId, url }) => [scriptId, url])).toEqual(
    files.map((_, i) => [String(i + 2), `file:///p/${i}.ts`]),
  );
  expect(parsed.slice(-2).map(({ url }) => url)).toEqual(['node:fs', expect.stringContaining('windows.ts')]);
  expect(parsed[1]).toMatchObject({ endLine: 1, endColumn: 3, length: '/p/0.ts\nend'.length });
  expect(await client.request('Debugger.getScriptSource', { scriptId: '3' })).toEqual({
    scriptSource: 'file:///p/1.ts\nend',
  });
});

const UNLISTED = `// a comment
  /* another
   * one */
import x;

  call({
    a,
  });
})
];
},
  } else {
*/ after
`;

test('without a list of statements, lines with code can have breakpoints', async () => {
  const deps = { findSource: () => UNLISTED, findStatements: () => undefined };
  const client = await debugCart({ deps });
  const { locations } = await client.request<{ locations: unknown[] }>('Debugger.getPossibleBreakpoints', {
    start: { scriptId: '2', lineNumber: 0 },
  });
  expect(locations).toEqual(
    [
      [3, 0],
      [5, 2],
      [6, 4],
      [11, 2],
    ].map(([lineNumber, columnNumber]) => ({ scriptId: '2', lineNumber, columnNumber })),
  );
});

test.each([
  [UNLISTED, { scriptId: '2', lineNumber: 3, columnNumber: 0 }],
  ['  x', { scriptId: '2', lineNumber: 0, columnNumber: 2 }],
  // Without any code, the first statement of the task is reported.
  ['// nothing', { scriptId: '2', lineNumber: 13, columnNumber: 2 }],
])('before its first statement, the program is shown at its first code: %j', async (text, location) => {
  const client = await debugCart({ deps: { findSource: () => text } });
  const [frame] = (await client.runToPause('Debugger.pause')).callFrames;
  expect(frame).toMatchObject({ location, url: CART_FILE });
});

test('a program whose main file is not recorded is shown at the first statement of its task', async () => {
  const client = await debugCart({}, { url: 'file:///p/main.ts' });
  const [frame] = (await client.runToPause('Debugger.pause')).callFrames;
  expect(frame).toMatchObject({ location: { scriptId: '2', lineNumber: 13, columnNumber: 2 } });
});

test('code whose source is not recorded is shown in a script of its own', async () => {
  const client = await debugCart({ deps: { sourceFiles: () => [] } });
  const paused = await client.runToPause('Debugger.stepInto');
  expect(paused.callFrames).toMatchObject([
    { functionName: 'sum', url: 'turntable:recording', location: { scriptId: '1', lineNumber: 1, columnNumber: 0 } },
  ]);
});

test('a stack that cannot be loaded is reported by a frame of the task, and a note', async () => {
  const server = scriptedServer();
  let isLost = false;
  const wire = server.openWire();
  const connect = await serveCart(server, {
    connect: () => ({
      send: (text) => wire.send(isLost ? text.replace('"frames"', '"lost"') : text),
      onText: (listener) => wire.onText(listener),
      onClose: (listener) => wire.onClose(listener),
      close: () => wire.close(),
    }),
  });
  const client = await connect();
  await client.enable();
  isLost = true;
  const paused = await client.runToPause('Debugger.stepInto');
  expect(paused.callFrames).toMatchObject([
    { functionName: 'the program is evaluated', url: 'turntable:recording', this: { type: 'undefined' } },
  ]);
  const notes = client.log.received.filter(({ method }) => method === 'Runtime.consoleAPICalled');
  expect(JSON.stringify(notes)).toContain('the stack is not known: ');
});
