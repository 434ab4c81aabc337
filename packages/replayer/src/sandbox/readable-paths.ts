// The files that a replay reads: Node, Turntable, the recording, and what module resolution needs. The manifest is
// untrusted, so it can only select directories named `node_modules`, files named `package.json`, and source files.
import { existsSync, readdirSync, type Dirent } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { devicesOf, filesImportedFrom, ownDirectories, packageScope } from '@turntable/loader';
import type { Manifest } from '@turntable/recording';
import { preloadedFiles } from '../replay/replay-flags.ts';

export interface ReadableRecording {
  /** Directory of the recording. */
  readonly recording: string;
  readonly manifest: Manifest;
  /** Whether the current files of the program run instead of the recorded ones. */
  readonly readsProgram: boolean;
}

export interface ReadablePaths {
  readonly existing: readonly string[];
  /** Paths at which module resolution looks for files in vain. */
  readonly missing: readonly string[];
  readonly emptyDirectories: readonly string[];
  /** Files of the program, whose texts the recording contains. */
  readonly emptyFiles: readonly string[];
  /** Source files of the program. */
  readonly sourceFiles: readonly string[];
  /** Symbolic links beside files of the program. */
  readonly links: readonly string[];
}

const PACKAGES = `${sep}node_modules${sep}`;
const SOURCE_FILE = /\.[cm]?[jt]sx?$/;
const MODULE_FILE = /\.(?:[cm]?[jt]sx?|json)$/;

export function readablePaths({ recording, manifest, readsProgram }: ReadableRecording): ReadablePaths {
  const moduleFiles = fileUrls(manifest.modules.map(({ url }) => url));
  const programFiles = moduleFiles.filter((file) => !file.includes(PACKAGES));
  const packageDirectories = fileUrls((manifest.packages ?? []).map((entry) => entry.split(' ', 1)[0] ?? ''));
  const entryFiles = fileUrls(manifest.entry === null ? [] : [manifest.entry]);
  const importers = [...ownDirectories(), join(manifest.cwd, 'package.json'), ...packageDirectories, ...moduleFiles];
  const resolved = new Set(importers.flatMap(resolutionPaths));
  const shownFiles = [
    // The text of the main program is missing if the process was killed before it ran.
    ...entryFiles.filter((file) => SOURCE_FILE.test(file) && !moduleFiles.includes(file)),
    ...nativeFiles(manifest, resolved),
    ...(readsProgram ? programFiles.filter((file) => MODULE_FILE.test(file)) : []),
  ];
  const paths = [process.execPath, recording, ...ownDirectories(), ...resolved, ...shownFiles];
  const existing = new Set(paths.filter((path) => existsSync(path)));
  return {
    existing: [...existing],
    missing: paths.filter((path) => !existing.has(path)),
    emptyDirectories: [manifest.cwd].filter((path) => isAbsolute(path)),
    emptyFiles: readsProgram ? [] : [...programFiles, ...entryFiles].filter((file) => !file.includes(PACKAGES)),
    sourceFiles: programFiles.filter((file) => SOURCE_FILE.test(file)),
    links: linksBeside(programFiles),
  };
}

/**
 * The source files outside of packages that the loader reads although they are not transformed: excluded ones, devices
 * that a package.json declares, and those that Node loads before the program.
 */
function nativeFiles({ deviceFiles = [], execArgv, cwd }: Manifest, resolved: Iterable<string>): string[] {
  const preloaded = fileUrls(preloadedFiles(execArgv, cwd)).filter(
    (file) => SOURCE_FILE.test(file) && existsSync(file),
  );
  const files = [
    ...fileUrls(deviceFiles),
    ...[...resolved].flatMap(declaredDeviceFiles),
    ...preloaded.flatMap((file) => [...filesImportedFrom(file, besideFile)]),
  ];
  return files.filter((file) => SOURCE_FILE.test(file));
}

/** The symbolic links in the directories of the files and above, up to the nearest package.json. */
function linksBeside(files: readonly string[]): string[] {
  const links: string[] = [];
  const visited = new Set(['/']);
  for (const file of files)
    for (let directory = dirname(file); !visited.has(directory); directory = dirname(directory)) {
      visited.add(directory);
      const entries = entriesOf(directory);
      links.push(...entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(directory, name)));
      if (entries.some(({ name }) => name === 'package.json')) break;
    }
  return links;
}

/** None if the directory does not exist or cannot be read. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The paths from which Node resolves the imports of a file: the outermost directory of packages if it is in a package. */
function resolutionPaths(file: string): string[] {
  const index = file.indexOf(PACKAGES);
  if (index !== -1) return [file.slice(0, index + PACKAGES.length - 1)];
  const paths: string[] = [];
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    paths.push(join(directory, 'package.json'), join(directory, 'node_modules'));
    if (directory === dirname(directory)) return paths;
  }
}

/** The files that a package.json declares devices. */
function declaredDeviceFiles(path: string): string[] {
  const scope = basename(path) === 'package.json' ? packageScope(path) : undefined;
  return devicesOf(scope?.fields).flatMap((device) =>
    scope !== undefined && device.startsWith('./') ? [join(scope.directory, device)] : [],
  );
}

/** The file that a relative specifier names. */
function besideFile(specifier: string, importer: string): string | undefined {
  const file = specifier.startsWith('.') ? resolve(dirname(importer), specifier) : undefined;
  return file !== undefined && SOURCE_FILE.test(file) && existsSync(file) ? file : undefined;
}

function fileUrls(urls: readonly string[]): string[] {
  return urls.flatMap((url) => {
    try {
      return url.startsWith('file:') ? [fileURLToPath(url)] : [];
    } catch {
      return [];
    }
  });
}
