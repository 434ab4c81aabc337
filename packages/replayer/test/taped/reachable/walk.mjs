// Walks all objects that the program can reach from its roots, and prints the functions that no membrane guards. The
// functions of the language itself are left out.
import Module, { builtinModules } from 'node:module';
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import vm from 'node:vm';

const { sideOf } = globalThis;
delete globalThis.sideOf;
/** Builtins that change the process when they are loaded. */
const UNLOADED = /^(?:_|domain$|repl$|inspector|node:test|test)/;
const MAX_DEPTH = 8;
/** How far the walk follows the properties of objects on the other side of the membrane. */
const MAX_GUARDED_DEPTH = 2;

const language = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)'));
/** Call sites of functions of the program and of Node. */
function callSites() {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const { stack } = new AsyncLocalStorage().run(1, () => new Error('sites'));
  Error.prepareStackTrace = prepareStackTrace;
  return stack.flatMap((site) => [site, site.getThis?.(), site.getFunction?.()]);
}
const instances = {
  error: new Error('an error'),
  generator: (function* () {})(),
  asyncGenerator: (async function* () {})(),
  promise: Promise.resolve(),
  timeout: setTimeout(() => {}, 1),
  immediate: setImmediate(() => {}),
  controller: new AbortController(),
  url: new URL('http://localhost'),
  channel: new MessageChannel(),
  storage: new AsyncLocalStorage(),
  resource: new AsyncResource('resource'),
  emitter: new EventEmitter(),
  stdout: process.stdout,
  stderr: process.stderr,
  dispatcher: fetch('data:,x') && globalThis[Symbol.for('undici.globalDispatcher.1')],
  sites: callSites(),
  event: new Event('event'),
  target: new EventTarget(),
  buffer: Buffer.from('bytes'),
  encoder: new TextEncoder(),
  meta: import.meta,
  require: Module.createRequire(import.meta.url),
  main: process.mainModule,
  cache: Module.createRequire(import.meta.url).cache,
};
const roots = [
  ...Reflect.ownKeys(globalThis).map((key) => [String(key), globalThis[key]]),
  ...builtinModules.filter((name) => !UNLOADED.test(name)).map((name) => [name, process.getBuiltinModule(name)]),
  ...Object.entries(instances),
];

const found = new Set();
const visited = new Set();
const queue = roots.map(([path, value]) => [path, value, 0]);
for (const [path, value, depth] of queue) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || visited.has(value)) continue;
  visited.add(value);
  const side = sideOf(value);
  if (side === 'guarded') {
    // Some exports of a builtin of the host are not the host's.
    if (depth <= MAX_GUARDED_DEPTH)
      for (const key of keysOf(value)) queue.push([`${path}.${String(key)}`, read(value, key), depth + 1]);
    continue;
  }
  const [kind, name = path] = side.split(' ');
  if (typeof value === 'function' && !isOfLanguage(name)) found.add(`${kind} ${name}`);
  // The properties of a host object lead to the same objects again.
  if (kind === 'host' || depth === MAX_DEPTH) continue;
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    if (descriptor === undefined || (ArrayBuffer.isView(value) && 'value' in descriptor)) continue;
    const property = `${path}.${String(key)}`;
    queue.push([property, descriptor.value, depth + 1]);
    queue.push([`get ${property}`, descriptor.get, depth + 1], [`set ${property}`, descriptor.set, depth + 1]);
    if (descriptor.get !== undefined) queue.push([property, read(value, key), depth + 1]);
  }
  queue.push([`${path}.[[Prototype]]`, Reflect.getPrototypeOf(value), depth + 1]);
}

function isOfLanguage(name) {
  const [, root] = /^(?:[gs]et )?([^.]*)/.exec(name);
  return language.has(root) || /^(?:%|core$)/.test(root);
}

function keysOf(value) {
  try {
    return Reflect.ownKeys(value);
  } catch {
    return [];
  }
}

function read(value, key) {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

console.log([...found].toSorted().join('\n'));
process.exit();
