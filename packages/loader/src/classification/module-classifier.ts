// Which side of the boundary a file is on: transformed with the program, or native as (part of) a device. Decided per entry file of
// an installed package, by what it reaches inside its package; printable with the reason. The program's own files are the program.
// In a thread that is recorded or run again what does I/O stands behind a membrane, so a package that imports it is the program's, too: only
// what cannot be transformed or followed (addons, WebAssembly, shared memory) stays a device.
import { dirname, extname, join } from 'node:path';
import { existsSync, readFileSync, statSync } from '../files.ts';
import { builtinEntry, builtinUse } from './builtins.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { isNodeShim } from '../node-shim-files.ts';
import { matches, type LoaderOptions } from '../settings/options.ts';
import { DeclaredDevices } from './declared.ts';
import { installedPackage, packageScope } from '../node/package-scope.ts';
import { scan, type Scan } from './scan.ts';

export type Side = 'program' | 'device' | 'native';

export interface Verdict {
  readonly side: Side;
  readonly reason: string;
}

/** The reason for which a package is a device, or `null`. It holds until one of the scanned files changes. */
interface KeptVerdict {
  readonly files: readonly (readonly [file: string, stamp: string])[];
  readonly reason: string | null;
}

const PART_OF_THE_PROGRAM: Verdict = { side: 'program', reason: 'a part of Turntable that runs inside the program' };

const RECORDED = 'part of a program that is recorded';

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
  /** Directories of Turntable's own packages: never transformed. */
  readonly ours: readonly string[];
  /** Of a thread with a tape. */
  readonly isRecorded: boolean;
  readonly #verdicts: Map<string, Verdict> = new Map();
  readonly #cache: VerdictCache | undefined;
  readonly #scans: Map<string, Scan | undefined> = new Map();
  readonly #declared = new DeclaredDevices();

  constructor(
    options: LoaderOptions,
    ours: readonly string[],
    { cache, isRecorded = false }: { readonly cache?: VerdictCache | undefined; readonly isRecorded?: boolean } = {},
  ) {
    this.options = options;
    this.ours = ours;
    this.#cache = cache;
    this.isRecorded = isRecorded;
  }

  /** Every file that has been decided on. */
  get verdicts(): ReadonlyMap<string, Verdict> {
    return this.#verdicts;
  }

  scannedFiles(): Iterable<string> {
    return [...this.#scans.keys()];
  }

  classify(filename: string, importer?: string): Verdict {
    if (isNodeShim(filename)) return PART_OF_THE_PROGRAM;
    let verdict = this.#verdicts.get(filename);
    if (verdict === undefined) {
      verdict = this.#decide(filename, importer);
      this.#verdicts.set(filename, verdict);
    }
    return verdict;
  }

  #decide(filename: string, importer: string | undefined): Verdict {
    if (this.ours.some((directory) => filename.startsWith(directory)))
      return { side: 'native', reason: 'part of Turntable itself' };
    const installed = installedPackage(filename);
    const excluded = matches(this.options.exclude, filename, installed?.name);
    if (excluded !== undefined) return { side: 'device', reason: `excluded by "${excluded}"` };
    const included = matches(this.options.include, filename, installed?.name);
    if (included !== undefined) return { side: 'program', reason: `included by "${included}"` };
    if (extname(filename) === '.node') return { side: 'device', reason: 'a native addon' };
    const declared = this.isRecorded ? this.#declaredDevice(filename, installed?.name) : undefined;
    if (declared !== undefined) return declared;
    if (installed === undefined) return { side: 'program', reason: 'the program itself' };
    if (
      importer !== undefined &&
      installedPackage(importer)?.directory === installed.directory &&
      this.classify(importer).side === 'program'
    ) {
      return { side: 'program', reason: `used inside ${installed.name}, which is transformed` };
    }
    const addon = addonOf(installed.directory);
    if (addon !== undefined) return { side: 'device', reason: `${installed.name} has a native addon (${addon})` };
    const found = this.#cachedDeviceReason(filename, installed.directory);
    return found === undefined
      ? { side: 'program', reason: this.isRecorded ? RECORDED : `${installed.name} imports nothing that does I/O` }
      : { side: 'device', reason: `${installed.name}: ${found}` };
  }

  #declaredDevice(filename: string, name: string | undefined): Verdict | undefined {
    if (name === undefined) this.#declared.meet(filename);
    const by = this.#declared.saidOfFile(filename) ?? (name === undefined ? undefined : this.#declared.saidOf(name));
    return by === undefined ? undefined : { side: 'device', reason: `a device: ${by} says so` };
  }

  /** The look at a package's files, remembered until one of them changes. */
  #cachedDeviceReason(entry: string, root: string): string | undefined {
    if (this.#cache === undefined) return this.#deviceReason(entry, root, []);
    const rules = this.isRecorded ? `${RULES_VERSION} recorded` : RULES_VERSION;
    const origin = { about: `side ${rules}\n${entry}`, source: '' };
    const kept = this.#cache.read(origin) as KeptVerdict | undefined;
    if (kept?.files.every(([file, stamp]) => stampOf(file) === stamp) === true) return kept.reason ?? undefined;
    const files: string[] = [];
    const reason = this.#deviceReason(entry, root, files);
    const verdict: KeptVerdict = { files: files.map((file) => [file, stampOf(file)]), reason: reason ?? null };
    this.#cache.write(origin, verdict);
    return reason;
  }

  /** Adds the files it has looked at to `queue`. */
  #deviceReason(entry: string, root: string, queue: string[]): string | undefined {
    queue.push(entry);
    const seen = new Set(queue);
    for (const file of queue) {
      const scanned = this.scan(file);
      if (scanned === undefined) continue;
      const place = (line: number): string => `${file.slice(root.length + 1)}:${line}`;
      const mention = scanned.mentions[0];
      if (mention !== undefined) return `${place(mention.line)} uses ${mention.name}`;
      for (const request of scanned.requests) {
        const { specifier, lazy, line } = request;
        if (specifier.startsWith('.')) {
          const target = localFile(file, specifier);
          if (target === undefined || lazy || seen.has(target)) continue;
          if (target.endsWith('.node')) return `${place(line)} loads a native addon`;
          seen.add(target);
          queue.push(target);
          continue;
        }
        if (ADDON_LOADERS.has(specifier)) return `${place(line)} loads a native addon through ${specifier}`;
        const builtin = this.isRecorded ? undefined : builtinEntry(specifier);
        if (builtin === undefined || lazy) continue;
        if (builtinUse(builtin, request.members) !== 'device') continue;
        const members =
          request.members === undefined || request.members.length === 0 ? '' : ` (${request.members.join(', ')})`;
        return `${place(line)} imports ${specifier}${members}, which is I/O: ${builtin.why}`;
      }
    }
    return undefined;
  }

  /** `undefined` for what is no JavaScript or cannot be read. */
  scan(filename: string): Scan | undefined {
    if (this.#scans.has(filename)) return this.#scans.get(filename);
    let result: Scan | undefined;
    if (!['.json', '.node', '.wasm'].includes(extname(filename))) {
      try {
        result = scan(readFileSync(filename, 'utf8'));
      } catch {
        // A file that cannot be read says nothing about its package; loading it will report the error.
      }
    }
    this.#scans.set(filename, result);
    return result;
  }
}

/** Changes with what this file, scan.ts and builtins.ts decide. */
const RULES_VERSION = '2';

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.size} ${found.mtimeMs}`;
}

function addonOf(directory: string): string | undefined {
  const fields = packageScope(join(directory, 'package.json'))?.fields;
  if (fields?.['gypfile'] === true) return 'gypfile in package.json';
  return ['binding.gyp', 'prebuilds', join('build', 'Release')].find((part) => existsSync(join(directory, part)));
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

/** Relative specifiers of both module systems, near enough for classification. */
export function localFile(from: string, specifier: string): string | undefined {
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
