// The error codes of all packages with their texts: the source of docs/errors.md and `turntable explain`.
import { BOUNDARY_ERRORS } from '@turntable/boundary/error-table';
import { CORE_ERRORS } from '@turntable/core/error-table';
import { DAP_ERRORS } from '@turntable/dap/error-table';
import { DEVTOOLS_ERRORS } from '@turntable/devtools/error-table';
import { HEAP_ERRORS } from '@turntable/heap/error-table';
import { LOADER_ERRORS } from '@turntable/loader/error-table';
import { RECORDING_ERRORS } from '@turntable/recording/error-table';
import { REPLAYER_ERRORS } from '@turntable/replayer/error-table';
import { RUNTIME_ERRORS } from '@turntable/runtime/error-table';
import { TIME_MACHINE_ERRORS } from '@turntable/time-machine/error-table';
import { TRANSFORM_ERRORS } from '@turntable/transform/error-table';
import { TURNTABLE_ERRORS } from './error-table.ts';

/** Where users meet an error, in the order of docs/errors.md. */
export const ERROR_AREAS = {
  loading: 'Loading a program',
  actors: 'Running actors',
  recording: 'Recording, capturing and restoring',
  replaying: 'Replaying',
  debugging: 'Debugging',
  protocols: 'Editor and DevTools protocols',
  internal: 'Internal errors',
} as const;

export interface ErrorDescription {
  readonly area: keyof typeof ERROR_AREAS;
  /** Messages as users see them, the most typical first. Words in capital letters are placeholders. */
  readonly messages: readonly [string, ...string[]];
  /** One sentence: what has happened. */
  readonly meaning: string;
  /** One sentence: why it happens. */
  readonly cause: string;
  /** One or two imperative sentences: what the user can do. */
  readonly remedy: string;
}

/** Descriptions by code. Each code is in one table, that of the lowest package that uses it. */
export type ErrorTable = Readonly<Record<string, ErrorDescription>>;

/** Tables by the name of their package. */
export const ERROR_TABLES: Readonly<Record<string, ErrorTable>> = {
  '@turntable/core': CORE_ERRORS,
  '@turntable/transform': TRANSFORM_ERRORS,
  '@turntable/recording': RECORDING_ERRORS,
  '@turntable/heap': HEAP_ERRORS,
  '@turntable/runtime': RUNTIME_ERRORS,
  '@turntable/loader': LOADER_ERRORS,
  '@turntable/boundary': BOUNDARY_ERRORS,
  '@turntable/time-machine': TIME_MACHINE_ERRORS,
  '@turntable/dap': DAP_ERRORS,
  '@turntable/devtools': DEVTOOLS_ERRORS,
  '@turntable/replayer': REPLAYER_ERRORS,
  turntable: TURNTABLE_ERRORS,
};

export interface ExplainedError extends ErrorDescription {
  readonly code: string;
  /** Name of the package that declares the code. */
  readonly package: string;
}

export const EXPLAINED_ERRORS: readonly ExplainedError[] = Object.entries(ERROR_TABLES).flatMap(([name, table]) =>
  Object.entries(table).map(([code, description]) => ({ code, package: name, ...description })),
);

/** The section of a code in docs/errors.md. */
export function docsLinkOf(code: string): string {
  return `docs/errors.md#${code.toLowerCase()}`;
}
