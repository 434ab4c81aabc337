// What a user can decide about loading. Programs set it through the environment, because hooks are installed before any code runs;
// tools pass it to `install`. docs/loading.md has the table.
import { join } from 'node:path';
import { packageScope } from './package-scope.ts';

export interface LoaderOptions {
  /** Packages or path parts that are transformed even if they would be devices. */
  readonly include: readonly string[];
  /** Packages or path parts that stay native. */
  readonly exclude: readonly string[];
  /** Where transformed code is kept; `false` to keep none. */
  readonly cache: string | false;
  /** Prints the classification to standard error when the process ends. */
  readonly explain: boolean;
}

export function loaderOptions(
  given: Partial<LoaderOptions> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): LoaderOptions {
  const list = (text: string | undefined): string[] =>
    (text ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  const cache = environment['TURNTABLE_CACHE'];
  return {
    include: given.include ?? list(environment['TURNTABLE_INCLUDE']),
    exclude: given.exclude ?? list(environment['TURNTABLE_EXCLUDE']),
    cache: given.cache ?? (cache === '0' || cache === 'off' ? false : (cache ?? defaultCache())),
    explain: given.explain ?? environment['TURNTABLE_EXPLAIN'] === '1',
  };
}

/** In the package one stands in; elsewhere nobody has asked for a `node_modules`. */
function defaultCache(): string | false {
  const scope = packageScope(join(process.cwd(), 'package.json'));
  return scope === undefined ? false : join(scope.directory, 'node_modules', '.cache', 'turntable');
}

/** `lodash`, `@scope/name`, or a part of a path containing a slash. */
export function matches(
  patterns: readonly string[],
  filename: string,
  packageName: string | undefined,
): string | undefined {
  return patterns.find(
    (pattern) =>
      pattern === packageName || (pattern.includes('/') && !pattern.startsWith('@') && filename.includes(pattern)),
  );
}
