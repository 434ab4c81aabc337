// The families of one capture: what is known of each prototype, and which have numbers.

import { familyOf, type Family } from './family.ts';
import { arrayPrototype, objectPrototype, prototypeOf, SafeMap } from './intrinsics.ts';
import { kindByPrototype, STANDARD } from './kinds/registry.ts';
import * as T from './tags.ts';
import type { Mentions } from './identities.ts';
import type { Kind } from './kind.ts';
import type { Adapter, HeapPorts, PrivateMembers } from './ports.ts';

export class Families {
  private readonly ports: HeapPorts;
  private readonly adapters: readonly Adapter[];
  private readonly mentions: Mentions;
  private readonly byPrototype = new SafeMap<object | null, Family>();
  private count = 0;
  /** Those that have layouts. */
  private readonly learned: Family[] = [];
  readonly objects: Family;
  readonly functions: Family;
  readonly proxies: Family;
  readonly strays: Family;
  /** What is known by name and a proxy. */
  readonly knownProxies: readonly object[];

  constructor(ports: HeapPorts, adapters: readonly Adapter[], mentions: Mentions) {
    this.ports = ports;
    this.adapters = adapters;
    this.mentions = mentions;
    this.objects = this.predefine(T.OBJECTS, objectPrototype);
    this.predefine(T.ARRAYS, arrayPrototype);
    this.predefine(T.BARE, null);
    this.functions = this.predefine(T.FUNCTIONS, undefined);
    this.proxies = this.predefine(T.PROXIES, undefined);
    this.strays = this.predefine(T.STRAYS, undefined);
    for (let i = 0; i < STANDARD.length; i++) this.predefine(T.FIRST_STANDARD + i, STANDARD[i] as object);
    // Known objects look as if they had been met: the fast path needs no look-up for them. Functions are looked up.
    const { objects, proxies } = ports.known;
    for (let i = 0; i < objects.length; i++) {
      const object = objects[i] as object;
      // To find their families all would have to be described, most of which will never be asked for.
      mentions.enterKnown(mentions.one ?? this.of(prototypeOf(object)).identities, object);
    }
    for (let i = 0; i < proxies.length; i++) mentions.enterKnown(this.proxies.identities, proxies[i] as object);
    this.knownProxies = proxies;
  }

  of(prototype: object | null): Family {
    return prototype === objectPrototype ? this.objects : (this.byPrototype.get(prototype) ?? this.add(prototype));
  }

  /** The family is about to get a layout. */
  learnt(family: Family): void {
    if (family.layouts.length === 0) this.learned[this.learned.length] = family;
  }

  /** What layouts were learnt from may have another shape by now. */
  forget(): void {
    for (let i = 0; i < this.learned.length; i++) (this.learned[i] as Family).layouts.length = 0;
    this.learned.length = 0;
  }

  /** The number of the next family whose definition ends. */
  next(): number {
    return this.count++;
  }

  private predefine(number: number, prototype: object | null | undefined): Family {
    const family =
      prototype === undefined
        ? familyOf(number, this.mentions.identities(), undefined, { adapters: this.adaptersFor(number) })
        : this.describe(prototype, number);
    if (prototype !== undefined) this.byPrototype.set(prototype, family);
    this.count++;
    return family;
  }

  private adaptersFor(number: number): readonly Adapter[] {
    const asks = number === T.FUNCTIONS ? 'functions' : number === T.PROXIES ? 'proxies' : 'objects';
    // An empty place where an adapter does not apply would change numbers: adapters keep theirs.
    const adapters: Adapter[] = [];
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as Adapter;
      adapters[i] = adapter.asks === asks && number !== T.STRAYS ? adapter : SILENT;
    }
    return adapters;
  }

  private add(prototype: object | null): Family {
    const family = this.describe(prototype, -1);
    this.byPrototype.set(prototype, family);
    return family;
  }

  private describe(prototype: object | null, number: number): Family {
    let kind: Kind | undefined;
    let foreign = false;
    let host: string | undefined;
    let steps = 0;
    for (let each = prototype; each !== null && kind === undefined; each = prototypeOf(each)) {
      if (++steps > 10_000 || this.ports.types.isProxy(each)) break;
      kind = kindByPrototype.get(each);
      if (kind !== undefined || each === objectPrototype || this.ports.known.nameOf(each) === undefined) continue;
      foreign = true;
      host ??= this.ports.known.hostOf(each);
    }
    const adapters: Adapter[] = [];
    let isAsked = false;
    let isNative = false;
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as Adapter;
      const claims = adapter.asks === 'objects' && adapter.claims?.(prototype) === true;
      adapters[i] = claims ? adapter : SILENT;
      isAsked ||= claims;
      isNative ||= claims && adapter.native === true;
    }
    const privates = prototype === null || isNative ? undefined : this.ports.privates?.(prototype);
    return familyOf(isNative ? T.PROXIES : number, this.mentions.identities(), prototype, {
      ...(kind === undefined ? {} : { kind }),
      standard: kind !== undefined && kind.prototype === prototype,
      ...(isAsked ? { adapters } : {}),
      privates: privates === undefined || privates.length === 0 ? undefined : privates,
      foreign: foreign || kind?.foreign === true,
      host: isAsked ? undefined : host,
    });
  }
}

const PROBE = {};

/** Stands where an adapter does not apply, so that the others keep their numbers. */
const SILENT: Adapter = {
  name: '',
  asks: 'objects',
  take: () => undefined,
  allocate: () => PROBE,
  fill: () => undefined,
};

/** Whether the object has what its prototype promises: a constructor may have thrown, or never have run. */
export function isBranded(object: object, groups: readonly PrivateMembers[]): boolean {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as PrivateMembers;
    if (!(group.has?.(object) ?? group.read(object) !== undefined)) return false;
  }
  return true;
}
