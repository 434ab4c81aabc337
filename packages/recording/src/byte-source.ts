// Random access to the bytes that a reader parses. Reading past the end throws and never returns fewer bytes.

export interface ByteSource {
  /** Name of the source in error messages, usually a path. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}
