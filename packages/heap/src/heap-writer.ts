// Writes a graph to bytes, depth first, each object where it is first met. Later references are numbers, assigned when
// an object is met again; the footer lists these objects, so that readers need no table of the others. Contents go to a
// worklist if nesting is deep, a header leads to them, or a slice ends. Cycles need no repair, because allocation never
// waits for contents. Root by root, a graph can be written in pieces while the program runs in between: written objects
// are known by identity and never read again. Calls no code of the program. Hot path: guarded by bench/heap.

import { ABI_VERSION, type EngineView } from '@turntable/core';
import { CaptureRefusal } from './heap-error.ts';
import { descriptorOf, isExtensible, join, namesOf, prototypeOf, symbolsOf } from './intrinsics.ts';
import { Families, hasPrivateMembers } from './families.ts';
import { mayInheritElements } from './exemplars.ts';
import { layoutOfKind, layoutOfShape, findLayout, rememberLayout, type Layout } from './layout.ts';
import { createAdapters, kindOfObject, refusalFor } from './kinds/registry.ts';
import { ValueWriter } from './value-writer.ts';
import type { BytesConsumer } from './byte-writer.ts';
import { encodeByKeys, ordinaryValues, MAX_SHAPE_KEYS, type Shape } from './shape.ts';
import { extraProperties, writeProperties, type PropertyEntry } from './properties.ts';
import * as T from './tags.ts';
import type { Family } from './family.ts';
import type { RootPartition } from './identity-table.ts';
import type { ObjectKind } from './object-kind.ts';
import { withoutOmitted, type ObjectChange } from './baseline.ts';
import type { ObjectAdapter, HeapPorts, ObjectParts } from './ports.ts';

/** Deferred contents. At most one of `shape`, `kind`, `parts` is set; none for an object with only own properties. */
interface PendingContents {
  readonly object: object;
  readonly family: Family;
  readonly shape?: Shape;
  readonly kind?: ObjectKind;
  readonly parts?: ObjectParts;
  /** Own properties, if already read. */
  readonly ownProperties?: readonly PropertyEntry[] | undefined;
  readonly flags: number;
  state: unknown;
}

export class HeapWriter extends ValueWriter {
  private readonly adapters: readonly ObjectAdapter[];
  /** Adapters with `representativeOf`, which may write another function in place of the given one. */
  private readonly representingAdapters: ObjectAdapter[] = [];
  private readonly isProxy: (value: unknown) => boolean;
  private readonly families: Families;
  private readonly isDisjoint: boolean;
  private shapeCount = 0;
  private depth = 0;
  private budgetLeft = Infinity;
  private readonly pendingContents: PendingContents[] = [];
  private nextPending = 0;
  private readonly engine: EngineView | undefined;
  private canUseLayouts: boolean;
  /** Index of the adapter with `substituteFor`; -1 if there is none. */
  private readonly substitutingAdapter: number;
  /** Layout of the last written object, or the expected layout if that object has none. */
  private lastLayout: Layout = undefined as never;
  /** A field, so that V8 inlines the engine's comparison into encoders. */
  readonly sameShape: EngineView['sameShape'];

  /** `start` must follow. `addRoot` may be called unless the partition is `single`. */
  constructor(ports: HeapPorts, capacity: number, partition: RootPartition, onBytes?: BytesConsumer) {
    super(ports, capacity, partition, onBytes);
    this.isDisjoint = partition === 'disjoint';
    this.adapters = createAdapters(ports);
    for (let i = 0; i < this.adapters.length; i++)
      if (this.adapters[i]?.representativeOf !== undefined)
        this.representingAdapters[this.representingAdapters.length] = this.adapters[i] as ObjectAdapter;
    this.isProxy = ports.types.isProxy;
    this.substitutingAdapter = findSubstitutingAdapter(this.adapters);
    const { engine } = ports.realm.parts.host;
    this.engine = engine;
    this.sameShape = engine?.sameShape ?? alwaysFalse;
    this.canUseLayouts = engine !== undefined && !mayInheritElements(ANY_ARRAY, ports);
    this.families = new Families(ports, this.adapters, this.identityTable);
    const { knownProxies } = this.families;
    for (let i = 0; i < knownProxies.length; i++) this.weakEntryTracker.addOpaqueKey(knownProxies[i] as object);
    for (let i = 0; i < T.MAGIC.length; i++) this.byte(T.MAGIC[i] as number);
    this.byte(T.FORMAT_VERSION);
    this.byte(ABI_VERSION);
    this.byte(0);
    this.byte(0);
    this.string(ports.program ?? '');
  }

  /** Writes another root and everything new that it leads to. The graph may change between roots. */
  addRoot(root: unknown, group?: object): void {
    this.identityTable.startPiece(group);
    this.addToPiece(root);
  }

  addToPiece(root: unknown): void {
    this.families.forgetLayouts();
    this.weakEntryTracker.startPiece();
    if (this.isDisjoint) this.forgetStrings();
    this.canUseLayouts = this.engine !== undefined && !mayInheritElements(ANY_ARRAY, this.ports);
    this.value(root);
    this.run(Infinity);
  }

  /** Writes about `budget` objects; returns true when everything is written. */
  run(budget: number): boolean {
    this.budgetLeft = budget;
    for (;;) {
      while (this.nextPending < this.pendingContents.length) {
        if (this.budgetLeft < 0) return false;
        const item = this.pendingContents[this.nextPending] as PendingContents;
        const state = this.writeContents(item);
        if (state !== undefined) item.state = state;
        else (this.pendingContents as unknown[])[this.nextPending++] = undefined;
      }
      if (this.budgetLeft < 0) return false;
      if (!this.writeWeakEntries()) break;
    }
    this.budgetLeft = Infinity;
    return true;
  }

  start(root: unknown, knownChanges: readonly ObjectChange[]): void {
    // The root's contents start the worklist, so that slices can end within them.
    this.budgetLeft = 0;
    this.value(root);
    this.budgetLeft = Infinity;
    this.budgetLeft = 0;
    const changes = withoutOmitted(knownChanges, this.ports);
    this.varint(changes.length);
    for (let i = 0; i < changes.length; i++) this.writeChange(changes[i] as ObjectChange);
  }

  /** Writes a value, with the layout of the previous one in `slotLayouts[slot]` as a guess. */
  valueExpecting(slotLayouts: Layout[], slot: number, value: unknown): void {
    if (typeof value === 'string') return this.string(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return this.value(value);
    const layout = slotLayouts[slot] as Layout;
    if (this.sameShape(value, layout.exemplar)) this.nodeWithLayout(layout, value);
    else slotLayouts[slot] = this.nodeExpecting(layout, value);
  }

  /** Writes an object and returns its layout, or `expected` if it has no layout. */
  nodeExpecting(expected: Layout, object: object): Layout {
    this.lastLayout = expected;
    this.node(object, false);
    return this.lastLayout;
  }

  nodeWithLayout(layout: Layout, object: object): void {
    if (this.budgetLeft <= 0 || this.depth >= T.MAX_DEPTH) return this.writeClosely(object, false);
    const { family, identitySet } = layout;
    if (!this.identityTable.enter(identitySet, object)) return this.writeReference(identitySet, object);
    if (identitySet !== family.identitySet && family.identitySet.members.has(object)) {
      this.identityTable.withdraw(identitySet, object);
      return this.writeReference(family.identitySet, object);
    }
    this.budgetLeft--;
    this.depth++;
    if (layout.write(this, object, layout)) {
      if (family.privateMembers !== undefined) this.writePrivateFields(object, family);
    } else if (!family.isSimple) this.writeSpecial(object, family, false);
    else {
      this.identityTable.withdraw(identitySet, object);
      this.writeClosely(object, false);
    }
    this.depth--;
    this.lastLayout = layout;
  }

  /** Learns the layout of an object that was written after a full check, because more like it may follow. */
  private learnLayout(object: object, family: Family, shape: Shape | undefined, kind: ObjectKind | undefined): void {
    if (!this.canUseLayouts || family.canBelongToHost || family.adapters.length > 0) return;
    if (this.engine?.hasFixedShape(object) !== true) return;
    const layout =
      shape === undefined ? layoutOfKind(object, family, kind as ObjectKind) : layoutOfShape(object, shape);
    if (layout === undefined) return;
    this.families.addLayoutFamily(family);
    rememberLayout(family, layout);
    this.lastLayout = layout;
  }

  protected override node(object: object, shallow: boolean): void {
    if (!shallow && this.canUseLayouts && typeof object === 'object' && !this.isProxy(object)) {
      const layout = findLayout(this.families.forPrototype(prototypeOf(object)), object, this.sameShape);
      if (layout !== undefined) return this.nodeWithLayout(layout, object);
    }
    this.writeClosely(object, shallow);
  }

  private writeClosely(object: object, shallow: boolean): void {
    let family: Family;
    if (this.isProxy(object)) family = this.families.proxies;
    else if (typeof object === 'function') {
      family = this.families.functions;
      if (this.writeIfNumbered(object)) return;
      const { identitySet } = family;
      if (identitySet.members.has(object)) return this.writeReference(identitySet, object);
      const name = this.ports.known.nameOf(object);
      if (name !== undefined) return this.knownObject(object, name);
      for (let i = 0; i < this.representingAdapters.length; i++)
        object = this.representingAdapters[i]?.representativeOf?.(object) ?? object;
    } else {
      const { singleSet } = this.identityTable;
      if (singleSet !== undefined && this.identityTable.isMet(object)) return this.writeReference(singleSet, object);
      family = this.families.forPrototype(prototypeOf(object));
      // Host objects are written without a prototype.
      if (family.canBelongToHost && this.ports.describeExternal?.(object) !== undefined) family = this.families.proxies;
      if (family.number < 0) {
        // Known objects are written by name and need no family.
        if (family.identitySet.members.has(object)) return this.writeReference(family.identitySet, object);
        family = this.defineFamily(family);
      }
      if (family.privateMembers !== undefined && !hasPrivateMembers(object, family.privateMembers))
        family = this.families.strays;
    }
    let shape: Shape | undefined;
    if (family.isSimple && !family.identitySet.members.has(object)) {
      try {
        shape = this.shapeOf(family, namesOf(object), object);
      } catch (error) {
        // The substitute is requested below, after the object's first bytes.
        if (this.substitutingAdapter < 0 || !(error instanceof CaptureRefusal)) throw error;
      }
    }
    const { identitySet } = shape ?? family;
    if (!this.identityTable.enter(identitySet, object)) return this.writeReference(identitySet, object);
    const isDeferred = shallow || this.budgetLeft-- <= 0 || this.depth >= T.MAX_DEPTH;
    this.depth++;
    if (this.substitutingAdapter >= 0) this.writeOrSubstitute(object, family, shape, isDeferred);
    else if (family.isSimple) this.writePlain(object, family, shape, isDeferred);
    else this.writeSpecial(object, family, isDeferred);
    this.depth--;
  }

  /** Writes an object, or its substitute if it is refused. */
  private writeOrSubstitute(object: object, family: Family, shape: Shape | undefined, isDeferred: boolean): void {
    // The first bytes may be taken back, so they must not start a new part.
    this.reserve(MAX_HEAD_BYTES);
    const { offset, depth, headerDepth, identityTable } = this;
    const { metCount } = identityTable;
    const openCount = this.openObjects.length;
    try {
      if (family.isSimple) this.writePlain(object, family, shape, isDeferred);
      else this.writeSpecial(object, family, isDeferred);
    } catch (error) {
      if (!(error instanceof CaptureRefusal) || error.value !== object || identityTable.metCount !== metCount)
        throw error;
      const parts = this.adapters[this.substitutingAdapter]?.substituteFor?.(object);
      if (parts === undefined || this.offset < offset) throw error;
      this.offset = offset;
      this.depth = depth;
      this.headerDepth = headerDepth;
      this.openObjects.length = openCount;
      this.writeAdapted(object, this.families.proxies, this.substitutingAdapter, parts, isDeferred);
    }
  }

  /** @param shape shape that the keys suggest */
  private writePlain(object: object, family: Family, shape: Shape | undefined, isDeferred: boolean): void {
    if (shape?.keys.length === 0 && this.writeIfOdd(object, family, isDeferred)) return;
    if (
      shape !== undefined &&
      (isDeferred
        ? this.deferObject(object, shape)
        : (shape.encode?.(this, object, shape, descriptorOf) ?? encodeByKeys(this, object, shape)))
    ) {
      if (isDeferred) return;
      if (family.privateMembers !== undefined) this.writePrivateFields(object, family);
      if (shape.encodeWithLayout !== undefined) this.learnLayout(object, family, shape, undefined);
      return;
    }
    this.writeOwnObject(object, family, isDeferred);
  }

  /** Writes the tag of an object with a shape. */
  beginObject(shape: Shape): void {
    if (shape.number >= 0) return this.tagged(T.OBJECT, shape.number);
    shape.number = this.shapeCount++;
    this.tagged(T.SHAPE, shape.family.number);
    this.varint(shape.keys.length);
    for (let i = 0; i < shape.keys.length; i++) this.string(shape.keys[i] as string);
  }

  private deferObject(object: object, shape: Shape): boolean {
    if (ordinaryValues(object, shape.keys) === undefined) return false;
    this.byte(T.DEFERRED);
    this.beginObject(shape);
    this.enqueue({ object, family: shape.family, shape, flags: 0, state: undefined });
    return true;
  }

  private enqueue(item: PendingContents): void {
    this.pendingContents[this.pendingContents.length] = item;
  }

  /** Returns the shape for an object with these own keys, of any attributes; undefined if it needs another form. */
  private shapeOf(family: Family, keys: string[], object: object): Shape | undefined {
    if (
      family === this.families.strays ||
      keys.length > MAX_SHAPE_KEYS ||
      symbolsOf(object).length > 0 ||
      !isExtensible(object)
    )
      return undefined;
    const { shapes } = family;
    for (let i = 0; i < shapes.length; i++) {
      const shape = shapes[i] as Shape;
      if (hasSameKeys(shape.keys, keys)) return shape;
    }
    const joinedKeys = join(keys, '\n');
    let shape = family.shapesByKeys.get(joinedKeys);
    if (shape === undefined) {
      // Detects objects of a kind with a changed prototype, unless an ordinary object with the same keys came before.
      for (let i = 0; i < keys.length; i++) if (keys[i] === '__proto__') return undefined;
      if (kindOfObject(this.ports, object) !== undefined || this.coreParts(object) !== undefined) return undefined;
      const identitySet = this.identityTable.createSet();
      shape = { family, keys, identitySet, number: -1, useCount: 0, encode: undefined, encodeWithLayout: undefined };
      family.shapesByKeys.set(joinedKeys, shape);
    } else if (!hasSameKeys(shape.keys, keys)) return undefined;
    if (shapes.length < 12) shapes[shapes.length] = shape;
    return shape;
  }

  /** Writes an object with own properties of any attributes. */
  private writeOwnObject(object: object, family: Family, isDeferred: boolean): void {
    if (this.writeIfOdd(object, family, isDeferred)) return;
    this.writeObject(
      undefined,
      T.FIRST_VARIANT,
      object,
      family,
      isDeferred,
      T.HAS_OWN_PROPERTIES | (isExtensible(object) ? 0 : T.NOT_EXTENSIBLE),
    );
  }

  /** Writes an object of a kind that its prototype does not suggest. Returns false for any other object. */
  private writeIfOdd(object: object, family: Family, isDeferred: boolean): boolean {
    const kind = kindOfObject(this.ports, object);
    if (kind !== undefined) {
      this.writeVariant(kind, object, family, isDeferred);
      return true;
    }
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as ObjectAdapter;
      const parts = i === 0 || adapter.isForAnyPrototype === true ? adapter.takeApart(object) : undefined;
      if (parts === undefined) continue;
      this.writeAdapted(object, family, i, parts, isDeferred);
      return true;
    }
    return false;
  }

  private coreParts(object: object): ObjectParts | undefined {
    return this.adapters[0]?.takeApart(object);
  }

  /** Writes the descriptor of a host object in full, because the reader revives it at once. */
  private writeExternal(object: object, family: Family): boolean {
    const descriptor = this.ports.describeExternal?.(object);
    if (descriptor === undefined) return false;
    if (this.isDisjoint) this.identityTable.keepForLaterPieces(object);
    this.tagged(T.EXTERNAL, family.number);
    const { budgetLeft, depth } = this;
    this.budgetLeft = Infinity;
    this.depth = 0;
    this.openObjects[this.openObjects.length] = object;
    this.value(descriptor);
    this.openObjects.length--;
    this.budgetLeft = budgetLeft;
    this.depth = depth;
    return true;
  }

  private writeSpecial(object: object, family: Family, isDeferred: boolean): void {
    if (family === this.families.proxies) {
      if (this.isProxy(object)) this.weakEntryTracker.addOpaqueKey(object);
      if (this.writeExternal(object, family)) return;
    }
    const { adapters } = family;
    for (let i = 0; i < adapters.length; i++) {
      const parts = (adapters[i] as ObjectAdapter).takeApart(object);
      if (parts !== undefined) return this.writeAdapted(object, family, i, parts, isDeferred);
    }
    if (family === this.families.functions && this.writeExternal(object, family)) return;
    if (family === this.families.proxies || family === this.families.functions) throw refusalFor(this.ports, object);
    if (family.hostClass !== undefined && (family.kind === undefined || !family.kind.matches(object, this.ports))) {
      // The object may be the prototype of a program class, or only resemble a host object.
      if (this.writeIfOdd(object, family, isDeferred)) return;
      const reason = `a ${family.hostClass} belongs to the host`;
      throw new CaptureRefusal(object, reason, 'create it in device(() => …), or create it again when it is needed');
    }
    const refusal = family.canBelongToHost ? this.ports.refusalOf?.(object) : undefined;
    if (refusal !== undefined) throw new CaptureRefusal(object, refusal.reason, refusal.remedy);
    const { kind } = family;
    if (kind === undefined)
      return this.writePlain(object, family, this.shapeOf(family, namesOf(object), object), isDeferred);
    if (!kind.matches(object, this.ports)) {
      const actualKind = kindOfObject(this.ports, object);
      return actualKind === undefined
        ? this.writePlain(object, family, this.shapeOf(family, namesOf(object), object), isDeferred)
        : this.writeVariant(actualKind, object, family, isDeferred);
    }
    const closerKind = kind.chooseKind?.(object, this.ports) ?? kind;
    if (
      family.isStandard &&
      family.privateMembers === undefined &&
      closerKind.isBare(object, this.ports) &&
      (closerKind.isHostKey !== undefined || symbolsOf(object).length === 0) &&
      isExtensible(object)
    ) {
      this.writeObject(closerKind, closerKind.tag, object, family, isDeferred, 0);
      this.learnLayout(object, family, undefined, closerKind);
    } else this.writeVariant(closerKind, object, family, isDeferred);
  }

  private writeVariant(kind: ObjectKind, object: object, family: Family, isDeferred: boolean): void {
    kind = kind.chooseKind?.(object, this.ports) ?? kind;
    let flags = 0;
    if (!kind.isBare(object, this.ports) || (kind.isHostKey === undefined && symbolsOf(object).length > 0))
      flags |= T.HAS_OWN_PROPERTIES;
    if (!isExtensible(object)) flags |= T.NOT_EXTENSIBLE;
    this.writeObject(kind, kind.tag + T.VARIANT_OFFSET, object, family, isDeferred, flags);
  }

  private writeObject(
    kind: ObjectKind | undefined,
    tag: number,
    object: object,
    family: Family,
    isDeferred: boolean,
    flags: number,
  ): void {
    if (family === this.families.strays) flags |= T.LATE_PROTOTYPE;
    const isDeferring =
      (isDeferred || kind?.isBig?.(object) === true) &&
      (kind?.writeContents !== undefined || flags !== 0 || family.privateMembers !== undefined);
    if (isDeferring) this.byte(T.DEFERRED);
    this.byte(tag);
    if (tag >= T.FIRST_VARIANT) {
      this.byte(flags);
      this.varint(family.number);
    }
    if (kind?.writeHeader !== undefined) {
      this.openObjects[this.openObjects.length] = object;
      kind.writeHeader(this, object);
      this.openObjects.length--;
    }
    const item: PendingContents =
      kind === undefined
        ? { object, family, flags, state: undefined }
        : { object, family, kind, flags, state: undefined };
    if (isDeferring) this.enqueue(item);
    else void this.writeContents(item);
  }

  private writeAdapted(object: object, family: Family, adapter: number, parts: ObjectParts, isDeferred: boolean): void {
    if (this.isDisjoint) this.identityTable.keepForLaterPieces(object);
    let ownProperties: readonly PropertyEntry[] | undefined;
    const isOpen = family !== this.families.proxies && parts.isComplete !== true && parts.isUnmodified !== true;
    let flags = family === this.families.strays ? T.LATE_PROTOTYPE : 0;
    if (isOpen) {
      if (!isExtensible(object)) flags |= T.NOT_EXTENSIBLE;
      ownProperties = extraProperties(object, undefined, parts.initialProperties);
      if (ownProperties.length > 0) flags |= T.HAS_OWN_PROPERTIES;
      if (parts.prototype !== undefined && prototypeOf(object) !== parts.prototype) flags |= T.LATE_PROTOTYPE;
    }
    const isDeferring = isDeferred && (parts.contents.length > 0 || flags !== 0 || family.privateMembers !== undefined);
    if (isDeferring) this.byte(T.DEFERRED);
    this.byte(T.ADAPTED);
    this.byte(flags);
    this.varint(family.number);
    this.byte(adapter);
    this.varint(parts.kind);
    this.varint(parts.header.length);
    this.openObjects[this.openObjects.length] = object;
    for (let i = 0; i < parts.header.length; i++) this.shallow(parts.header[i]);
    this.openObjects.length--;
    const item: PendingContents = { object, family, parts, ownProperties, flags, state: undefined };
    if (isDeferring) this.enqueue(item);
    else this.writeContents(item);
  }

  private writeContents(item: PendingContents): unknown {
    const { object, shape, kind, parts, flags, family } = item;
    if (shape !== undefined) {
      const values = ordinaryValues(object, shape.keys);
      if (values === undefined)
        throw new CaptureRefusal(object, 'it changed while it was captured', 'capture between turns only');
      for (let i = 0; i < values.length; i++) this.value(values[i]);
    } else if (parts !== undefined) {
      this.varint(parts.contents.length);
      for (let i = 0; i < parts.contents.length; i++) this.value(parts.contents[i]);
    } else if (kind?.writeContents !== undefined) {
      const state = kind.writeContents(this, object, item.state);
      if (state !== undefined) return state;
    }
    if ((flags & T.LATE_PROTOTYPE) !== 0) this.value(prototypeOf(object));
    if ((flags & T.HAS_OWN_PROPERTIES) !== 0)
      writeProperties(this, item.ownProperties ?? extraProperties(object, kind, parts?.initialProperties), object);
    if (family.privateMembers !== undefined) this.writePrivateFields(object, family);
    return undefined;
  }

  private writePrivateFields(object: object, family: Family): void {
    const privateGroups = family.privateMembers ?? [];
    for (let i = 0; i < privateGroups.length; i++) {
      const values = privateGroups[i]?.read(object);
      this.varint(values === undefined ? 0 : values.length + 1);
      if (values === undefined) continue;
      for (let j = 0; j < values.length; j++) this.value(values[j]);
    }
  }

  private writeChange({ object, properties, prototype, isSealed: sealed }: ObjectChange): void {
    this.value(object);
    this.byte((prototype === undefined ? 0 : T.LATE_PROTOTYPE) | (sealed ? T.NOT_EXTENSIBLE : 0));
    if (prototype !== undefined) this.value(prototype.value);
    writeProperties(this, properties, object);
  }

  /** Writes the definition of a family before its first object. Members met meanwhile are strays. */
  private defineFamily(family: Family): Family {
    if (family.isStray || family.isBeingDefined) {
      family.isStray = true;
      return this.families.strays;
    }
    family.isBeingDefined = true;
    this.byte(T.FAMILY);
    this.shallow(family.prototype);
    const privateGroups = family.privateMembers ?? [];
    this.varint(privateGroups.length);
    for (let i = 0; i < privateGroups.length; i++) this.shallow(privateGroups[i]?.owner);
    family.isBeingDefined = false;
    // A family that became stray gets a number, too, because the reader counts every definition.
    const number = this.families.nextNumber();
    if (family.isStray) return this.families.strays;
    family.number = number;
    return family;
  }
}

/** Sample of an array without a class. */
const ANY_ARRAY: readonly unknown[] = [];
/** Upper bound of the bytes of an object before another object starts. */
const MAX_HEAD_BYTES = 64;

function findSubstitutingAdapter(adapters: readonly ObjectAdapter[]): number {
  for (let i = 0; i < adapters.length; i++) if (adapters[i]?.substituteFor !== undefined) return i;
  return -1;
}

const alwaysFalse = (): boolean => false;
function hasSameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
