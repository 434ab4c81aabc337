// Code that a program compiles at run time: `Function(…)`, indirect `eval`.
import type { ModuleTable } from '@turntable/core';
import type { CodePositions } from '../realm/function-sources.ts';

/** A source that a program compiled at run time. */
export interface RuntimeSource {
  readonly kind: 'function' | 'script';
  readonly source: string;
  readonly prefix: string;
  /** Id of the source in its markers. */
  readonly id: string;
}

export interface RuntimeCode extends RuntimeSource {
  readonly table: CodePositions & { readonly module: ModuleTable };
}

export interface RuntimeSelection {
  readonly functions: readonly number[];
  readonly classes: readonly number[];
}

/** Transforms a source at run time. */
export interface RuntimeTransform {
  (
    source: string,
    options: {
      readonly path: string;
      readonly kind: 'function' | 'script';
      readonly prefix: string;
      readonly id: string;
      readonly lenient: boolean;
      readonly restore?: RuntimeSelection;
    },
  ): {
    readonly code: string;
    readonly table: RuntimeCode['table'];
    readonly source: string;
  };
}
