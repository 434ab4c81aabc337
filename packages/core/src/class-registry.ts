// Core's registry of the program's classes. The first static block of each class registers the class, at no cost to
// instances. A class is restored from this data (docs/internals/transform.md, "Restoring form"). An instance with private
// members is restored by running the class's own constructor in a mode in which it only creates these members.

import {
  apply,
  construct,
  functionPrototype,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  setPrototypeOf,
} from './intrinsics.ts';
import type { PrivateAccessors, PrivateAccessorTable } from './language.ts';
import { probe } from './probe.ts';

const { get, set } = WeakMap.prototype as WeakMap<object, ClassIdentity>;
const { deref } = WeakRef.prototype as WeakRef<object>;

export interface ClassIdentity {
  readonly module: object;
  readonly ordinal: number;
  /** Reads the variables around the class that its members capture. */
  readonly captures: (() => unknown[]) | null;
  readonly privates: PrivateAccessorTable | null;
  /** Values of the computed keys of the class's fields. */
  readonly keys: readonly PropertyKey[];
  readonly handle: ClassHandle;
}

/** Object through which closures and suspended code inside a class reach its home object and private names. */
export class ClassHandle {
  readonly home: object;
  readonly p: PrivateAccessorTable | null;
  constructor(home: object, privates: PrivateAccessorTable | null) {
    this.home = home;
    this.p = privates;
  }
}

export type MemberKind = 'value' | 'get' | 'set' | 'private';

/** A function that is part of the definition of a class or an object literal. */
export type ClassMember = readonly [ordinal: number, isStatic: boolean, key: PropertyKey, kind: MemberKind];

type Constructor = new (...args: never[]) => object;
type AnyFunction = (...args: never[]) => unknown;

export interface ClassRegistry {
  defineClass: (
    module: object,
    ordinal: number,
    constructor: object,
    captures: (() => unknown[]) | null,
    privates: Record<string, PrivateAccessors> | null,
    keys?: readonly PropertyKey[],
  ) => ClassHandle;
  classOf: (constructor: object) => ClassIdentity | undefined;
  /** The class that was defined with this prototype, even if its `constructor` has been changed. */
  ownerOf: (prototype: object) => object | undefined;
  /** Live classes that this declaration has made: one for each evaluation. */
  classesOf: (module: object, ordinal: number) => object[];
  /** Temporary key under which a member with a computed key is restored, to be nameless. `membersOf` removes it. */
  memberKey: (ordinal: number) => symbol;
  memberOf: (holder: object, key: PropertyKey, kind: MemberKind) => AnyFunction;
  membersOf: (constructor: object, members: readonly ClassMember[]) => Map<number, AnyFunction>;
  /** Adds the private members of a class to an object; without an object, makes a blank instance. */
  stamp: (constructor: object, object?: object) => object;
}

export function createClassRegistry(): ClassRegistry {
  const identities = new WeakMap<object, ClassIdentity>();
  const owners = new WeakMap<object, object>();
  const evaluations = new WeakMap<object, WeakRef<object>[][]>();
  const keys: symbol[] = [];

  function classOf(constructor: object): ClassIdentity | undefined {
    return apply(get, identities, [constructor]) as ClassIdentity | undefined;
  }

  function memberOf(holder: object, key: PropertyKey, kind: MemberKind): AnyFunction {
    const descriptor = getOwnPropertyDescriptor(holder, key) as PropertyDescriptor;
    return (kind === 'value' ? descriptor.value : descriptor[kind as 'get' | 'set']) as AnyFunction;
  }

  function addEvaluation(module: object, ordinal: number, constructor: object): void {
    let moduleEvaluations = apply(get, evaluations, [module]) as unknown as WeakRef<object>[][] | undefined;
    if (moduleEvaluations === undefined) {
      moduleEvaluations = [];
      apply(set, evaluations, [module, moduleEvaluations] as never);
    }
    let evaluationRefs = moduleEvaluations[ordinal] ?? [];
    // Removes collected classes from time to time, because a loop may define classes without end.
    if (evaluationRefs.length >= 16 && (evaluationRefs.length & (evaluationRefs.length - 1)) === 0)
      evaluationRefs = liveRefs(evaluationRefs);
    evaluationRefs[evaluationRefs.length] = new WeakRef(constructor);
    moduleEvaluations[ordinal] = evaluationRefs;
  }

  function stamp(constructor: object, object?: object): object {
    const type = constructor as Constructor;
    if (object === undefined) return blank(type);
    const heritage = getPrototypeOf(type) as object;
    function returnObject(): object {
      return object as object;
    }
    setPrototypeOf(type, returnObject);
    try {
      return blank(type);
    } finally {
      setPrototypeOf(type, heritage);
    }
  }

  return {
    defineClass(module, ordinal, constructor, captures, privates, fieldKeys = []) {
      const handle = new ClassHandle(constructor, privates);
      apply(set, identities, [constructor, { module, ordinal, captures, privates, keys: fieldKeys, handle }]);
      apply(set, owners, [(constructor as Constructor).prototype, constructor] as never);
      addEvaluation(module, ordinal, constructor);
      return handle;
    },
    classOf,
    ownerOf: (prototype) => apply(get, owners, [prototype]) as object | undefined,
    classesOf(module, ordinal) {
      const moduleEvaluations = apply(get, evaluations, [module]) as unknown as WeakRef<object>[][] | undefined;
      return liveRefs(moduleEvaluations?.[ordinal] ?? []).map((each) => apply(deref, each, []) as object);
    },
    memberKey: (ordinal) => (keys[ordinal] ??= Symbol()),
    memberOf,
    membersOf(constructor, members) {
      const found = new Map<number, AnyFunction>();
      const { prototype } = constructor as { prototype: object };
      for (const [ordinal, isStatic, key, kind] of members) {
        const holder = isStatic ? constructor : prototype;
        if (kind === 'private') {
          const accessors = classOf(constructor)?.privates?.[key as string] as PrivateAccessors;
          found.set(ordinal, accessors.get(isStatic ? constructor : createBlank(constructor)) as AnyFunction);
          continue;
        }
        found.set(ordinal, memberOf(holder, key, kind));
        // A temporary key (`memberKey`).
        if (key === keys[ordinal]) Reflect.deleteProperty(holder, key);
      }
      return found;
    },
    stamp,
  };

  /** An object with the instance members of a class, from which its private methods are read. */
  function createBlank(constructor: object): object {
    const isDerived = getPrototypeOf(constructor) !== functionPrototype;
    return stamp(constructor, isDerived ? {} : undefined);
  }
}

function liveRefs(refs: readonly WeakRef<object>[]): WeakRef<object>[] {
  const live: WeakRef<object>[] = [];
  for (let i = 0; i < refs.length; i++) {
    const ref = refs[i] as WeakRef<object>;
    if (apply(deref, ref, []) !== undefined) live[live.length] = ref;
  }
  return live;
}

function blank(type: Constructor): object {
  probe.blank = true;
  try {
    return construct(type, []) as object;
  } finally {
    probe.blank = false;
  }
}
