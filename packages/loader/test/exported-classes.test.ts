// Classes have addresses by which other threads find them: their file and export name.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { createProgram, runTransformed } from './running.ts';

const FILES = {
  'lib.mjs': `
    export class Exported {}
    export default class extends Exported {}
    class Renamed {}
    export { Renamed as 'other name' };
    class Hidden {}
    export const hidden = () => Hidden;
    export const box = { Hidden };
    export let notYet;
    export const laterClass = class Later {};
    export const define = () => (notYet = laterClass);`,
  'reexport.mjs': "import { hidden } from './lib.mjs'; export const Elsewhere = hidden();",
  'object.cjs':
    'class InObject {} class Private {} module.exports = { InObject, number: 5, nothing: null, getPrivate: () => Private };',
  'whole.cjs': 'module.exports = class Whole {};',
  'empty.cjs': 'module.exports = null;',
  'later.mjs': 'export class Later {} export const number = 5;',
  'later.cjs': 'exports.LaterToo = class LaterToo {};',
  'failing.mjs': "export class Never {} throw new RangeError('it fails');",
};

const main = (loader: string): string => `
  import * as lib from './lib.mjs';
  import object from './object.cjs';
  import Whole from './whole.cjs';
  import './empty.cjs';
  export class InMain {}
  const { installedLoader } = process.getBuiltinModule('module').createRequire(${JSON.stringify(loader)})('@turntable/replayer');
  const { classes } = installedLoader();
  const show = (value) => console.log(JSON.stringify(value?.name ?? value ?? 'undefined'));
  const attempt = async (run) => {
    try { show(await run()); } catch (error) { show([error.code, error.message]); }
  };
  const address = (type) => attempt(() => classes.addressOf(type));
  for (const type of [lib.Exported, lib.default, lib['other name'], object.InObject, Whole]) await address(type);
  await address(lib.hidden());
  await address(lib.hidden());
  await import('./reexport.mjs');
  await address(lib.hidden());
  await address(object.getPrivate());
  await address(InMain);
  await address(Map);
  await address(class {});
  const url = (name) => new URL(name, import.meta.url).href;
  for (const name of ['lib.mjs#Exported', 'lib.mjs#default', 'object.cjs#InObject', 'whole.cjs#']) {
    await attempt(() => classes.findLoaded(url(name)));
    const found = classes.find(url(name));
    show(found instanceof Promise);
    await attempt(() => found);
  }
  for (const name of ['later.mjs#Later', 'later.cjs#LaterToo']) {
    await attempt(() => classes.findLoaded(url(name)));
    const found = classes.find(url(name));
    show(typeof found.then);
    await attempt(() => found);
    show(classes.find(url(name)) === (await found) && classes.findLoaded(url(name)) === (await found));
  }
  for (const name of ['lib.mjs#missing', 'later.mjs#number', 'lib.mjs#toString', 'object.cjs#number', 'failing.mjs#Never', 'failing.mjs#Never'])
    await attempt(() => classes.find(url(name)));
  await attempt(() => classes.findLoaded(url('failing.mjs#Never')));
  show([classes.keyOf(lib.Exported), classes.keyOf(lib.hidden())].map((key) => key.replace(url('.'), '')));
  show([classes.keyOf(Map) === undefined, classes.keyOf(lib.Exported) === classes.keyOf(lib.default)]);
`;

it('a class of the program is found by its address, and others are refused with the reason', async ({
  onTestFinished,
}) => {
  const directory = createProgram({ ...FILES, 'main.mjs': main(import.meta.filename) }, onTestFinished);
  const { stdout, stderr } = await runTransformed(directory, 'main.mjs');
  expect(stderr).toBe('');
  const address = (file: string, name: string): string => `${pathToFileURL(join(directory, file)).href}#${name}`;
  const notExported = (name: string, file: string): unknown => [
    'TT_UNKNOWN_CLASS',
    `${name} is not exported by ${join(directory, file)}, so no worker can find it; export it, or spawn it with { on: 'main' }`,
  ];
  const noClass = (name: string, file: string): unknown => [
    'TT_UNKNOWN_CLASS',
    `${join(directory, file)} exports no class ${name} on this thread; export it on all threads, or spawn it with { on: 'main' }`,
  ];
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    address('lib.mjs', 'Exported'),
    address('lib.mjs', 'default'),
    address('lib.mjs', 'other name'),
    address('object.cjs', 'InObject'),
    address('whole.cjs', ''),
    notExported('Hidden', 'lib.mjs'),
    notExported('Hidden', 'lib.mjs'),
    address('reexport.mjs', 'Elsewhere'),
    notExported('Private', 'object.cjs'),
    [
      'TT_UNKNOWN_CLASS',
      expect.stringContaining(`InMain is defined in ${join(directory, 'main.mjs')}, the program's entry file`),
    ],
    [
      'TT_UNKNOWN_CLASS',
      'Map is not a class of the program; extend it in a module of the program and export the subclass',
    ],
    ['TT_UNKNOWN_CLASS', expect.stringContaining('a class without a name is defined in')],
    ...['Exported', 'default', 'InObject', 'Whole'].flatMap((name) => [name, false, name]),
    ...['Later', 'LaterToo'].flatMap((name) => ['undefined', 'function', name, true]),
    noClass('missing', 'lib.mjs'),
    noClass('number', 'later.mjs'),
    noClass('toString', 'lib.mjs'),
    noClass('number', 'object.cjs'),
    [undefined, 'it fails'].map((value) => value ?? null),
    [undefined, 'it fails'].map((value) => value ?? null),
    'undefined',
    ['lib.mjs#0', 'lib.mjs#3'],
    [true, false],
  ]);
});
