// The input of a reader. Reading past the end is an error of the source; it never returns fewer bytes.

export interface ByteSource {
  /** For error messages. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}
