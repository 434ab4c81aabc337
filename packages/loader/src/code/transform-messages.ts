// Messages between a process without the parser and the transform service: JSON texts.
import type { CacheEntry } from './code-cache.ts';
import type { BuildRequest, TransformService } from './transform-service.ts';

type ServiceFunctions = Omit<TransformService, 'writesCache' | 'build'> & {
  build(request: BuildRequest): Omit<CacheEntry, 'compiled'>;
};

/** A function of the service with its arguments. */
export type TransformRequest = {
  [Name in keyof ServiceFunctions]: { readonly call: Name; readonly args: Parameters<ServiceFunctions[Name]> };
}[keyof ServiceFunctions];

export type TransformResultOf<Name extends keyof ServiceFunctions> = ReturnType<ServiceFunctions[Name]>;

/** An error of the transform; its location is set if it is one in the source. */
export interface TransformFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export type TransformAnswer = { readonly result: unknown } | { readonly failure: TransformFailure };

const ERRORS: Readonly<Record<string, ErrorConstructor>> = { SyntaxError, RangeError, TypeError };

export function failureOf(error: unknown): TransformFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, code, path, line, column } = error as Error & Partial<TransformFailure>;
  return { name, message, code, path, line, column };
}

export function errorOf({ name, message, ...fields }: TransformFailure): Error {
  const error = new (ERRORS[name] ?? Error)(message);
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.assign(error, Object.fromEntries(known));
}
