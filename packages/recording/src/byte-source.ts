// Random access to the bytes that a reader parses. Reading past the end throws and never returns fewer bytes.

export interface ByteSource {
  /** Name for error messages. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}
