// What names a place that has moved means the new one, and nothing else means anything else.
import { describe, expect, test } from 'vitest';
import { Relocation } from '../src/relocation.ts';
import { commonRootOf } from '../src/program-location.ts';

const relocation = new Relocation([
  { from: '/srv/my app/node_modules/turntable', to: '/usr/lib/turntable' },
  { from: '/srv/my app', to: '/home/me' },
]);

test.each([
  ['/srv/my app', '/home/me'],
  ['/srv/my app/server.ts', '/home/me/server.ts'],
  ['file:///srv/my%20app/server.ts', 'file:///home/me/server.ts'],
  ['file:///srv/my%20app/data.json\njson', 'file:///home/me/data.json\njson'],
  ['/srv/my app/node_modules/turntable/dist/index.js', '/usr/lib/turntable/dist/index.js'],
  ['/srv/my apps/server.ts', '/srv/my apps/server.ts'],
  ['see /srv/my app/server.ts', 'see /srv/my app/server.ts'],
  ['/srv', '/srv'],
  ['', ''],
])('%j means %j', (text, expected) => {
  expect(relocation.relocateText(text)).toBe(expected);
});

test('names of known objects are those of their files', () => {
  expect(relocation.relocateName('device /srv/my app/node_modules/pg/index.js › module › exports')).toBe(
    'device /home/me/node_modules/pg/index.js › module › exports',
  );
  expect(relocation.relocateName('namespace of file:///srv/my%20app/a.ts')).toBe('namespace of file:///home/me/a.ts');
  expect(relocation.relocateName('import.meta.resolve of file:///srv/my%20app/a.ts')).toBe(
    'import.meta.resolve of file:///home/me/a.ts',
  );
  expect(relocation.relocateName('Array.prototype')).toBe('Array.prototype');
});

test('what has moved into its own directory moves once', () => {
  const inner = new Relocation([{ from: '/srv', to: '/srv/app' }]);
  expect(inner.relocateText('/srv/a.ts')).toBe('/srv/app/a.ts');
  expect(inner.relocateText(inner.relocateText('/srv/a.ts'))).toBe('/srv/app/a.ts');
});

describe('the directory of a program is that of all its own files', () => {
  const head = (...files: string[]): Parameters<typeof commonRootOf>[0] =>
    ({
      root: '/srv/mono/packages/api',
      ownPackages: [['turntable', '/usr/lib/turntable']],
      records: files.map((filename) => ({ filename, originKind: 'module' })),
    }) as unknown as Parameters<typeof commonRootOf>[0];

  test.each([
    ['of its package', ['/srv/mono/packages/api/src/server.ts'], '/srv/mono/packages/api'],
    ['of a workspace', ['/srv/mono/packages/lib/index.ts'], '/srv/mono/packages'],
    ['of hoisted packages', ['/srv/mono/node_modules/lodash/lodash.js'], '/srv/mono'],
    ['not that of Turntable', ['/usr/lib/turntable/dist/node-shims/once.js'], '/srv/mono/packages/api'],
    ['not that of all files there are', ['/usr/lib/node_modules/x/index.js'], '/srv/mono/packages/api'],
  ])('%s', (_, files, root) => {
    expect(commonRootOf(head(...files))).toBe(root);
  });
});
