// Tries to reach what a replay must not reach, with all of Node's functions. Prints a line of JSON for each attempt.
// Arguments: a readable directory, a writable directory, a file elsewhere, the port of a server, the id of a process.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import dgram from 'node:dgram';
import diagnostics from 'node:diagnostics_channel';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import module from 'node:module';
import net from 'node:net';
import { join } from 'node:path';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';

const [readable, writable, secret, port, victim] = process.argv.slice(2);

const attempts = {
  'read a file elsewhere': () => readFileSync(secret, 'utf8'),
  'read a file elsewhere through a link': () => {
    symlinkSync(secret, join(writable, 'link'));
    return readFileSync(join(writable, 'link'), 'utf8');
  },
  'see the home directories': () => readdirSync('/home'),
  'read the environment': () => found(process.env['TEST_SECRET']),
  'read the environment of another process': () =>
    found(
      [1, process.ppid, victim]
        .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'))
        .find((text) => text.includes('TEST_SECRET')),
    ),
  'write elsewhere': () => writeFileSync(`${secret}.written`, 'x'),
  'write to the readable directory': () => writeFileSync(join(readable, 'written'), 'x'),
  'remove a readable file': () => rmSync(join(readable, 'file')),
  'rename a readable file': () => renameSync(join(readable, 'file'), join(readable, 'renamed')),
  'link a readable file': () => linkSync(join(readable, 'file'), join(writable, 'linked')),
  'overwrite Node': () => writeFileSync(process.execPath, ''),
  // These two change nothing where they succeed.
  'change a setting of the kernel': () => {
    const file = '/proc/sys/kernel/core_pattern';
    writeFileSync(file, readFileSync(file));
  },
  'change the mode of a device': () => chmodSync('/dev/null', statSync('/dev/null').mode),
  'start a shell': () => execFileSync('/bin/sh', ['-c', 'echo started'], { encoding: 'utf8' }),
  'start another program': () => execFileSync('/usr/bin/touch', [`${secret}.touched`]),
  'write elsewhere in another Node': () => {
    const text = `require('fs').writeFileSync(${JSON.stringify(`${secret}.spawned`)}, 'x')`;
    if (spawnSync(process.execPath, ['-e', text]).status !== 0) throw new Error('failed');
  },
  'end another process': () => process.kill(Number(victim), 'SIGKILL'),
  'connect to a server': async () => {
    const socket = net.connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
  },
  'look up a name': () => dns.lookup('example.com'),
  'send a datagram': async () => {
    const socket = dgram.createSocket('udp4');
    socket.send('a datagram', Number(port), '127.0.0.1');
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(500) });
    await answered.finally(() => socket.close());
  },
  'start a thread with the class behind the first Worker': async () => {
    let Handle;
    const { _subscribers: subscribers } = subscribed('worker_threads');
    subscribers.unshift(({ worker }) => (Handle ??= handleOf(worker).constructor));
    await finished(new Worker('', { eval: true }));
    if (process.permission === undefined || typeof Handle !== 'function') throw new Error('not found');
  },
  'write elsewhere in a worker with flags': async () => {
    await finished(new Worker(writing('worker'), { eval: true, execArgv: ['--no-warnings'] }));
  },
  'write elsewhere in a worker whose flags are swallowed': async () => {
    const text = writing('swallowed');
    const { prototype } = Array;
    for (let i = 0; i < 20; i++) Object.defineProperty(prototype, i, { set() {}, configurable: true });
    const worker = new Worker(text, { eval: true, execArgv: ['--no-warnings'] });
    for (let i = 0; i < 20; i++) delete prototype[i];
    await finished(worker);
  },
  'write elsewhere in a worker of a worker': async () => {
    const text = `new (require('worker_threads').Worker)(${JSON.stringify(writing('nested'))}, { eval: true, execArgv: [] })
      .on('error', () => process.exit(1));`;
    await finished(new Worker(text, { eval: true, execArgv: [] }));
  },
  'write elsewhere in a worker of the class of an instance': async () => {
    const { constructor } = new Worker('', { eval: true });
    await finished(new constructor(writing('constructor'), { eval: true, execArgv: [] }));
    const parent = Object.getPrototypeOf(constructor);
    await finished(new parent(writing('parent'), { eval: true, execArgv: [] }));
  },
  'start a thread with the class behind Worker': () => {
    const { constructor: Handle } = handleOf(new Worker('', { eval: true }));
    // Its threads would have all rights of the process, which only the kernel takes away.
    if (process.permission === undefined || typeof Handle !== 'function') throw new Error('not found');
  },
  'write elsewhere in the thread of module hooks': async () => {
    const text = `import { Worker } from 'node:worker_threads';
      export function initialize(port) {
        new Worker(${JSON.stringify(writing('hooks'))}, { eval: true, execArgv: [] })
          .on('error', () => port.postMessage(1))
          .on('exit', (code) => port.postMessage(code));
      }`;
    const { port1, port2 } = new MessageChannel();
    const options = { data: port2, transferList: [port2] };
    module.register(`data:text/javascript,${encodeURIComponent(text)}`, import.meta.url, options);
    const [code] = await once(port1, 'message');
    if (code !== 0) throw new Error('failed');
  },
  'write a report elsewhere': () => {
    process.report.writeReport(`${secret}.report`);
    throw new Error('see the directory');
  },
  'write a heap snapshot elsewhere': () => v8.writeHeapSnapshot(`${secret}.heapsnapshot`),
  'load an addon': () => process.dlopen({ exports: {} }, join(readable, 'addon.node')),
  'load an addon in a worker with flags': async () => {
    const text = `process.dlopen({ exports: {} }, ${JSON.stringify(join(readable, 'addon.node'))})`;
    const worker = new Worker(text, { eval: true, execArgv: ['--addons'] });
    await Promise.race([once(worker, 'exit'), once(worker, 'error').then(([error]) => Promise.reject(error))]);
  },
  'start a copy of Node from a writable directory': () => {
    copyFileSync(process.execPath, join(writable, 'copy'));
    const text = `require('fs').writeFileSync(${JSON.stringify(`${secret}.copied`)}, 'x')`;
    if (spawnSync(join(writable, 'copy'), ['-e', text]).status !== 0) throw new Error('failed');
  },
};

/** A channel that has subscribers. */
function subscribed(name) {
  diagnostics.subscribe(name, () => {});
  return diagnostics.channel(name);
}

/** The engine's object behind a worker. */
function handleOf(worker) {
  const handles = Object.getOwnPropertySymbols(worker).map((symbol) => worker[symbol]);
  return handles.find((handle) => typeof handle?.startThread === 'function');
}

/** Code that writes a file elsewhere. */
function writing(name) {
  return `require('fs').writeFileSync(${JSON.stringify(`${secret}.${name}`)}, 'x')`;
}

async function finished(worker) {
  const [code] = await Promise.race([
    once(worker, 'exit'),
    once(worker, 'error').then(([error]) => Promise.reject(error)),
  ]);
  if (code !== 0) throw new Error('failed');
}

function found(value) {
  if (value === undefined) throw new Error('not found');
  return value;
}

for (const [name, attempt] of Object.entries(attempts)) {
  let result;
  try {
    await attempt();
    result = { name };
  } catch (error) {
    result = { name, failure: error.code ?? error.message };
  }
  console.log(JSON.stringify(result));
}
process.exit();
