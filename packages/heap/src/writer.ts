// The writer: a graph to bytes, depth first, each object where it is first met. Later mentions are numbers, given out when an object
// is met for the second time; the footer tells the reader which objects those are, so that all others need no table.
// Contents are deferred to a worklist when nesting gets deep, when a header leads to them, or when a slice is used up: then
// cycles need no repair, because whatever allocation needs never waits for contents.
// A graph may be written in pieces, root by root, with the program running between them: what has been written is known by its identity
// and never looked at again, whatever has become of it.
// Nothing here calls code of the program. Hot path: guarded by bench/heap.

import { ABI_VERSION, type EngineView } from '@turntable/core';
import { Refusal } from './heap-error.ts';
import { descriptorOf, isExtensible, join, namesOf, prototypeOf, symbolsOf } from './intrinsics.ts';
import { Families, isBranded } from './families.ts';
import { mayInheritElements } from './exemplars.ts';
import { layoutOfKind, layoutOfShape, recall, remember, type Layout } from './layout.ts';
import { adaptersOf, kindOfObject, refusalOf } from './kinds/registry.ts';
import { NumberedSink } from './numbered-sink.ts';
import type { GiveBytes } from './sink.ts';
import { encodeByKeys, ordinaryValues, WIDEST, type Shape } from './shape.ts';
import { ownProperties, writeProperties, type Property } from './properties.ts';
import * as T from './tags.ts';
import type { Family } from './family.ts';
import type { Division } from './identities.ts';
import type { Kind } from './kind.ts';
import { withoutLeft, type Difference } from './baseline.ts';
import type { Adapter, HeapPorts, Parts } from './ports.ts';

/** Contents that wait. Exactly one of `shape`, `kind`, `parts` is set, or none for an object of own properties only. */
interface Waiting {
  readonly object: object;
  readonly family: Family;
  readonly shape?: Shape;
  readonly kind?: Kind;
  readonly parts?: Parts;
  /** Its own properties, if somebody has looked. */
  readonly own?: readonly Property[] | undefined;
  readonly flags: number;
  state: unknown;
}

export class HeapWriter extends NumberedSink {
  private readonly adapters: readonly Adapter[];
  /** Those for which other functions stand in. */
  private readonly representing: Adapter[] = [];
  private readonly isProxy: (value: unknown) => boolean;
  private readonly families: Families;
  private readonly isApart: boolean;
  private shapes = 0;
  private depth = 0;
  private left = Infinity;
  private readonly queue: Waiting[] = [];
  private next = 0;
  private readonly engine: EngineView | undefined;
  private hasLayouts: boolean;
  /** The number of the adapter that takes what would be refused. */
  private readonly rescuer: number;
  /** The layout of the object that was written last, if it has one. */
  private met: Layout = undefined as never;
  /** A field, so that V8 compiles the engine's answer into encoders. */
  readonly sameShape: EngineView['sameShape'];

  /** `start` comes next. Unless it is to be written whole, there may be calls of `more`. */
  constructor(ports: HeapPorts, capacity: number, division: Division, give?: GiveBytes) {
    super(ports, capacity, division, give);
    this.isApart = division === 'apart';
    this.adapters = adaptersOf(ports);
    for (let i = 0; i < this.adapters.length; i++)
      if (this.adapters[i]?.represents !== undefined)
        this.representing[this.representing.length] = this.adapters[i] as Adapter;
    this.isProxy = ports.types.isProxy;
    this.rescuer = rescuerAmong(this.adapters);
    const { engine } = ports.realm.parts.host;
    this.engine = engine;
    this.sameShape = engine?.sameShape ?? never;
    this.hasLayouts = engine !== undefined && !mayInheritElements(ANY_ARRAY, ports);
    this.families = new Families(ports, this.adapters, this.mentions);
    const { knownProxies } = this.families;
    for (let i = 0; i < knownProxies.length; i++) this.weak.hide(knownProxies[i] as object);
    for (let i = 0; i < T.MAGIC.length; i++) this.byte(T.MAGIC[i] as number);
    this.byte(T.FORMAT_VERSION);
    this.byte(ABI_VERSION);
    this.byte(0);
    this.byte(0);
    this.string(ports.program ?? '');
  }

  /** Writes one more root, and all that it leads to and earlier ones did not. Between two of them everything may change. */
  more(root: unknown, group?: object): void {
    this.mentions.begin(group);
    this.another(root);
  }

  /** The same, of the piece that goes on. */
  another(root: unknown): void {
    this.families.forget();
    this.weak.begin();
    if (this.isApart) this.forgetStrings();
    this.hasLayouts = this.engine !== undefined && !mayInheritElements(ANY_ARRAY, this.ports);
    this.value(root);
    this.run(Infinity);
  }

  /** Writes on, at most about `budget` objects; true when everything is written. */
  run(budget: number): boolean {
    this.left = budget;
    for (;;) {
      while (this.next < this.queue.length) {
        if (this.left < 0) return false;
        const item = this.queue[this.next] as Waiting;
        const state = this.contentsOf(item);
        if (state !== undefined) item.state = state;
        else (this.queue as unknown[])[this.next++] = undefined;
      }
      if (this.left < 0) return false;
      if (!this.weakEntries()) break;
    }
    this.left = Infinity;
    return true;
  }

  /** Begins with the root, and what is no longer as it was about known objects. */
  start(root: unknown, differences: readonly Difference[]): void {
    // The root's contents are the first item of the worklist, so that slices can cut them.
    this.left = 0;
    this.value(root);
    this.left = Infinity;
    this.left = 0;
    const kept = withoutLeft(differences, this.ports);
    this.varint(kept.length);
    for (let i = 0; i < kept.length; i++) this.difference(kept[i] as Difference);
  }

  /** A value where `last[place]` says of what layout the one before was. */
  valueAt(last: Layout[], place: number, value: unknown): void {
    if (typeof value === 'string') return this.string(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value !== 'object' || value === null) return this.value(value);
    const layout = last[place] as Layout;
    if (this.sameShape(value, layout.exemplar)) this.nodeOf(layout, value);
    else last[place] = this.nodeAt(layout, value);
  }

  /** Answers the layout of the object, or the one that was expected. */
  nodeAt(expected: Layout, object: object): Layout {
    this.met = expected;
    this.node(object, false);
    return this.met;
  }

  nodeOf(layout: Layout, object: object): void {
    if (this.left <= 0 || this.depth >= T.DEPTH) return this.closely(object, false);
    const { family, identities } = layout;
    if (!this.mentions.enter(identities, object)) return this.again(identities, object);
    if (identities !== family.identities && family.identities.members.has(object)) {
      this.mentions.withdraw(identities, object);
      return this.again(family.identities, object);
    }
    this.left--;
    this.depth++;
    if (layout.write(this, object, layout)) {
      if (family.privates !== undefined) this.privates(object, family);
    } else if (!family.simple) this.special(object, family, false);
    else {
      this.mentions.withdraw(identities, object);
      this.closely(object, false);
    }
    this.depth--;
    this.met = layout;
  }

  /** An object has been looked at closely and was written as `shape` or as a bare one of `kind`: others will be alike. */
  private learn(object: object, family: Family, shape: Shape | undefined, kind: Kind | undefined): void {
    if (!this.hasLayouts || family.foreign || family.adapters.length > 0) return;
    if (this.engine?.hasFixedShape(object) !== true) return;
    const layout = shape === undefined ? layoutOfKind(object, family, kind as Kind) : layoutOfShape(object, shape);
    if (layout === undefined) return;
    this.families.learnt(family);
    remember(family, layout);
    this.met = layout;
  }

  protected override node(object: object, shallow: boolean): void {
    if (!shallow && this.hasLayouts && typeof object === 'object' && !this.isProxy(object)) {
      const layout = recall(this.families.of(prototypeOf(object)), object, this.sameShape);
      if (layout !== undefined) return this.nodeOf(layout, object);
    }
    this.closely(object, shallow);
  }

  private closely(object: object, shallow: boolean): void {
    let family: Family;
    if (this.isProxy(object)) family = this.families.proxies;
    else if (typeof object === 'function') {
      family = this.families.functions;
      if (this.repeated(object)) return;
      const { identities } = family;
      if (identities.members.has(object)) return this.again(identities, object);
      const name = this.ports.known.nameOf(object);
      if (name !== undefined) return this.known(object, name);
      for (let i = 0; i < this.representing.length; i++) object = this.representing[i]?.represents?.(object) ?? object;
    } else {
      const { one } = this.mentions;
      if (one !== undefined && this.mentions.isMet(object)) return this.again(one, object);
      family = this.families.of(prototypeOf(object));
      // What is outside needs no prototype.
      if (family.foreign && this.ports.external?.(object) !== undefined) family = this.families.proxies;
      if (family.number < 0) {
        // What is known by name needs none.
        if (family.identities.members.has(object)) return this.again(family.identities, object);
        family = this.define(family);
      }
      if (family.privates !== undefined && !isBranded(object, family.privates)) family = this.families.strays;
    }
    let shape: Shape | undefined;
    if (family.simple && !family.identities.members.has(object)) {
      try {
        shape = this.shapeOf(family, namesOf(object), object);
      } catch (error) {
        // Asked for once more below, in its place.
        if (this.rescuer < 0 || !(error instanceof Refusal)) throw error;
      }
    }
    const { identities } = shape ?? family;
    if (!this.mentions.enter(identities, object)) return this.again(identities, object);
    const later = shallow || this.left-- <= 0 || this.depth >= T.DEPTH;
    this.depth++;
    if (this.rescuer >= 0) this.orRescued(object, family, shape, later);
    else if (family.simple) this.plain(object, family, shape, later);
    else this.special(object, family, later);
    this.depth--;
  }

  /** As it is, or as what stands for it. */
  private orRescued(object: object, family: Family, shape: Shape | undefined, later: boolean): void {
    // Its first bytes are taken back, so they must not begin another part.
    this.reserve(FIRST_BYTES);
    const { at, depth, headers, mentions } = this;
    const { met } = mentions;
    const opening = this.opening.length;
    try {
      if (family.simple) this.plain(object, family, shape, later);
      else this.special(object, family, later);
    } catch (error) {
      if (!(error instanceof Refusal) || error.value !== object || mentions.met !== met) throw error;
      const parts = this.adapters[this.rescuer]?.rescue?.(object);
      if (parts === undefined || this.at < at) throw error;
      this.at = at;
      this.depth = depth;
      this.headers = headers;
      this.opening.length = opening;
      this.adapted(object, this.families.proxies, this.rescuer, parts, later);
    }
  }

  /** `shape`: which its keys suggest. */
  private plain(object: object, family: Family, shape: Shape | undefined, later: boolean): void {
    if (shape?.keys.length === 0 && this.odd(object, family, later)) return;
    if (
      shape !== undefined &&
      (later
        ? this.postpone(object, shape)
        : (shape.encode?.(this, object, shape, descriptorOf) ?? encodeByKeys(this, object, shape)))
    ) {
      if (later) return;
      if (family.privates !== undefined) this.privates(object, family);
      if (shape.encodeAlike !== undefined) this.learn(object, family, shape, undefined);
      return;
    }
    this.ownObject(object, family, later);
  }

  /** The tag of an object with a shape. */
  beginObject(shape: Shape): void {
    if (shape.number >= 0) return this.tagged(T.OBJECT, shape.number);
    shape.number = this.shapes++;
    this.tagged(T.SHAPE, shape.family.number);
    this.varint(shape.keys.length);
    for (let i = 0; i < shape.keys.length; i++) this.string(shape.keys[i] as string);
  }

  private postpone(object: object, shape: Shape): boolean {
    if (ordinaryValues(object, shape.keys) === undefined) return false;
    this.byte(T.DEFERRED);
    this.beginObject(shape);
    this.enqueue({ object, family: shape.family, shape, flags: 0, state: undefined });
    return true;
  }

  private enqueue(item: Waiting): void {
    this.queue[this.queue.length] = item;
  }

  /** The shape of an object that has nothing but properties under those names; whether they are ordinary ones is another question. */
  private shapeOf(family: Family, keys: string[], object: object): Shape | undefined {
    if (
      family === this.families.strays ||
      keys.length > WIDEST ||
      symbolsOf(object).length > 0 ||
      !isExtensible(object)
    )
      return undefined;
    const { shapes } = family;
    for (let i = 0; i < shapes.length; i++) {
      const shape = shapes[i] as Shape;
      if (sameKeys(shape.keys, keys)) return shape;
    }
    const text = join(keys, '\n');
    let shape = family.shapesByKeys.get(text);
    if (shape === undefined) {
      // Objects of a kind whose prototype was changed are found here, unless they come after an ordinary one of the same keys.
      for (let i = 0; i < keys.length; i++) if (keys[i] === '__proto__') return undefined;
      if (kindOfObject(this.ports, object) !== undefined || this.coreParts(object) !== undefined) return undefined;
      const identities = this.mentions.identities();
      shape = { family, keys, identities, number: -1, uses: 0, encode: undefined, encodeAlike: undefined };
      family.shapesByKeys.set(text, shape);
    } else if (!sameKeys(shape.keys, keys)) return undefined;
    if (shapes.length < 12) shapes[shapes.length] = shape;
    return shape;
  }

  /** An object of own properties with whatever attributes. */
  private ownObject(object: object, family: Family, later: boolean): void {
    if (this.odd(object, family, later)) return;
    this.begin(
      undefined,
      T.FIRST_VARIANT,
      object,
      family,
      later,
      T.OWN | (isExtensible(object) ? 0 : T.NOT_EXTENSIBLE),
    );
  }

  /** Writes an object of a kind whose prototype does not tell. */
  private odd(object: object, family: Family, later: boolean): boolean {
    const kind = kindOfObject(this.ports, object);
    if (kind !== undefined) {
      this.variant(kind, object, family, later);
      return true;
    }
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as Adapter;
      const parts = i === 0 || adapter.odd === true ? adapter.take(object) : undefined;
      if (parts === undefined) continue;
      this.adapted(object, family, i, parts, later);
      return true;
    }
    return false;
  }

  private coreParts(object: object): Parts | undefined {
    return this.adapters[0]?.take(object);
  }

  /** Something outside: what stands for it is written whole, since the reader revives it at once. */
  private external(object: object, family: Family): boolean {
    const descriptor = this.ports.external?.(object);
    if (descriptor === undefined) return false;
    if (this.isApart) this.mentions.keep(object);
    this.tagged(T.EXTERNAL, family.number);
    const { left, depth } = this;
    this.left = Infinity;
    this.depth = 0;
    this.opening[this.opening.length] = object;
    this.value(descriptor);
    this.opening.length--;
    this.left = left;
    this.depth = depth;
    return true;
  }

  private special(object: object, family: Family, later: boolean): void {
    if (family === this.families.proxies) {
      if (this.isProxy(object)) this.weak.hide(object);
      if (this.external(object, family)) return;
    }
    const { adapters } = family;
    for (let i = 0; i < adapters.length; i++) {
      const parts = (adapters[i] as Adapter).take(object);
      if (parts !== undefined) return this.adapted(object, family, i, parts, later);
    }
    if (family === this.families.functions && this.external(object, family)) return;
    if (family === this.families.proxies || family === this.families.functions) throw refusalOf(this.ports, object);
    if (family.host !== undefined && (family.kind === undefined || !family.kind.is(object, this.ports))) {
      // Prototypes of the program's classes, and what only looks like one of the host's objects.
      if (this.odd(object, family, later)) return;
      const reason = `a ${family.host} belongs to the host`;
      throw new Refusal(object, reason, 'make it behind a device, or re-create it when it is needed');
    }
    const refusal = family.foreign ? this.ports.refuses?.(object) : undefined;
    if (refusal !== undefined) throw new Refusal(object, refusal.reason, refusal.remedy);
    const { kind } = family;
    if (kind === undefined) return this.plain(object, family, this.shapeOf(family, namesOf(object), object), later);
    if (!kind.is(object, this.ports)) {
      const other = kindOfObject(this.ports, object);
      return other === undefined
        ? this.plain(object, family, this.shapeOf(family, namesOf(object), object), later)
        : this.variant(other, object, family, later);
    }
    const closer = kind.choose?.(object, this.ports) ?? kind;
    if (
      family.standard &&
      family.privates === undefined &&
      closer.bare(object, this.ports) &&
      (closer.hides !== undefined || symbolsOf(object).length === 0) &&
      isExtensible(object)
    ) {
      this.begin(closer, closer.tag, object, family, later, 0);
      this.learn(object, family, undefined, closer);
    } else this.variant(closer, object, family, later);
  }

  private variant(kind: Kind, object: object, family: Family, later: boolean): void {
    kind = kind.choose?.(object, this.ports) ?? kind;
    let flags = 0;
    if (!kind.bare(object, this.ports) || (kind.hides === undefined && symbolsOf(object).length > 0)) flags |= T.OWN;
    if (!isExtensible(object)) flags |= T.NOT_EXTENSIBLE;
    this.begin(kind, kind.tag + T.VARIANT, object, family, later, flags);
  }

  private begin(
    kind: Kind | undefined,
    tag: number,
    object: object,
    family: Family,
    later: boolean,
    flags: number,
  ): void {
    if (family === this.families.strays) flags |= T.LATE_PROTOTYPE;
    const defer =
      (later || kind?.big?.(object) === true) &&
      (kind?.contents !== undefined || flags !== 0 || family.privates !== undefined);
    if (defer) this.byte(T.DEFERRED);
    this.byte(tag);
    if (tag >= T.FIRST_VARIANT) {
      this.byte(flags);
      this.varint(family.number);
    }
    if (kind?.header !== undefined) {
      this.opening[this.opening.length] = object;
      kind.header(this, object);
      this.opening.length--;
    }
    const item: Waiting =
      kind === undefined
        ? { object, family, flags, state: undefined }
        : { object, family, kind, flags, state: undefined };
    if (defer) this.enqueue(item);
    else void this.contentsOf(item);
  }

  private adapted(object: object, family: Family, adapter: number, parts: Parts, later: boolean): void {
    if (this.isApart) this.mentions.keep(object);
    let own: readonly Property[] | undefined;
    const isOpen = family !== this.families.proxies && parts.whole !== true && parts.untouched !== true;
    let flags = family === this.families.strays ? T.LATE_PROTOTYPE : 0;
    if (isOpen) {
      if (!isExtensible(object)) flags |= T.NOT_EXTENSIBLE;
      own = ownProperties(object, undefined, parts.born);
      if (own.length > 0) flags |= T.OWN;
      if (parts.prototype !== undefined && prototypeOf(object) !== parts.prototype) flags |= T.LATE_PROTOTYPE;
    }
    const defer = later && (parts.contents.length > 0 || flags !== 0 || family.privates !== undefined);
    if (defer) this.byte(T.DEFERRED);
    this.byte(T.ADAPTED);
    this.byte(flags);
    this.varint(family.number);
    this.byte(adapter);
    this.varint(parts.kind);
    this.varint(parts.header.length);
    this.opening[this.opening.length] = object;
    for (let i = 0; i < parts.header.length; i++) this.shallow(parts.header[i]);
    this.opening.length--;
    const item: Waiting = { object, family, parts, own, flags, state: undefined };
    if (defer) this.enqueue(item);
    else this.contentsOf(item);
  }

  private contentsOf(item: Waiting): unknown {
    const { object, shape, kind, parts, flags, family } = item;
    if (shape !== undefined) {
      const values = ordinaryValues(object, shape.keys);
      if (values === undefined)
        throw new Refusal(object, 'it changed while it was captured', 'capture between turns only');
      for (let i = 0; i < values.length; i++) this.value(values[i]);
    } else if (parts !== undefined) {
      this.varint(parts.contents.length);
      for (let i = 0; i < parts.contents.length; i++) this.value(parts.contents[i]);
    } else if (kind?.contents !== undefined) {
      const state = kind.contents(this, object, item.state);
      if (state !== undefined) return state;
    }
    if ((flags & T.LATE_PROTOTYPE) !== 0) this.value(prototypeOf(object));
    if ((flags & T.OWN) !== 0) writeProperties(this, item.own ?? ownProperties(object, kind, parts?.born), object);
    if (family.privates !== undefined) this.privates(object, family);
    return undefined;
  }

  private privates(object: object, family: Family): void {
    const groups = family.privates ?? [];
    for (let i = 0; i < groups.length; i++) {
      const values = groups[i]?.read(object);
      this.varint(values === undefined ? 0 : values.length + 1);
      if (values === undefined) continue;
      for (let j = 0; j < values.length; j++) this.value(values[j]);
    }
  }

  private difference({ object, properties, prototype, sealed }: Difference): void {
    this.value(object);
    this.byte((prototype === undefined ? 0 : T.LATE_PROTOTYPE) | (sealed ? T.NOT_EXTENSIBLE : 0));
    if (prototype !== undefined) this.value(prototype.value);
    writeProperties(this, properties, object);
  }

  /** Writes what a family is, before its first object. While that is going on, members go without a family. */
  private define(family: Family): Family {
    if (family.stray || family.opening) {
      family.stray = true;
      return this.families.strays;
    }
    family.opening = true;
    this.byte(T.FAMILY);
    this.shallow(family.prototype);
    const groups = family.privates ?? [];
    this.varint(groups.length);
    for (let i = 0; i < groups.length; i++) this.shallow(groups[i]?.owner);
    family.opening = false;
    // The reader counts the definition either way.
    const number = this.families.next();
    if (family.stray) return this.families.strays;
    family.number = number;
    return family;
  }
}

/** Below no prototype but the language's. */
const ANY_ARRAY: readonly unknown[] = [];
/** More than what is written of an object before anything else of the graph. */
const FIRST_BYTES = 64;

function rescuerAmong(adapters: readonly Adapter[]): number {
  for (let i = 0; i < adapters.length; i++) if (adapters[i]?.rescue !== undefined) return i;
  return -1;
}

const never = (): boolean => false;
function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
