// Path from the root to a refused value. A breadth-first search after a failed capture finds it, so that captures keep
// no paths. Like the writer, it reads descriptors and hidden state, and runs no program code.

import { isOmittedProperty } from './baseline.ts';
import { HeapError, CaptureRefusal } from './heap-error.ts';
import { descriptorOf, isArray, ownKeys, prototypeOf, SafeMap, SafeSet } from './intrinsics.ts';
import { createAdapters, kindByPrototype, kindOfObject } from './kinds/registry.ts';
import type { ObjectKind } from './object-kind.ts';
import type { ObjectAdapter, HeapPorts, ObjectParts } from './ports.ts';

interface PathStep {
  readonly parent: unknown;
  readonly label: string;
}

export function uncapturableError(ports: HeapPorts, root: unknown, name: string, refusal: CaptureRefusal): HeapError {
  const path = pathTo(ports, root, name, refusal.value) ?? `${name}…`;
  return new HeapError('TT_UNCAPTURABLE', `${path}: ${refusal.reason}; ${refusal.remedy}`);
}

/** Returns a path like `roots.cart.items[3].socket`, or undefined if the value is not found. */
function pathTo(ports: HeapPorts, root: unknown, rootName: string, target: unknown): string | undefined {
  return pathsTo(ports, root, rootName, [target])[0];
}

/** Returns the paths of several values. No value may be on the path to another one. */
export function pathsTo(
  ports: HeapPorts,
  root: unknown,
  rootName: string,
  targets: readonly unknown[],
): (string | undefined)[] {
  const steps = new SafeMap<unknown, PathStep>();
  const queue: unknown[] = [];
  const adapters = createAdapters(ports);
  const ordinals = new SafeMap<string, number>();
  const names = new SafeMap<unknown, string>();
  const remainingTargets = new SafeSet<unknown>();
  const foundTargets = new SafeSet<unknown>();
  for (let i = 0; i < targets.length; i++) remainingTargets.add(targets[i]);

  const visit = (parent: unknown, label: string, value: unknown): void => {
    const isNode =
      (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol';
    if (!isNode || steps.has(value)) return;
    if (remainingTargets.delete(value)) foundTargets.add(value);
    else if (ports.known.nameOf(value as object) !== undefined) return;
    steps.set(value, { parent, label });
    queue[queue.length] = value;
    const name = instanceClassName(ports, value);
    if (name !== undefined) {
      const ordinal = (ordinals.get(name) ?? 0) + 1;
      ordinals.set(name, ordinal);
      names.set(value, `${name}#${ordinal}`);
    }
  };

  visit(undefined, rootName, root);
  for (const { object, properties } of ports.known.changes()) {
    const name = ports.known.nameOf(object) ?? '?';
    for (const [key, descriptor] of properties) {
      if (descriptor === undefined || isOmittedProperty(ports, descriptor)) continue;
      for (const value of [descriptor.value, descriptor.get, descriptor.set])
        visit(undefined, `${name}${formatKey(key)}`, value);
    }
  }
  for (let i = 0; i < queue.length && remainingTargets.size > 0; i++) {
    const object = queue[i] as object;
    if (typeof object === 'symbol' || foundTargets.has(object)) continue;
    visitEdges(ports, adapters, object, (label, value) => visit(object, label, value));
  }
  const paths: (string | undefined)[] = [];
  for (let i = 0; i < targets.length; i++) paths[i] = formatPath(targets[i], steps, names);
  return paths;
}

type Steps = SafeMap<unknown, PathStep>;

function formatPath(target: unknown, steps: Steps, names: SafeMap<unknown, string>): string | undefined {
  const targetStep = steps.get(target);
  if (targetStep === undefined) return undefined;
  let path = '';
  for (let step: PathStep | undefined = targetStep, value: unknown = target; step !== undefined;) {
    path = `${step.label}${path}`;
    value = step.parent;
    if (value === undefined) break;
    step = steps.get(value);
    if (step?.parent === undefined) continue;
    const name = names.get(value);
    // A long path starts at an instance instead of the root.
    if (name !== undefined && path.length > 400) return `${name}${path}`;
  }
  return path;
}

function visitEdges(
  ports: HeapPorts,
  adapters: readonly ObjectAdapter[],
  object: object,
  edge: (label: string, value: unknown) => void,
): void {
  if (ports.describeExternal?.(object) !== undefined) return;
  const isProxy = ports.types.isProxy(object);
  const appliesTo = isProxy ? 'proxies' : typeof object === 'function' ? 'functions' : 'objects';
  let isComplete = false;
  for (const adapter of adapters) {
    if (adapter.appliesTo !== appliesTo) continue;
    const parts = tryTakeApart(adapter, object);
    if (parts === undefined) continue;
    // An adapter that claims the prototype and takes all of the object's state apart leaves nothing to visit below.
    if (parts.isComplete === true && adapter.matchesPrototype?.(prototypeOf(object)) === true) isComplete = true;
    parts.header.forEach((value, index) => edge(parts.label?.(index, 'header') ?? ` header ${index}`, value));
    parts.contents.forEach((value, index) => edge(parts.label?.(index, 'contents') ?? ` contents ${index}`, value));
  }
  if (isProxy || isComplete) return;
  let kind: ObjectKind | undefined;
  try {
    kind = typeof object === 'function' ? undefined : kindOfObject(ports, object);
  } catch {
    return;
  }
  kind ??= kindSuggestedByPrototype(ports, object);
  if (kind !== undefined && kind.matches(object, ports)) kind.edges?.(object, edge);
  for (const key of ownKeys(object)) {
    if (typeof key === 'string' && isArray(object)) continue;
    const descriptor = descriptorOf(object, key) as PropertyDescriptor;
    const step = formatKey(key);
    if (typeof key === 'symbol') edge(` key ${step}`, key);
    if ('value' in descriptor) edge(step, descriptor.value);
    else {
      edge(`${step} (getter)`, descriptor.get);
      edge(`${step} (setter)`, descriptor.set);
    }
  }
  const prototype = prototypeOf(object);
  edge('.[[Prototype]]', prototype);
  if (prototype === null) return;
  for (const members of ports.privateMembersOf?.(prototype) ?? []) {
    edge(' class', members.owner);
    members.read(object)?.forEach((value, index) => edge(`.${members.names?.[index] ?? `#private ${index}`}`, value));
  }
}

/** Takes an object apart; undefined if the adapter refuses it or does not apply. */
function tryTakeApart(adapter: ObjectAdapter, object: object): ObjectParts | undefined {
  try {
    return adapter.takeApart(object);
  } catch (error) {
    if (error instanceof CaptureRefusal) return undefined;
    throw error;
  }
}

function kindSuggestedByPrototype(ports: HeapPorts, object: object): ObjectKind | undefined {
  let steps = 0;
  for (
    let ancestor: object | null = prototypeOf(object);
    ancestor !== null && steps < 1000;
    ancestor = prototypeOf(ancestor), steps++
  ) {
    if (ports.types.isProxy(ancestor)) return undefined;
    const kind = kindByPrototype.get(ancestor);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function formatKey(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[Symbol(${key.description ?? ''})]`;
  const keyString = String(key);
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(keyString)) return `.${keyString}`;
  return /^\d+$/.test(keyString) ? `[${keyString}]` : `[${JSON.stringify(keyString)}]`;
}

/** Returns the class name of an instance, reading only plain data. */
function instanceClassName(ports: HeapPorts, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || ports.types.isProxy(value)) return undefined;
  const prototype = prototypeOf(value);
  if (prototype === null || prototype === Object.prototype || ports.types.isProxy(prototype)) return undefined;
  const constructor: unknown = descriptorOf(prototype, 'constructor')?.value;
  if (typeof constructor !== 'function' || ports.types.isProxy(constructor)) return undefined;
  const name: unknown = descriptorOf(constructor, 'name')?.value;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
