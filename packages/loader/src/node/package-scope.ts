// The nearest package.json above a file, found as by Node: upwards, not beyond a `node_modules` directory.
import { dirname, join } from 'node:path';
import { existsSync, readFileSync } from '../files.ts';

export interface PackageScope {
  readonly directory: string;
  readonly file: string;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly type: 'module' | 'commonjs' | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

const scopesByDirectory: Map<string, PackageScope | undefined> = new Map();

export function packageScope(filename: string): PackageScope | undefined {
  return scopeOfDirectory(dirname(filename));
}

function scopeOfDirectory(directory: string): PackageScope | undefined {
  const known = scopesByDirectory.get(directory);
  if (known !== undefined || scopesByDirectory.has(directory)) return known;
  const parent = dirname(directory);
  const scope = directory.endsWith('node_modules')
    ? undefined
    : (readScope(directory) ?? (parent === directory ? undefined : scopeOfDirectory(parent)));
  scopesByDirectory.set(directory, scope);
  return scope;
}

function readScope(directory: string): PackageScope | undefined {
  const file = join(directory, 'package.json');
  // Most directories have no package.json, and this check is faster than catching the error.
  if (!existsSync(file)) return undefined;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch {
    // Node's resolver reports invalid manifests.
    return undefined;
  }
  if (typeof fields !== 'object' || fields === null) return undefined;
  const stringField = (key: string): string | undefined =>
    typeof fields[key] === 'string' ? (fields[key] as string) : undefined;
  const type = stringField('type');
  return {
    directory,
    file,
    name: stringField('name'),
    version: stringField('version'),
    type: type === 'module' || type === 'commonjs' ? type : undefined,
    fields,
  };
}

/** The `…/node_modules/@scope/name` directory and the name of the installed package that contains a file. */
export function installedPackage(filename: string): { readonly directory: string; readonly name: string } | undefined {
  const NODE_MODULES_SEGMENT = `${'/'}node_modules${'/'}`;
  const path = filename.replaceAll('\\', '/');
  const markerIndex = path.lastIndexOf(NODE_MODULES_SEGMENT);
  if (markerIndex === -1) return undefined;
  const nameStart = markerIndex + NODE_MODULES_SEGMENT.length;
  let nameEnd = path.indexOf('/', nameStart);
  if (path[nameStart] === '@' && nameEnd !== -1) nameEnd = path.indexOf('/', nameEnd + 1);
  if (nameEnd === -1) return undefined;
  return { directory: filename.slice(0, nameEnd), name: path.slice(nameStart, nameEnd) };
}
