// Decides which side of the boundary a file is on: transformed with the program, or native as (part of) a device. The
// decision is made per entry file of an installed package, from the files that the entry file reaches inside the
// package, and has a printable reason. The program's own files are always transformed. In a thread that is recorded or
// replayed, I/O is beyond a membrane, so a package that does I/O is transformed too. Only a package that cannot be
// transformed or tracked (addons, WebAssembly, shared memory) stays a device.
import { dirname, extname, join } from 'node:path';
import { existsSync, readFileSync, statSync } from '../files.ts';
import { builtinEntry, builtinUseOf } from './builtins.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { isNodeShim } from '../node-shim-files.ts';
import { matches, type LoaderOptions } from '../settings/options.ts';
import { DeclaredDevices } from './declared-devices.ts';
import { installedPackage, packageScope } from '../node/package-scope.ts';
import { scan, type SourceScan } from './scan.ts';

export type ModuleSide = 'program' | 'device' | 'native';

export interface ModuleVerdict {
  readonly side: ModuleSide;
  readonly reason: string;
}

/** A cached reason why a package is a device; `null` if it is none. Valid until one of the scanned files changes. */
interface CachedVerdict {
  readonly files: readonly (readonly [file: string, stamp: string])[];
  readonly reason: string | null;
}

const NODE_SHIM_VERDICT: ModuleVerdict = {
  side: 'program',
  reason: 'a part of Turntable that runs inside the program',
};

const RECORDED_REASON = 'part of a program that is recorded';

const ADDON_LOADERS = new Set([
  'bindings',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  '@mapbox/node-pre-gyp',
  'prebuild-install',
  'node-pre-gyp',
]);

export class ModuleClassifier {
  readonly options: LoaderOptions;
  /** Directories of Turntable's own packages, which are never transformed. */
  readonly ownDirectories: readonly string[];
  /** Whether the thread records or replays, so that I/O is beyond a membrane. */
  readonly isRecorded: boolean;
  readonly #verdicts: Map<string, ModuleVerdict> = new Map();
  readonly #cache: VerdictCache | undefined;
  readonly #scans: Map<string, SourceScan | undefined> = new Map();
  readonly #declaredDevices = new DeclaredDevices();

  constructor(
    options: LoaderOptions,
    ownDirectories: readonly string[],
    { cache, isRecorded = false }: { readonly cache?: VerdictCache | undefined; readonly isRecorded?: boolean } = {},
  ) {
    this.options = options;
    this.ownDirectories = ownDirectories;
    this.#cache = cache;
    this.isRecorded = isRecorded;
  }

  /** The verdict of every file that has been classified. */
  get verdicts(): ReadonlyMap<string, ModuleVerdict> {
    return this.#verdicts;
  }

  scannedFiles(): Iterable<string> {
    return [...this.#scans.keys()];
  }

  classify(filename: string, importer?: string): ModuleVerdict {
    if (isNodeShim(filename)) return NODE_SHIM_VERDICT;
    let verdict = this.#verdicts.get(filename);
    if (verdict === undefined) {
      verdict = this.#judge(filename, importer);
      this.#verdicts.set(filename, verdict);
    }
    return verdict;
  }

  #judge(filename: string, importer: string | undefined): ModuleVerdict {
    if (this.ownDirectories.some((directory) => filename.startsWith(directory)))
      return { side: 'native', reason: 'part of Turntable itself' };
    const installed = installedPackage(filename);
    const excluded = matches(this.options.exclude, filename, installed?.name);
    if (excluded !== undefined) return { side: 'device', reason: `excluded by "${excluded}"` };
    const included = matches(this.options.include, filename, installed?.name);
    if (included !== undefined) return { side: 'program', reason: `included by "${included}"` };
    if (extname(filename) === '.node') return { side: 'device', reason: 'a native addon' };
    const declaredVerdict = this.isRecorded ? this.#declaredDevice(filename, installed?.name) : undefined;
    if (declaredVerdict !== undefined) return declaredVerdict;
    if (installed === undefined) return { side: 'program', reason: 'the program itself' };
    if (
      importer !== undefined &&
      installedPackage(importer)?.directory === installed.directory &&
      this.classify(importer).side === 'program'
    ) {
      return { side: 'program', reason: `used inside ${installed.name}, which is transformed` };
    }
    const addon = addonMarkerOf(installed.directory);
    if (addon !== undefined) return { side: 'device', reason: `${installed.name} has a native addon (${addon})` };
    const deviceReason = this.#cachedDeviceReason(filename, installed.directory);
    return deviceReason === undefined
      ? {
          side: 'program',
          reason: this.isRecorded ? RECORDED_REASON : `${installed.name} imports nothing that does I/O`,
        }
      : { side: 'device', reason: `${installed.name}: ${deviceReason}` };
  }

  #declaredDevice(filename: string, name: string | undefined): ModuleVerdict | undefined {
    if (name === undefined) this.#declaredDevices.addProgramFile(filename);
    const declarer =
      this.#declaredDevices.declarerOfFile(filename) ??
      (name === undefined ? undefined : this.#declaredDevices.declarerOf(name));
    return declarer === undefined ? undefined : { side: 'device', reason: `a device: ${declarer} says so` };
  }

  /** The result of `#deviceReason`, cached until one of the scanned files changes. */
  #cachedDeviceReason(entry: string, root: string): string | undefined {
    if (this.#cache === undefined) return this.#deviceReason(entry, root, []);
    const rulesVersion = this.isRecorded ? `${RULES_VERSION} recorded` : RULES_VERSION;
    const cacheKey = { context: `side ${rulesVersion}\n${entry}`, source: '' };
    const cached = this.#cache.read(cacheKey) as CachedVerdict | undefined;
    if (cached?.files.every(([file, stamp]) => fileStamp(file) === stamp) === true) return cached.reason ?? undefined;
    const files: string[] = [];
    const reason = this.#deviceReason(entry, root, files);
    const verdict: CachedVerdict = { files: files.map((file) => [file, fileStamp(file)]), reason: reason ?? null };
    this.#cache.write(cacheKey, verdict);
    return reason;
  }

  /** Returns the reason why a package is a device, if it is one. Adds the files scanned from `entry` to `queue`. */
  #deviceReason(entry: string, root: string, queue: string[]): string | undefined {
    queue.push(entry);
    const seen = new Set(queue);
    for (const file of queue) {
      const scanned = this.scan(file);
      if (scanned === undefined) continue;
      const locationText = (line: number): string => `${file.slice(root.length + 1)}:${line}`;
      const mention = scanned.mentions[0];
      if (mention !== undefined) return `${locationText(mention.line)} uses ${mention.name}`;
      for (const request of scanned.requests) {
        const { specifier, isLazy: lazy, line } = request;
        if (specifier.startsWith('.')) {
          const target = resolveLocalFile(file, specifier);
          if (target === undefined || lazy || seen.has(target)) continue;
          if (target.endsWith('.node')) return `${locationText(line)} loads a native addon`;
          seen.add(target);
          queue.push(target);
          continue;
        }
        if (ADDON_LOADERS.has(specifier)) return `${locationText(line)} loads a native addon through ${specifier}`;
        const builtin = this.isRecorded ? undefined : builtinEntry(specifier);
        if (builtin === undefined || lazy) continue;
        if (builtinUseOf(builtin, request.members) !== 'device') continue;
        const members =
          request.members === undefined || request.members.length === 0 ? '' : ` (${request.members.join(', ')})`;
        return `${locationText(line)} imports ${specifier}${members}, which is I/O: ${builtin.reason}`;
      }
    }
    return undefined;
  }

  /** The scan of a file; undefined if the file is not JavaScript or cannot be read. */
  scan(filename: string): SourceScan | undefined {
    if (this.#scans.has(filename)) return this.#scans.get(filename);
    let result: SourceScan | undefined;
    if (!['.json', '.node', '.wasm'].includes(extname(filename))) {
      try {
        result = scan(readFileSync(filename, 'utf8'));
      } catch {
        // A file that cannot be read does not decide about its package; loading it will report the error.
      }
    }
    this.#scans.set(filename, result);
    return result;
  }
}

/** Must be incremented when the decisions of this file, scan.ts or builtins.ts change. */
const RULES_VERSION = '2';

function fileStamp(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.size} ${stats.mtimeMs}`;
}

function addonMarkerOf(directory: string): string | undefined {
  const fields = packageScope(join(directory, 'package.json'))?.fields;
  if (fields?.['gypfile'] === true) return 'gypfile in package.json';
  return ['binding.gyp', 'prebuilds', join('build', 'Release')].find((entry) => existsSync(join(directory, entry)));
}

const EXTENSIONS = [
  '',
  '.js',
  '.cjs',
  '.mjs',
  '.json',
  '.node',
  '/index.js',
  '/index.cjs',
  '/index.mjs',
  '/index.json',
];

/** Resolves a relative specifier of either module system, precisely enough for classification. */
export function resolveLocalFile(from: string, specifier: string): string | undefined {
  const base = join(dirname(from), specifier);
  for (const extension of EXTENSIONS) {
    try {
      if (statSync(base + extension).isFile()) return base + extension;
    } catch {
      // Try the next form.
    }
  }
  return undefined;
}
