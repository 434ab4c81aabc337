// Forms of escape from a replay: each writes a file, sends to a server, or starts a process. Arguments: a directory, the
// port of a server on TCP and UDP, the id of a process, the names of forms. Prints the result of each form.
import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import inspector from 'node:inspector';
import Module, { createRequire } from 'node:module';
import net from 'node:net';
import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import tls from 'node:tls';
import traceEvents from 'node:trace_events';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import vm from 'node:vm';
import { WASI } from 'node:wasi';
import { Worker } from 'node:worker_threads';

const [directory = '', portText, victim, ...names] = process.argv.slice(2);
const port = Number(portText);
/** The file that the current form makes. */
let made = '';
const text = (builtins = 'process.getBuiltinModule') => `${builtins}('fs').writeFileSync(${JSON.stringify(made)}, 'x')`;
const dataUrl = (code) => `data:text/javascript,${encodeURIComponent(code)}`;
const connected = async (socket) => {
  await once(socket, 'connect');
  socket.destroy();
};
/** A call site of a function that Node calls. */
function callSites() {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error('sites').stack;
  Error.prepareStackTrace = prepareStackTrace;
  return sites;
}

const forms = {
  // Functions of the builtin that writes files.
  'fs.writeFileSync': () => fs.writeFileSync(made, 'x'),
  'fs.promises.writeFile': () => fs.promises.writeFile(made, 'x'),
  'a promisified fs.writeFile': () => promisify(fs.writeFile)(made, 'x'),
  'fs.writeFileSync, called by Node': () => new AsyncLocalStorage().run(1, fs.writeFileSync, made, 'x'),
  'fs.createWriteStream': () => pipeline(['x'], fs.createWriteStream(made)),
  'fs.symlinkSync': () => fs.symlinkSync(directory, made),
  'fs.cpSync': () => fs.cpSync(process.argv[1], made),
  // Other ways to that builtin.
  'process.getBuiltinModule': () => process.getBuiltinModule('fs').writeFileSync(made, 'x'),
  // oxlint-disable-next-line no-eval -- a form of escape
  'indirect eval': () => (0, eval)(text()),
  'new Function': () => new Function(text())(),
  'an async function constructor': () => (async () => {}).constructor(text())(),
  'vm.runInThisContext': () => vm.runInThisContext(text()),
  'vm.Script': () => new vm.Script(text()).runInThisContext(),
  'vm.compileFunction': () => vm.compileFunction(text())(),
  'constructors of an object in a vm context': () =>
    vm.runInNewContext(`object.constructor.constructor(${JSON.stringify(text())})()`, { object: {} }),
  'import() in vm': () =>
    vm
      .runInThisContext(`import('node:fs')`, { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })
      .then((module) => module.writeFileSync(made, 'x')),
  'Module._load': () => Module._load('fs').writeFileSync(made, 'x'),
  createRequire: () => createRequire(import.meta.url)('fs').writeFileSync(made, 'x'),
  'require of a new module': () => {
    const module = new Module('made');
    Object.assign(module, { filename: process.argv[1], paths: [] });
    module.require('fs').writeFileSync(made, 'x');
  },
  'text compiled by a module': () => new Module('made')._compile(text('require'), join(directory, 'compiled.cjs')),
  'import() of a data URL': () =>
    import(dataUrl(`import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(made)}, 'x')`)),
  'module.register': () =>
    Module.register(dataUrl(`import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(made)}, 'x')`)),
  'the function of a call site': () =>
    callSites()
      .map((site) => site.getFunction?.())
      .find((each) => typeof each === 'function')
      ?.constructor(text())(),
  'constructors of a host function': () => fs.readFileSync.constructor(text())(),
  'constructors of a host object': () => process.stdout.constructor.constructor(text())(),
  // Files by other builtins.
  'process.report.writeReport': () => process.report.writeReport('report.json'),
  'v8.writeHeapSnapshot': () => typeof v8.writeHeapSnapshot(made),
  'v8.takeCoverage': () => v8.takeCoverage(),
  'v8.startCpuProfile': () => typeof v8.startCpuProfile?.().stop(),
  'v8.setHeapSnapshotNearHeapLimit': () => v8.setHeapSnapshotNearHeapLimit(1),
  'a database': () => new DatabaseSync(made).exec('create table t (a)'),
  'an extension of a database': () => new DatabaseSync(':memory:', { allowExtension: true }).loadExtension(made),
  'a directory of WASI': () =>
    Object.keys(new WASI({ version: 'preview1', preopens: { '/': directory } }).getImportObject()),
  'module.enableCompileCache': () => Module.enableCompileCache(made).status,
  'trace events': () => {
    const tracing = traceEvents.createTracing({ categories: ['node.perf'] });
    tracing.enable();
    tracing.disable();
  },
  'process.binding': () => typeof process.binding('fs').internalModuleStat,
  'process.dlopen': () => process.dlopen({ exports: {} }, process.execPath),
  'process.loadEnvFile': () => process.loadEnvFile(process.argv[1]),
  // Processes and threads.
  'child_process.spawnSync': () => childProcess.spawnSync('touch', [made]).status,
  'child_process.spawn': async () => (await once(childProcess.spawn('touch', [made]), 'close'))[0],
  'child_process.execSync': () => String(childProcess.execSync(`touch ${made}`)),
  'child_process.fork': async () => {
    fs.writeFileSync(`${made}.mjs`, `process.disconnect()`);
    return (await once(childProcess.fork(`${made}.mjs`, { execArgv: [] }), 'close'))[0];
  },
  "process.binding('spawn_sync')": () =>
    process.binding('spawn_sync').spawn({
      file: 'touch',
      args: ['touch', made],
      envPairs: [`PATH=${process.env.PATH}`],
      stdio: [0, 1, 2].map(() => ({ type: 'ignore' })),
    }).status,
  'cluster.fork': async () => {
    cluster.setupPrimary({ exec: process.argv[1], args: ['', '', '', 'in a cluster'], silent: true });
    return (await once(cluster.fork(), 'exit'))[0];
  },
  'process.kill': () => process.kill(Number(victim), 0),
  'process._kill': () => process._kill(Number(victim), 0),
  'a worker': async () => (await once(new Worker(text(), { eval: true }), 'exit'))[0],
  'a worker with flags': async () =>
    (await once(new Worker(text(), { eval: true, execArgv: ['--no-warnings'] }), 'exit'))[0],
  'inspector.Session': async () => {
    const session = new inspector.Session();
    session.connect();
    const result = await promisify(session.post.bind(session))('Runtime.evaluate', { expression: text() });
    return result.result.type;
  },
  'inspector.open': () => {
    inspector.open(0);
    inspector.close();
  },
  // The network.
  'net.connect': () => connected(net.connect(port, '127.0.0.1')),
  fetch: () => fetch(`http://127.0.0.1:${port}/`).then((response) => response.text()),
  'the dispatcher of fetch': async () => {
    await fetch('data:,');
    const dispatcher = globalThis[Symbol.for('undici.globalDispatcher.1')];
    return (await dispatcher.request({ origin: `http://127.0.0.1:${port}`, path: '/', method: 'GET' })).statusCode;
  },
  'fetch of vm': () =>
    vm
      .runInThisContext('fetch')(`http://127.0.0.1:${port}/`)
      .then((response) => response.text()),
  'fetch in a function of vm': () =>
    vm
      .compileFunction('return fetch(url)', ['url'])(`http://127.0.0.1:${port}/`)
      .then(({ status }) => status),
  'fetch of the global object in vm': () =>
    vm
      .runInThisContext('this')
      .fetch(`http://127.0.0.1:${port}/`)
      .then(({ status }) => status),
  'WebSocket of vm': () =>
    new Promise((settle) => {
      const Socket = new vm.Script('WebSocket').runInThisContext();
      new Socket(`ws://127.0.0.1:${port}/`).addEventListener('error', ({ type }) => settle(type));
    }),
  'the class of standard output': () => {
    const Socket = process.stdout.constructor;
    return connected(new Socket().connect(port, '127.0.0.1'));
  },
  'the pipe of standard output': () => {
    const Pipe = process.stdout._handle.constructor;
    return new Pipe(0).bind(made);
  },
  'http.get': async () => (await once(http.get({ port, host: '127.0.0.1' }), 'response'))[0].statusCode,
  'http2.connect': () => once(http2.connect(`http://127.0.0.1:${port}`), 'error').then(([error]) => error.code),
  'tls.connect': () => once(tls.connect(port, '127.0.0.1'), 'error').then(([error]) => typeof error.code),
  WebSocket: () =>
    new Promise((settle) =>
      new WebSocket(`ws://127.0.0.1:${port}/`).addEventListener('error', ({ type }) => settle(type)),
    ),
  'dgram.send': async () => {
    const socket = dgram.createSocket('udp4');
    await promisify(socket.send.bind(socket))('x', port, '127.0.0.1');
    socket.close();
  },
  'dns.lookup': () => dns.lookup('localhost').then(({ address }) => address),
  'net.createServer': async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.close();
  },
  'a listener on a socket file': async () => {
    const server = net.createServer().listen(made);
    await once(server, 'listening');
    server.close();
  },
};

if (names[0] === 'in a cluster') process.exit();
if (names.length === 0) console.log(JSON.stringify(Object.keys(forms)));
for (const [i, name] of names.entries()) {
  made = join(directory, `made-${i}`);
  let result;
  try {
    result = await forms[name]();
  } catch (error) {
    result = error?.code ?? String(error).split('\n')[0];
  }
  console.log(`${name}: ${JSON.stringify(result)}`);
}
