// The classification of Node's builtin modules. `pure`: computes from its arguments and runs on the program side.
// `leaf`: reads a value from the host (clock, random numbers, machine); its calls are recorded. `device`: does I/O, or
// loads or runs foreign code. In a thread without a tape, a package in node_modules that imports a device is a device.
// An entry lists the members whose class differs from that of the builtin.

export type BuiltinClass = 'pure' | 'leaf' | 'device';

export interface BuiltinEntry {
  readonly class: BuiltinClass;
  readonly reason: string;
  readonly members?: Readonly<Record<string, BuiltinClass>>;
}

function classifyAll(names: string, builtinClass: BuiltinClass): Record<string, BuiltinClass> {
  return Object.fromEntries(names.split(' ').map((name) => [name, builtinClass]));
}

const pureBuiltin = (reason: string, members?: BuiltinEntry['members']): BuiltinEntry =>
  createEntry('pure', reason, members);
const leafBuiltin = (reason: string, members?: BuiltinEntry['members']): BuiltinEntry =>
  createEntry('leaf', reason, members);
const deviceBuiltin = (reason: string, members?: BuiltinEntry['members']): BuiltinEntry =>
  createEntry('device', reason, members);

function createEntry(builtinClass: BuiltinClass, reason: string, members: BuiltinEntry['members']): BuiltinEntry {
  return members === undefined ? { class: builtinClass, reason } : { class: builtinClass, reason, members };
}

export const BUILTINS: Readonly<Record<string, BuiltinEntry>> = {
  assert: pureBuiltin('compares values'),
  'assert/strict': pureBuiltin('compares values'),
  async_hooks: pureBuiltin('context of asynchronous calls', classifyAll('createHook', 'device')),
  buffer: pureBuiltin('bytes in memory', classifyAll('Blob File resolveObjectURL', 'leaf')),
  child_process: deviceBuiltin('starts processes'),
  cluster: deviceBuiltin('starts processes', classifyAll('isMaster isPrimary isWorker', 'leaf')),
  console: leafBuiltin('writes to the standard streams'),
  constants: pureBuiltin('numbers'),
  crypto: leafBuiltin('randomness and keys; hashing computes', {
    ...classifyAll(
      'createHash createHmac hash timingSafeEqual getHashes getCiphers getCurves constants webcrypto subtle',
      'pure',
    ),
    ...classifyAll(
      'pbkdf2 scrypt hkdf generateKey generateKeyPair generatePrime checkPrime setEngine argon2',
      'device',
    ),
  }),
  dgram: deviceBuiltin('network'),
  diagnostics_channel: pureBuiltin('subscriptions in memory'),
  dns: deviceBuiltin('network'),
  'dns/promises': deviceBuiltin('network'),
  domain: pureBuiltin('routes errors in memory'),
  events: pureBuiltin('listeners in memory'),
  ffi: deviceBuiltin('calls native code'),
  fs: deviceBuiltin('files', classifyAll('constants', 'pure')),
  'fs/promises': deviceBuiltin('files', classifyAll('constants', 'pure')),
  http: deviceBuiltin(
    'network',
    classifyAll('METHODS STATUS_CODES maxHeaderSize validateHeaderName validateHeaderValue', 'pure'),
  ),
  http2: deviceBuiltin('network', classifyAll('constants', 'pure')),
  https: deviceBuiltin('network'),
  inspector: deviceBuiltin('controls the engine'),
  'inspector/promises': deviceBuiltin('controls the engine'),
  module: leafBuiltin('loads the program itself'),
  net: deviceBuiltin('network', classifyAll('isIP isIPv4 isIPv6 BlockList SocketAddress', 'pure')),
  os: leafBuiltin('describes the machine', classifyAll('EOL constants devNull', 'pure')),
  path: pureBuiltin('strings'),
  'path/posix': pureBuiltin('strings'),
  'path/win32': pureBuiltin('strings'),
  perf_hooks: leafBuiltin('clocks'),
  process: leafBuiltin('describes the process'),
  punycode: pureBuiltin('strings'),
  querystring: pureBuiltin('strings'),
  quic: deviceBuiltin('network'),
  readline: deviceBuiltin(
    'terminals and streams',
    classifyAll('clearLine clearScreenDown cursorTo moveCursor emitKeypressEvents', 'leaf'),
  ),
  'readline/promises': deviceBuiltin('terminals and streams'),
  repl: deviceBuiltin('runs code from a terminal'),
  sea: leafBuiltin('reads the executable’s assets'),
  sqlite: deviceBuiltin('databases', classifyAll('constants', 'pure')),
  stream: pureBuiltin('queues in memory'),
  'stream/consumers': pureBuiltin('queues in memory'),
  'stream/iter': pureBuiltin('queues in memory'),
  'stream/promises': pureBuiltin('queues in memory'),
  'stream/web': pureBuiltin('queues in memory'),
  string_decoder: pureBuiltin('strings'),
  sys: pureBuiltin('strings and types'),
  test: deviceBuiltin('runs tests'),
  'test/reporters': deviceBuiltin('runs tests'),
  timers: leafBuiltin('clocks'),
  'timers/promises': leafBuiltin('clocks'),
  tls: deviceBuiltin(
    'network',
    classifyAll('rootCertificates DEFAULT_ECDH_CURVE DEFAULT_MAX_VERSION DEFAULT_MIN_VERSION', 'leaf'),
  ),
  trace_events: deviceBuiltin('writes files'),
  tty: deviceBuiltin('terminals', classifyAll('isatty', 'leaf')),
  url: pureBuiltin('strings'),
  util: pureBuiltin('strings and types'),
  'util/types': pureBuiltin('types'),
  v8: leafBuiltin('describes the engine', {
    ...classifyAll('serialize deserialize Serializer Deserializer DefaultSerializer DefaultDeserializer', 'pure'),
    ...classifyAll('writeHeapSnapshot setFlagsFromString startupSnapshot', 'device'),
  }),
  vfs: deviceBuiltin('files'),
  vm: deviceBuiltin('runs code the transform does not see'),
  wasi: deviceBuiltin('files'),
  worker_threads: deviceBuiltin(
    'starts threads',
    classifyAll('isMainThread threadId parentPort workerData resourceLimits threadName', 'leaf'),
  ),
  zlib: deviceBuiltin(
    'compresses on other threads',
    classifyAll(
      'constants codes crc32 deflateSync inflateSync gzipSync gunzipSync unzipSync deflateRawSync inflateRawSync brotliCompressSync brotliDecompressSync zstdCompressSync zstdDecompressSync',
      'pure',
    ),
  ),
  'zlib/iter': deviceBuiltin('compresses on other threads'),
};

/** The entry of a builtin, with or without `node:`; undefined if it is unknown. */
export function builtinEntry(specifier: string): BuiltinEntry | undefined {
  const name = specifier.startsWith('node:') ? specifier.slice(5) : specifier;
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
}

/** The strongest class of the members used; the class of the whole builtin if the members are unknown. */
export function builtinUseOf(entry: BuiltinEntry, members: readonly string[] | undefined): BuiltinClass {
  if (members === undefined || members.length === 0) return entry.class;
  let strongest: BuiltinClass = 'pure';
  for (const member of members) {
    const memberClass =
      entry.members !== undefined && Object.hasOwn(entry.members, member) ? entry.members[member] : entry.class;
    if (memberClass === 'device') return 'device';
    if (memberClass === 'leaf') strongest = 'leaf';
  }
  return strongest;
}

/**
 * The members of a builtin that are beyond the membrane in a recorded thread: their objects are Node's own, and calls
 * are recorded. A builtin without an entry in `HOST_MEMBERS` has such members if it is a device or unknown: all except
 * the pure ones. A replay executes the other members.
 */
interface HostMembers {
  /** Names of the only members beyond the membrane. */
  readonly only?: ReadonlySet<string>;
  /** Names of the members that are not beyond the membrane. */
  readonly except?: ReadonlySet<string>;
}

const hostOnly = (names = ''): HostMembers => ({ only: new Set(names.split(' ').filter(Boolean)) });
const hostExcept = (names = ''): HostMembers => ({ except: new Set(names.split(' ')) });
const NO_HOST_MEMBERS = hostOnly();

const HOST_MEMBERS: Readonly<Record<string, HostMembers>> = {
  // `createHook` is on the program side: during a replay its hooks are not called for host objects.
  async_hooks: hostOnly(),
  buffer: hostOnly('Blob File resolveObjectURL'),
  cluster: hostExcept(),
  crypto: hostExcept(
    'constants timingSafeEqual getHashes getCiphers getCurves getCipherInfo getFips secureHeapUsed hash pbkdf2Sync scryptSync ' +
      'randomUUID randomUUIDv7 randomFillSync getRandomValues',
  ),
  // BlockList and SocketAddress only compute, but they read internals of other objects of Node.
  net: hostExcept('isIP isIPv4 isIPv6'),
  // These classes measure in the background and call the program back.
  perf_hooks: hostOnly('PerformanceObserver PerformanceObserverEntryList monitorEventLoopDelay'),
  readline: hostExcept(),
  // Streams schedule callbacks in Node's own tick queue, so they are on the host side.
  stream: hostExcept(),
  test: hostExcept('mock'),
  'stream/consumers': hostExcept(),
  'stream/iter': hostExcept(),
  'stream/promises': hostExcept(),
  'stream/web': hostExcept(),
  tty: hostExcept(),
  v8: hostOnly(
    'writeHeapSnapshot getHeapSnapshot setHeapSnapshotNearHeapLimit startupSnapshot setFlagsFromString GCProfiler ' +
      'setHeapProfileNearHeapLimit startCpuProfile startHeapProfile takeCoverage stopCoverage',
  ),
  // `vm` runs code on objects of the program, so it must be on the program's side.
  vm: hostOnly(),
  worker_threads: hostExcept(
    'isMainThread isInternalThread threadId threadName resourceLimits workerData SHARE_ENV getEnvironmentData setEnvironmentData ' +
      'markAsUntransferable isMarkedAsUntransferable markAsUncloneable',
  ),
};

/** Whether any member of a builtin is beyond the membrane. True for an unknown builtin. */
export function isHostBuiltin(builtin: string): boolean {
  const { only: names } = hostMembersOf(builtin);
  return names === undefined || names.size > 0;
}

export function isHostMember(builtin: string, member: string): boolean {
  const { only: names, except } = hostMembersOf(builtin);
  return names === undefined ? except?.has(member) !== true : names.has(member);
}

function hostMembersOf(builtin: string): HostMembers {
  const listed = Object.hasOwn(HOST_MEMBERS, builtin) ? HOST_MEMBERS[builtin] : undefined;
  if (listed !== undefined) return listed;
  const entry = builtinEntry(builtin);
  if (entry !== undefined && entry.class !== 'device') return NO_HOST_MEMBERS;
  return {
    except: new Set(
      Object.entries(entry?.members ?? {}).flatMap(([name, memberClass]) => (memberClass === 'pure' ? [name] : [])),
    ),
  };
}
