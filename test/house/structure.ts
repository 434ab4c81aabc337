// The structure that structure.test.ts enforces: the allowed cycles of files, and the arrows between packages. Cycles
// that no longer exist and unused arrows must be removed from these tables.

export interface AllowedCycle {
  readonly folder: string;
  /** Paths in the folder, separated by white space. */
  readonly files: string;
  readonly reason: string;
}

/** Cycles of files that evaluate each other. */
export const RUN_TIME_CYCLES: readonly AllowedCycle[] = [
  {
    folder: 'packages/transform/src',
    files: `
      class-emitter.ts declaration-emitter.ts function-emitter.ts home-emitter.ts step-emitter.ts
      step-expressions.ts step-statements.ts step-using.ts target-emitter.ts wrapper-emitter.ts
    `,
    reason: 'Emitters recurse as the syntax does: a class in a function in a class.',
  },
];

/** Cycles of files when type-only imports count, too. */
export const CYCLES: readonly AllowedCycle[] = [
  {
    folder: 'packages/heap/src',
    files: `
      families.ts family.ts heap-reader.ts heap-writer.ts kinds/array.ts kinds/binary.ts kinds/collections.ts kinds/date-and-regexp.ts kinds/errors.ts kinds/event-target.ts kinds/events.ts kinds/host-values.ts kinds/listeners.ts kinds/registry.ts kinds/weak.ts layout.ts object-kind.ts properties.ts shape.ts
    `,
    reason: 'Kinds of objects recurse as the graph does: each reads and writes the values it holds.',
  },
  {
    folder: 'packages/transform/src',
    files: `
      analysis.ts class-emitter.ts code-emitter.ts declaration-emitter.ts function-emitter.ts home-emitter.ts kept-iterators.ts module-emitter.ts restore-emitter.ts statement-probes.ts step-emitter.ts step-expressions.ts step-statements.ts step-using.ts target-emitter.ts wrapper-emitter.ts write-barriers.ts
    `,
    reason: 'Emitters recurse as the syntax does; the rest takes the type of the emitter it is given.',
  },
  {
    folder: 'packages/transform/src',
    files: 'ast.ts scope.ts',
    reason: 'A node of the tree has its scope, and a scope its nodes.',
  },
];

/**
 * Which packages each package may import, type-only imports included. Arrows point down only: a row names rows above
 * it.
 */
export const DEPENDENCIES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  transform: ['core'],
  recording: [],
  heap: ['core'],
  runtime: ['core', 'heap', 'recording'],
  loader: ['core', 'transform'],
  boundary: ['core', 'heap', 'recording', 'loader'],
  'program-state': ['core', 'transform', 'heap', 'loader', 'boundary'],
  'time-machine': ['recording'],
  dap: ['time-machine'],
  devtools: ['time-machine'],
  debugger: ['time-machine'],
  replayer: [
    'core',
    'transform',
    'recording',
    'heap',
    'runtime',
    'loader',
    'boundary',
    'program-state',
    'time-machine',
  ],
  turntable: [
    'core',
    'transform',
    'heap',
    'recording',
    'runtime',
    'loader',
    'boundary',
    'program-state',
    'time-machine',
    'dap',
    'devtools',
    'replayer',
  ],
  fastify: ['turntable'],
};

/** Source folders of a package from bottom to top: files import from their own folder and from folders before it. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  loader: ['realm', 'node', 'source-maps', 'settings', 'code', 'classification', 'modules', 'stacks'],
};

export interface AllowedReexport {
  readonly from: string;
  readonly exported: string;
  readonly reason: string;
}

/** Packages whose public entry points re-export from another package. */
export const REEXPORTS: readonly AllowedReexport[] = [
  { from: 'turntable', exported: 'runtime', reason: 'Users install one package: types and errors of actors.' },
  { from: 'turntable', exported: 'loader', reason: 'Users install one package: an error and the type of settings.' },
  { from: 'turntable', exported: 'boundary', reason: 'Users install one package: types of data sources.' },
  { from: 'turntable', exported: 'replayer', reason: 'Users install one package: `Actor`, types, the version.' },
  { from: 'runtime', exported: 'heap', reason: 'The type is part of the options of a snapshot.' },
];
