// A kind is a family of objects that JavaScript makes in its own way (arrays, Maps, errors …): how to tell one, how to write it and
// how to make it again. A *header* is what allocation needs; *contents* fill the object and may refer to it.

import type { HeapPorts } from './ports.ts';
import type { HeapReader } from './heap-reader.ts';
import type { HeapWriter } from './heap-writer.ts';

export interface ObjectKind {
  /** First byte of a bare one; `tag + VARIANT_OFFSET` of all others. */
  readonly tag: number;
  readonly name: string;
  /** The prototype that bare ones have. */
  readonly prototype: object | undefined;
  /** Some may be devices' own: whoever knows those is asked first. */
  readonly canBelongToHost?: boolean;
  /** Tells by hidden state, never by what a program can change. */
  matches(object: object, ports: HeapPorts): boolean;
  /** Whether it has just the own properties it is born with. Extensible and without symbol keys is checked by the writer. */
  isBare(object: object, ports: HeapPorts): boolean;
  /** A closer kind for this very object. */
  chooseKind?(object: object, ports: HeapPorts): ObjectKind;
  /** Own properties that a new one has and that may have been deleted. */
  readonly initialKeys?: readonly string[];
  /** Symbol keys that are the host's own and accounted for; `isBare` looks at the others, if this is there. */
  isHostKey?(key: symbol): boolean;
  /** Own properties that header and contents account for. */
  isAccountedFor?(object: object, key: string): boolean;
  writeHeader?(writer: HeapWriter, object: object): void;
  /** Writes the contents, or a piece of them from `state` on; answers the next `state`, or nothing at the end. Kinds with `isBig` are written in pieces. */
  writeContents?(writer: HeapWriter, object: object, state: unknown): unknown;
  isBig?(object: object): boolean;
  /** Reads the header. */
  allocate(reader: HeapReader): object;
  fill?(reader: HeapReader, object: object): void;
  /** Header and contents at once, for an object that nothing refers to. */
  read?(reader: HeapReader): object;
  /** What the object leads to, for paths in errors. */
  edges?(object: object, edge: (label: string, value: unknown) => void): void;
}
