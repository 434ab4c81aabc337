// Dependencies of the heap, supplied by the creator of a `Heap`. None may run program code during a capture.

import type { Realm } from '@turntable/core';
import type { KnownObjects } from './known-objects.ts';

/** Brand checks that JavaScript lacks: the needed part of Node's `util.types`. */
export interface TypeChecks {
  isProxy(value: unknown): boolean;
  isPromise(value: unknown): boolean;
  isArgumentsObject(value: unknown): boolean;
  isGeneratorObject(value: unknown): boolean;
  isMapIterator(value: unknown): boolean;
  isSetIterator(value: unknown): boolean;
  isModuleNamespaceObject(value: unknown): boolean;
  isExternal(value: unknown): boolean;
  isMap(value: unknown): boolean;
  isSet(value: unknown): boolean;
  isDate(value: unknown): boolean;
  isRegExp(value: unknown): boolean;
  isNativeError(value: unknown): boolean;
  isAnyArrayBuffer(value: unknown): boolean;
  isWeakMap(value: unknown): boolean;
  isWeakSet(value: unknown): boolean;
  isBoxedPrimitive(value: unknown): boolean;
}

/** Components of an object whose family the heap itself does not know. */
export interface ObjectParts {
  /** Number of the kind within its adapter, as written. */
  readonly kind: number;
  /** Values needed for allocation. Their contents are deferred, so that they may refer back to the object. */
  readonly header: readonly unknown[];
  /** Values that are filled in after allocation. */
  readonly contents: readonly unknown[];
  /** Prototype at allocation, unless it is the family's. */
  readonly prototype?: object | null;
  /** Own properties after allocation (default none). Only differences are written. */
  readonly initialProperties?: Readonly<Record<PropertyKey, PropertyDescriptor>>;
  /** Whether properties, prototype and extensibility are as after allocation, and need no check. */
  readonly isUnmodified?: boolean;
  /** Whether header and contents are complete, because no program can change the object's properties. */
  readonly isComplete?: boolean;
  /** Returns the name of `contents[index]` or `header[index]` in a path. */
  label?(index: number, part: 'header' | 'contents'): string;
}

/** Takes apart objects such as functions, classes, class prototypes, proxies and module records. */
export interface ObjectAdapter {
  /** Name for errors. The format identifies an adapter, of at most 255, by its position among all adapters. */
  readonly name: string;
  /** Candidates: all callable objects, all proxies, or objects whose prototype `matchesPrototype` accepts. */
  readonly appliesTo: 'functions' | 'proxies' | 'objects';
  matchesPrototype?(prototype: object | null): boolean;
  /** Whether the prototypes belong to an embedder, so that they are no state and not written; `allocate` sets them. */
  readonly isNative?: boolean;
  /** Whether objects of any prototype with an unusual property are candidates too, for example class prototypes. */
  readonly isForAnyPrototype?: boolean;
  /** Takes an object apart; undefined if the object is not of this adapter's family. */
  takeApart(value: object): ObjectParts | undefined;
  /** Returns a substitute for an object that would be refused; undefined to refuse it. */
  substituteFor?(value: object): ObjectParts | undefined;
  /** Returns the function to write in place of one without an observable identity; otherwise the function itself. */
  representativeOf?(value: object): object;
  /** Returns the object whose restore also restores this one: for a method, its class. */
  carrierOf?(value: object): object | undefined;
  allocate(kind: number, header: readonly unknown[], prototype: object | null | undefined): object;
  /** Fills the object. The returned action runs after everything has been read. */
  fill(object: object, kind: number, contents: readonly unknown[]): (() => void) | undefined | void;
}

/** Private members that one class defines on its instances. */
export interface PrivateMembers {
  /** The class that defines the members. */
  readonly owner: object;
  /** Returns whether the object has the members. Cheaper than `read`. */
  has?(object: object): boolean;
  /** Returns the values, or undefined if the object lacks the members (its constructor may have thrown). */
  read(object: object): readonly unknown[] | undefined;
  names?: readonly string[];
}

export interface HeapPorts {
  readonly realm: Realm;
  readonly types: TypeChecks;
  readonly known: KnownObjects;
  /** Written to the header. Bytes of another program are refused. */
  readonly program?: string;
  readonly adapters?: readonly ObjectAdapter[];
  /** Returns the descriptor of a far reference or handle, as a plain value; undefined for other objects. */
  describeExternal?(value: object): unknown;
  /** Returns why an object with a prototype of the host, like a device's, cannot be captured. */
  refusalOf?(value: object): { readonly reason: string; readonly remedy: string } | undefined;
  /** Recreates an object from its complete descriptor. */
  revive?(descriptor: unknown): object;
  /** Returns the classes whose private members instances carry; undefined for none. Called once per family. */
  privateMembersOf?(prototype: object): readonly PrivateMembers[] | undefined;
  /** Returns `object`, or a new object, with the private members of these classes, without values. */
  stampInstance?(owners: readonly object[], object: object | undefined): object | undefined;
  /** Sets the private members of `owner`. */
  setPrivateFields?(object: object, owner: object, values: readonly unknown[]): void;
  /** Returns the live keys of a weak collection. If absent, every captured object is tried. */
  weakKeys?(collection: object): readonly object[];
  /** Returns whether the buffer is a pool, which unrelated views share. */
  isPool?(buffer: ArrayBuffer): boolean;
  /**
   * If defined, state of the host is left out: eventuals of native promises are written as pending, and functions for
   * which this returns true are not written with the known objects that hold them.
   */
  isOmitted?(fn: () => unknown): boolean;
  /** Returns a text with its moved location replaced by the current one, if it names such a location. */
  relocateString?(value: string): string;
  /** Returns the live slots of a suspended frame (slot 8 + i is `more[i]`); undefined if all are live. */
  liveSlots?(frame: object): readonly number[] | undefined;
}

/** The ports that reading needs. */
export interface ReaderPorts extends Pick<
  HeapPorts,
  'types' | 'program' | 'revive' | 'stampInstance' | 'setPrivateFields' | 'relocateString'
> {
  readonly known: Pick<HeapPorts['known'], 'objectNamed'>;
}

export type RestoringAdapter = Pick<ObjectAdapter, 'name' | 'isForAnyPrototype' | 'allocate' | 'fill'>;
