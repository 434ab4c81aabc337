// What each of Node's builtin modules is to a recording. `pure`: computes from its arguments, runs inside the program. `leaf`: asks
// the outside for a value (clock, randomness, machine), a recorded call. `device`: does I/O, loads or runs foreign code.
// Importing a device is what makes a package of node_modules a device; a mixed builtin lists the members that differ.

export type BuiltinClass = 'pure' | 'leaf' | 'device';

export interface BuiltinEntry {
  readonly class: BuiltinClass;
  readonly why: string;
  readonly members?: Readonly<Record<string, BuiltinClass>>;
}

function each(names: string, as: BuiltinClass): Record<string, BuiltinClass> {
  return Object.fromEntries(names.split(' ').map((name) => [name, as]));
}

const computes = (why: string, members?: BuiltinEntry['members']): BuiltinEntry => entry('pure', why, members);
const asks = (why: string, members?: BuiltinEntry['members']): BuiltinEntry => entry('leaf', why, members);
const acts = (why: string, members?: BuiltinEntry['members']): BuiltinEntry => entry('device', why, members);

function entry(as: BuiltinClass, why: string, members: BuiltinEntry['members']): BuiltinEntry {
  return members === undefined ? { class: as, why } : { class: as, why, members };
}

export const BUILTINS: Readonly<Record<string, BuiltinEntry>> = {
  assert: computes('compares values'),
  'assert/strict': computes('compares values'),
  async_hooks: computes('context of asynchronous calls', each('createHook', 'device')),
  buffer: computes('bytes in memory', each('Blob File resolveObjectURL', 'leaf')),
  child_process: acts('starts processes'),
  cluster: acts('starts processes', each('isMaster isPrimary isWorker', 'leaf')),
  console: asks('writes to the standard streams'),
  constants: computes('numbers'),
  crypto: asks('randomness and keys; hashing computes', {
    ...each(
      'createHash createHmac hash timingSafeEqual getHashes getCiphers getCurves constants webcrypto subtle',
      'pure',
    ),
    ...each('pbkdf2 scrypt hkdf generateKey generateKeyPair generatePrime checkPrime setEngine argon2', 'device'),
  }),
  dgram: acts('network'),
  diagnostics_channel: computes('subscriptions in memory'),
  dns: acts('network'),
  'dns/promises': acts('network'),
  domain: computes('routes errors in memory'),
  events: computes('listeners in memory'),
  ffi: acts('calls native code'),
  fs: acts('files', each('constants', 'pure')),
  'fs/promises': acts('files', each('constants', 'pure')),
  http: acts('network', each('METHODS STATUS_CODES maxHeaderSize validateHeaderName validateHeaderValue', 'pure')),
  http2: acts('network', each('constants', 'pure')),
  https: acts('network'),
  inspector: acts('controls the engine'),
  'inspector/promises': acts('controls the engine'),
  module: asks('loads the program itself'),
  net: acts('network', each('isIP isIPv4 isIPv6 BlockList SocketAddress', 'pure')),
  os: asks('describes the machine', each('EOL constants devNull', 'pure')),
  path: computes('strings'),
  'path/posix': computes('strings'),
  'path/win32': computes('strings'),
  perf_hooks: asks('clocks'),
  process: asks('describes the process'),
  punycode: computes('strings'),
  querystring: computes('strings'),
  quic: acts('network'),
  readline: acts(
    'terminals and streams',
    each('clearLine clearScreenDown cursorTo moveCursor emitKeypressEvents', 'leaf'),
  ),
  'readline/promises': acts('terminals and streams'),
  repl: acts('runs code from a terminal'),
  sea: asks('reads the executable’s assets'),
  sqlite: acts('databases', each('constants', 'pure')),
  stream: computes('queues in memory'),
  'stream/consumers': computes('queues in memory'),
  'stream/iter': computes('queues in memory'),
  'stream/promises': computes('queues in memory'),
  'stream/web': computes('queues in memory'),
  string_decoder: computes('strings'),
  sys: computes('strings and types'),
  test: acts('runs tests'),
  'test/reporters': acts('runs tests'),
  timers: asks('clocks'),
  'timers/promises': asks('clocks'),
  tls: acts('network', each('rootCertificates DEFAULT_ECDH_CURVE DEFAULT_MAX_VERSION DEFAULT_MIN_VERSION', 'leaf')),
  trace_events: acts('writes files'),
  tty: acts('terminals', each('isatty', 'leaf')),
  url: computes('strings'),
  util: computes('strings and types'),
  'util/types': computes('types'),
  v8: asks('describes the engine', {
    ...each('serialize deserialize Serializer Deserializer DefaultSerializer DefaultDeserializer', 'pure'),
    ...each('writeHeapSnapshot setFlagsFromString startupSnapshot', 'device'),
  }),
  vfs: acts('files'),
  vm: acts('runs code the transform does not see'),
  wasi: acts('files'),
  worker_threads: acts(
    'starts threads',
    each('isMainThread threadId parentPort workerData resourceLimits threadName', 'leaf'),
  ),
  zlib: acts(
    'compresses on other threads',
    each(
      'constants codes crc32 deflateSync inflateSync gzipSync gunzipSync unzipSync deflateRawSync inflateRawSync brotliCompressSync brotliDecompressSync zstdCompressSync zstdDecompressSync',
      'pure',
    ),
  ),
  'zlib/iter': acts('compresses on other threads'),
};

/** `fs` for `node:fs`; undefined if that is no builtin we know. */
export function builtinEntry(specifier: string): BuiltinEntry | undefined {
  const name = specifier.startsWith('node:') ? specifier.slice(5) : specifier;
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
}

/** The strongest class among the members used; of the whole builtin if `members` is unknown. */
export function builtinUse(found: BuiltinEntry, members: readonly string[] | undefined): BuiltinClass {
  if (members === undefined || members.length === 0) return found.class;
  let strongest: BuiltinClass = 'pure';
  for (const member of members) {
    const as =
      found.members !== undefined && Object.hasOwn(found.members, member) ? found.members[member] : found.class;
    if (as === 'device') return 'device';
    if (as === 'leaf') strongest = 'leaf';
  }
  return strongest;
}

/**
 * What of a builtin stands outside where the program is recorded: its objects are Node's own, and what happens to them is noted. Where a row is
 * missing it is devices, but for their pure members. What is inside runs in a run again as it did.
 */
interface Outside {
  /** These alone. */
  readonly only?: ReadonlySet<string>;
  /** All but these. */
  readonly but?: ReadonlySet<string>;
}

const only = (names = ''): Outside => ({ only: new Set(names.split(' ').filter(Boolean)) });
const all = (but = ''): Outside => ({ but: new Set(but.split(' ')) });
const NOTHING = only();

const OUTSIDE: Readonly<Record<string, Outside>> = {
  // What it calls is the program's own, which is not transformed for it.
  async_hooks: only(),
  buffer: only('Blob File resolveObjectURL'),
  cluster: all(),
  crypto: all(
    'constants timingSafeEqual getHashes getCiphers getCurves getCipherInfo getFips secureHeapUsed hash pbkdf2Sync scryptSync ' +
      'randomUUID randomUUIDv7 randomFillSync getRandomValues',
  ),
  // Classes of Node's that take the objects of others apart.
  net: all('isIP isIPv4 isIPv6'),
  // What measures by itself, and calls back.
  perf_hooks: only('PerformanceObserver PerformanceObserverEntryList monitorEventLoopDelay'),
  readline: all(),
  // Its ticks are Node's own.
  stream: all(),
  test: all('mock'),
  'stream/consumers': all(),
  'stream/iter': all(),
  'stream/promises': all(),
  'stream/web': all(),
  tty: all(),
  v8: only('writeHeapSnapshot getHeapSnapshot startupSnapshot setFlagsFromString GCProfiler'),
  // Code over the objects it is given.
  vm: only(),
  worker_threads: all(
    'isMainThread isInternalThread threadId threadName resourceLimits workerData SHARE_ENV getEnvironmentData setEnvironmentData ' +
      'markAsUntransferable isMarkedAsUntransferable markAsUncloneable',
  ),
};

/** Whether anything of it is. Of builtins that we do not know all is. */
export function isOutside(builtin: string): boolean {
  const { only: names } = outsideOf(builtin);
  return names === undefined || names.size > 0;
}

export function isOutsideMember(builtin: string, member: string): boolean {
  const { only: names, but } = outsideOf(builtin);
  return names === undefined ? but?.has(member) !== true : names.has(member);
}

function outsideOf(builtin: string): Outside {
  const found = Object.hasOwn(OUTSIDE, builtin) ? OUTSIDE[builtin] : undefined;
  if (found !== undefined) return found;
  const known = builtinEntry(builtin);
  if (known !== undefined && known.class !== 'device') return NOTHING;
  return { but: new Set(Object.entries(known?.members ?? {}).flatMap(([name, as]) => (as === 'pure' ? [name] : []))) };
}
