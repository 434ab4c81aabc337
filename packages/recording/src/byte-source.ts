// Where a reader's bytes come from. Reading behind the end is an error of the source's, never fewer bytes.

export interface ByteSource {
  /** What errors call it. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}
