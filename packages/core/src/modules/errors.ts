// Errors of linking and of `require`, with the messages of V8 and Node, because programs and users compare messages.
import type { ModuleRequest } from './module-table.ts';

/** Makes an error that has a `code` and shows it in the first line of its stack, like Node's own errors. */
export function codedError(
  Base: new (message: string) => Error,
  code: string,
  message: string,
): Error & { code: string } {
  const error = new Base(message) as Error & { code: string };
  const { name } = error;
  Object.defineProperty(error, 'name', { value: `${name} [${code}]`, configurable: true, writable: true });
  // V8 formats the first line when `stack` is first read, so it is read here, while the long name is set.
  void error.stack;
  Reflect.deleteProperty(error, 'name');
  error.code = code;
  Object.defineProperty(error, 'toString', { value: codedErrorText, configurable: true, writable: true });
  return error;
}

/** One named `toString` for all errors, because captured state has no closures. Node's shows the original code. */
export const { toString: codedErrorText } = {
  toString(this: Error & { code?: unknown }): string {
    return `${this.name} [${String(this.code)}]: ${this.message}`;
  },
};

export function missingExport(request: ModuleRequest, name: string): SyntaxError {
  return new SyntaxError(`The requested module '${request.specifier}' does not provide an export named '${name}'`);
}

export function ambiguousExport(request: ModuleRequest, name: string): SyntaxError {
  return new SyntaxError(
    `The requested module '${request.specifier}' contains conflicting star exports for name '${name}'`,
  );
}

export function circularExport(specifier: string, name: string): SyntaxError {
  return new SyntaxError(`Detected cycle while resolving name '${name}' in '${specifier}'`);
}

export function requireAsyncModule(filename: string, requireStack: readonly string[]): Error {
  let message = 'require() cannot be used on an ESM graph with top-level await. Use import() instead.';
  message += ' To see where the top-level await comes from, use --experimental-print-required-tla.';
  message += `\nRequired module: ${filename}`;
  if (requireStack.length > 0) message += `\nRequire stack:\n- ${requireStack.join('\n- ')}`;
  const error = codedError(Error, 'ERR_REQUIRE_ASYNC_MODULE', message);
  Object.defineProperty(error, 'requireStack', { value: requireStack, configurable: true, writable: true });
  return error;
}

export function requireCycle(filename: string, from: string | undefined): Error {
  const fromText = from === undefined ? '' : ` (from ${from})`;
  return codedError(
    Error,
    'ERR_REQUIRE_CYCLE_MODULE',
    `Cannot require() ES Module ${filename} in a cycle.${fromText} A cycle involving require(esm) is not allowed to maintain ` +
      'invariants mandated by the ECMAScript specification. Try making at least part of the dependency in the graph lazily loaded.',
  );
}

/** Error for a file that is in the cache of `require`, but waits for the file that now requires it. */
export function requireCycleInCache(filename: string, from: string | undefined): Error {
  const fromText = from === undefined ? '' : ` (from ${from})`;
  return codedError(Error, 'ERR_REQUIRE_CYCLE_MODULE', `Cannot require() ES Module ${filename} in a cycle.${fromText}`);
}

export function importCycle(kind: 'Module' | 'CommonJS Module', specifier: string, from: string): Error {
  return codedError(Error, 'ERR_REQUIRE_CYCLE_MODULE', `Cannot import ${kind} ${specifier} in a cycle. (from ${from})`);
}
