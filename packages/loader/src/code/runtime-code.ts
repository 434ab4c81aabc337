// Code that a program makes at run time: `Function(…)`, indirect `eval`.
import type { ModuleTable } from '@turntable/core';
import type { CodePositions } from '../realm/function-sources.ts';

/** A text that a program made and ran: `Function(…)`, indirect `eval`. */
export interface RuntimeSource {
  readonly kind: 'function' | 'script';
  readonly source: string;
  readonly prefix: string;
  /** What its markers call it. */
  readonly id: string;
}

export interface RuntimeCode extends RuntimeSource {
  readonly table: CodePositions & { readonly module: ModuleTable };
}

export interface RuntimeSelection {
  readonly functions: readonly number[];
  readonly classes: readonly number[];
}

/** How text becomes code at run time. */
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
