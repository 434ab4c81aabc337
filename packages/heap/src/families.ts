// The families of one capture: lookup by prototype, and their numbers.

import { createFamily, type Family } from './family.ts';
import { arrayPrototype, objectPrototype, prototypeOf, SafeMap } from './intrinsics.ts';
import { kindByPrototype, STANDARD_PROTOTYPES } from './kinds/registry.ts';
import * as T from './tags.ts';
import type { IdentityTable } from './identity-table.ts';
import type { ObjectKind } from './object-kind.ts';
import type { ObjectAdapter, HeapPorts, PrivateMembers } from './ports.ts';

export class Families {
  private readonly ports: HeapPorts;
  private readonly adapters: readonly ObjectAdapter[];
  private readonly identityTable: IdentityTable;
  private readonly byPrototype = new SafeMap<object | null, Family>();
  private familyCount = 0;
  private readonly familiesWithLayouts: Family[] = [];
  readonly objects: Family;
  readonly functions: Family;
  readonly proxies: Family;
  readonly strays: Family;
  readonly knownProxies: readonly object[];

  constructor(ports: HeapPorts, adapters: readonly ObjectAdapter[], identityTable: IdentityTable) {
    this.ports = ports;
    this.adapters = adapters;
    this.identityTable = identityTable;
    this.objects = this.predefine(T.OBJECT_FAMILY, objectPrototype);
    this.predefine(T.ARRAY_FAMILY, arrayPrototype);
    this.predefine(T.NULL_PROTOTYPE_FAMILY, null);
    this.functions = this.predefine(T.FUNCTION_FAMILY, undefined);
    this.proxies = this.predefine(T.PROXY_FAMILY, undefined);
    this.strays = this.predefine(T.STRAY_FAMILY, undefined);
    for (let i = 0; i < STANDARD_PROTOTYPES.length; i++)
      this.predefine(T.FIRST_STANDARD_FAMILY + i, STANDARD_PROTOTYPES[i] as object);
    // Known objects are entered as met, so the fast path needs no lookup for them. Functions are looked up.
    const { objects, proxies } = ports.known;
    for (let i = 0; i < objects.length; i++) {
      const object = objects[i] as object;
      // With a single set, no families are created: describing all would cost more than most captures.
      identityTable.enterKnown(identityTable.singleSet ?? this.forPrototype(prototypeOf(object)).identitySet, object);
    }
    for (let i = 0; i < proxies.length; i++) identityTable.enterKnown(this.proxies.identitySet, proxies[i] as object);
    this.knownProxies = proxies;
  }

  forPrototype(prototype: object | null): Family {
    return prototype === objectPrototype ? this.objects : (this.byPrototype.get(prototype) ?? this.add(prototype));
  }

  /** Registers a family. Must be called before the family gets its first layout. */
  addLayoutFamily(family: Family): void {
    if (family.layouts.length === 0) this.familiesWithLayouts[this.familiesWithLayouts.length] = family;
  }

  forgetLayouts(): void {
    for (let i = 0; i < this.familiesWithLayouts.length; i++)
      (this.familiesWithLayouts[i] as Family).layouts.length = 0;
    this.familiesWithLayouts.length = 0;
  }

  /** Returns the number of the next family. Must be called when the family's definition ends. */
  nextNumber(): number {
    return this.familyCount++;
  }

  private predefine(number: number, prototype: object | null | undefined): Family {
    const family =
      prototype === undefined
        ? createFamily(number, this.identityTable.createSet(), undefined, { adapters: this.adaptersFor(number) })
        : this.createForPrototype(prototype, number);
    if (prototype !== undefined) this.byPrototype.set(prototype, family);
    this.familyCount++;
    return family;
  }

  private adaptersFor(number: number): readonly ObjectAdapter[] {
    const appliesTo = number === T.FUNCTION_FAMILY ? 'functions' : number === T.PROXY_FAMILY ? 'proxies' : 'objects';
    // Skipped adapters keep an entry, so that the others keep their indices.
    const adapters: ObjectAdapter[] = [];
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as ObjectAdapter;
      adapters[i] = adapter.appliesTo === appliesTo && number !== T.STRAY_FAMILY ? adapter : INAPPLICABLE_ADAPTER;
    }
    return adapters;
  }

  private add(prototype: object | null): Family {
    const family = this.createForPrototype(prototype, -1);
    this.byPrototype.set(prototype, family);
    return family;
  }

  private createForPrototype(prototype: object | null, number: number): Family {
    let kind: ObjectKind | undefined;
    let canBelongToHost = false;
    let hostClass: string | undefined;
    let steps = 0;
    for (let ancestor = prototype; ancestor !== null && kind === undefined; ancestor = prototypeOf(ancestor)) {
      if (++steps > 10_000 || this.ports.types.isProxy(ancestor)) break;
      kind = kindByPrototype.get(ancestor);
      if (kind !== undefined || ancestor === objectPrototype || this.ports.known.nameOf(ancestor) === undefined)
        continue;
      canBelongToHost = true;
      hostClass ??= this.ports.known.hostClassOf(ancestor);
    }
    const adapters: ObjectAdapter[] = [];
    let hasAdapter = false;
    let isNative = false;
    for (let i = 0; i < this.adapters.length; i++) {
      const adapter = this.adapters[i] as ObjectAdapter;
      const isClaimed = adapter.appliesTo === 'objects' && adapter.matchesPrototype?.(prototype) === true;
      adapters[i] = isClaimed ? adapter : INAPPLICABLE_ADAPTER;
      hasAdapter ||= isClaimed;
      isNative ||= isClaimed && adapter.isNative === true;
    }
    const privateMembers = prototype === null || isNative ? undefined : this.ports.privateMembersOf?.(prototype);
    return createFamily(isNative ? T.PROXY_FAMILY : number, this.identityTable.createSet(), prototype, {
      ...(kind === undefined ? {} : { kind }),
      isStandard: kind !== undefined && kind.prototype === prototype,
      ...(hasAdapter ? { adapters } : {}),
      privateMembers: privateMembers === undefined || privateMembers.length === 0 ? undefined : privateMembers,
      canBelongToHost: canBelongToHost || kind?.canBelongToHost === true,
      hostClass: hasAdapter ? undefined : hostClass,
    });
  }
}

const PLACEHOLDER = {};

/** Placeholder for an adapter that does not apply. */
const INAPPLICABLE_ADAPTER: ObjectAdapter = {
  name: '',
  appliesTo: 'objects',
  takeApart: () => undefined,
  allocate: () => PLACEHOLDER,
  fill: () => undefined,
};

/** Returns whether the object has its classes' members: a constructor may have thrown, or not have run. */
export function hasPrivateMembers(object: object, groups: readonly PrivateMembers[]): boolean {
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] as PrivateMembers;
    if (!(group.has?.(object) ?? group.read(object) !== undefined)) return false;
  }
  return true;
}
