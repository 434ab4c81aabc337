// A kind: objects that JavaScript creates specially (arrays, Maps, errors …), with the code to detect, write and
// recreate them. A *header* is needed for allocation; *contents* fill the object and may refer to it.

import type { HeapPorts } from './ports.ts';
import type { HeapReader } from './heap-reader.ts';
import type { HeapWriter } from './heap-writer.ts';

export interface ObjectKind {
  /** First byte of a bare object (initial prototype and properties); `tag + VARIANT_OFFSET` for all others. */
  readonly tag: number;
  readonly name: string;
  /** Prototype of bare objects. */
  readonly prototype: object | undefined;
  /** Whether objects of the kind may belong to a device, whose refusal must be checked first. */
  readonly canBelongToHost?: boolean;
  /** Returns whether an object is of this kind, by hidden state that the program cannot change. */
  matches(object: object, ports: HeapPorts): boolean;
  /** Returns whether the object has only its initial own properties. The writer checks extensibility and symbols. */
  isBare(object: object, ports: HeapPorts): boolean;
  /** Returns the most specific kind for an object that this kind matches. */
  chooseKind?(object: object, ports: HeapPorts): ObjectKind;
  /** Initial own properties, which may have been deleted. */
  readonly initialKeys?: readonly string[];
  /** Returns whether the host keeps hidden state under a symbol key. If defined, `isBare` checks the other symbols. */
  isHostKey?(key: symbol): boolean;
  /** Returns whether header and contents contain the property, so that it is not written as an own property. */
  isAccountedFor?(object: object, key: string): boolean;
  writeHeader?(writer: HeapWriter, object: object): void;
  /** Writes contents, or one piece if `isBig`, from `state` on. Returns the next `state`, or undefined at the end. */
  writeContents?(writer: HeapWriter, object: object, state: unknown): unknown;
  isBig?(object: object): boolean;
  /** Reads the header and creates the object. */
  allocate(reader: HeapReader): object;
  fill?(reader: HeapReader, object: object): void;
  /** Reads header and contents of an object that is not referenced again. */
  read?(reader: HeapReader): object;
  /** Visits referenced values, for paths in errors. */
  edges?(object: object, edge: (label: string, value: unknown) => void): void;
}
