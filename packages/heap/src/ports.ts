// What the heap must be told about the world. Everything here is given by whoever makes a `Heap`; none of it may run code of
// the program while a state is written.

import type { Realm } from '@turntable/core';
import type { KnownObjects } from './known-objects.ts';

/** Brand checks that JavaScript itself does not offer: the part of Node's `util.types` that is needed. */
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

/** How an object of a family that the heap itself does not know is taken apart. */
export interface ObjectParts {
  /** Number of the kind within its adapter; written. */
  readonly kind: number;
  /** Needed to allocate: written shallow, so that what they hold may refer back to this object. */
  readonly header: readonly unknown[];
  /** Filled in once the object exists. */
  readonly contents: readonly unknown[];
  /** The prototype it is allocated with; absent if the family's is. */
  readonly prototype?: object | null;
  /** Own properties that a freshly allocated one has; only differences to them are written. Nothing means none. */
  readonly initialProperties?: Readonly<Record<PropertyKey, PropertyDescriptor>>;
  /** Its properties, prototype and extensibility are those of a freshly allocated one: nobody need look. */
  readonly isUnmodified?: boolean;
  /** Header and contents are all there is of it: no program can have touched its properties. */
  readonly isComplete?: boolean;
  /** How to name `contents[i]` in a path, and `header[i]`. */
  label?(index: number, part: 'header' | 'contents'): string;
}

/** Functions and classes, the prototypes of classes, proxies, module records: whatever somebody else knows how to take apart. */
export interface ObjectAdapter {
  /** Written; at most 255 adapters, told apart by their order in `HeapPorts.adapters`. */
  readonly name: string;
  /** Which objects to ask about: everything callable, every proxy, or objects below a prototype that `matchesPrototype` says yes to. */
  readonly appliesTo: 'functions' | 'proxies' | 'objects';
  matchesPrototype?(prototype: object | null): boolean;
  /** Its objects are of classes that are no state, such as an embedder's: neither prototypes nor classes are written, `allocate` sets the prototype. */
  readonly isNative?: boolean;
  /** Is also asked about objects of any prototype that have other than plain properties: prototypes of classes, say. */
  readonly isForAnyPrototype?: boolean;
  /** Nothing if the object is not of this family. */
  takeApart(value: object): ObjectParts | undefined;
  /** What stands for an object that would be refused; nothing if it is to be. */
  substituteFor?(value: object): ObjectParts | undefined;
  /** What stands for a function whose identity nobody can tell; the function itself, if that matters. */
  representativeOf?(value: object): object;
  /** What has it from its own birth, so that it comes back with that and nobody need mention it: of a method its class. */
  carrierOf?(value: object): object | undefined;
  allocate(kind: number, header: readonly unknown[], prototype: object | null | undefined): object;
  /** What it answers is done when everything has been read. */
  fill(object: object, kind: number, contents: readonly unknown[]): (() => void) | undefined | void;
}

/** The private members that one class puts on its instances. */
export interface PrivateMembers {
  /** The class: written as a reference, and looked up again by it. */
  readonly owner: object;
  /** Whether the object has them; without it, `read` is asked, which costs more. */
  has?(object: object): boolean;
  /** The values, or nothing if the object has none of them (a constructor may have thrown). */
  read(object: object): readonly unknown[] | undefined;
  names?: readonly string[];
}

export interface HeapPorts {
  readonly realm: Realm;
  readonly types: TypeChecks;
  readonly known: KnownObjects;
  /** Told in the header of the bytes; bytes of another program are refused. */
  readonly program?: string;
  readonly adapters?: readonly ObjectAdapter[];
  /** A far reference or device handle: the plain value that stands for it, nothing for everything else. */
  describeExternal?(value: object): unknown;
  /** Why an object below a prototype of the host's cannot be captured: a device, say. */
  refusalOf?(value: object): { readonly reason: string; readonly remedy: string } | undefined;
  /** Is given the whole descriptor. */
  revive?(descriptor: unknown): object;
  /** The classes whose private members instances below this prototype carry; undefined for none. Asked once a family. */
  privateMembersOf?(prototype: object): readonly PrivateMembers[] | undefined;
  /** An object with the private members of these classes, without values yet: `object`, or a new one. */
  stampInstance?(owners: readonly object[], object: object | undefined): object | undefined;
  /** Gives the private members of `owner` their values. */
  setPrivateFields?(object: object, owner: object, values: readonly unknown[]): void;
  /** The keys of a weak collection that live; without it, every captured object is tried. */
  weakKeys?(collection: object): readonly object[];
  /** Whether views are cut out of this buffer that have nothing to do with each other. */
  isPool?(buffer: ArrayBuffer): boolean;
  /** Leaves the outside behind: eventuals of native promises are written as if they were never settled, and these functions on known objects are left out. */
  isOmitted?(fn: () => unknown): boolean;
  /** What a text that is read means here, where it names a place that has moved. */
  relocateString?(value: string): string;
  /** The slots of a suspended frame that can still be read, dead ones being no state: slot 8 + i is `more[i]`. Nothing: all. */
  liveSlots?(frame: object): readonly number[] | undefined;
}

/** Of what the heap is told about the world, what reading needs. */
export interface ReaderPorts extends Pick<
  HeapPorts,
  'types' | 'program' | 'revive' | 'stampInstance' | 'setPrivateFields' | 'relocateString'
> {
  readonly known: Pick<HeapPorts['known'], 'objectNamed'>;
}

export type RestoringAdapter = Pick<ObjectAdapter, 'name' | 'isForAnyPrototype' | 'allocate' | 'fill'>;
