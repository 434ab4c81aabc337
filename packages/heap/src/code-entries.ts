// The part of a file's table (`CodeTable` of the transform) that capture needs.

export interface CodeEntries {
  readonly functions: readonly {
    readonly name: string;
    readonly length: number;
    readonly captures: readonly string[];
    readonly strict: boolean;
    readonly arrow: boolean;
    readonly async: boolean;
    readonly generator: boolean;
    readonly member: {
      readonly class: number;
      readonly static: boolean;
      readonly kind: 'constructor' | 'method' | 'get' | 'set';
      readonly key: string | null;
    } | null;
    /** Live slots at each suspension point. */
    readonly step: { readonly points: readonly { readonly live: readonly number[] }[] } | null;
  }[];
  readonly classes: readonly {
    readonly name: string;
    readonly captures: readonly string[];
    readonly fields: readonly string[];
    readonly statics: readonly string[];
    readonly derived: boolean;
    readonly brand: string | null;
  }[];
}

export type CodeMember = NonNullable<CodeEntries['functions'][number]['member']>;
