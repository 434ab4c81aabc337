// Where in the graph a refused value is: a search of its own, breadth first, with parents; made only when capture has failed, so that
// capture itself keeps no paths. It looks at descriptors and hidden state, as the writer does, and runs no code of the program.

import { isLeft } from './baseline.ts';
import { HeapError, Refusal } from './heap-error.ts';
import { descriptorOf, isArray, ownKeys, prototypeOf, SafeMap, SafeSet } from './intrinsics.ts';
import { adaptersOf, kindByPrototype, kindOfObject } from './kinds/registry.ts';
import type { Kind } from './kind.ts';
import type { Adapter, HeapPorts, Parts } from './ports.ts';

interface Step {
  readonly parent: unknown;
  readonly label: string;
}

export function pathError(ports: HeapPorts, root: unknown, name: string, refusal: Refusal): HeapError {
  const path = pathTo(ports, root, name, refusal.value) ?? `${name}…`;
  return new HeapError('TT_UNCAPTURABLE', `${path}: ${refusal.reason}; ${refusal.remedy}`);
}

/** `roots.cart.items[3].socket` with `rootName` in front, or nothing if the value cannot be found. */
function pathTo(ports: HeapPorts, root: unknown, rootName: string, wanted: unknown): string | undefined {
  return pathsTo(ports, root, rootName, [wanted])[0];
}

/** The same of several, none of which lies on the way to another. */
export function pathsTo(
  ports: HeapPorts,
  root: unknown,
  rootName: string,
  wanted: readonly unknown[],
): (string | undefined)[] {
  const steps = new SafeMap<unknown, Step>();
  const queue: unknown[] = [];
  const adapters = adaptersOf(ports);
  const ordinals = new SafeMap<string, number>();
  const names = new SafeMap<unknown, string>();
  const isWanted = new SafeSet<unknown>();
  const found = new SafeSet<unknown>();
  for (let i = 0; i < wanted.length; i++) isWanted.add(wanted[i]);

  const visit = (parent: unknown, label: string, value: unknown): void => {
    const isNode =
      (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol';
    if (!isNode || steps.has(value)) return;
    if (isWanted.delete(value)) found.add(value);
    else if (ports.known.nameOf(value as object) !== undefined) return;
    steps.set(value, { parent, label });
    queue[queue.length] = value;
    const name = instanceName(ports, value);
    if (name !== undefined) {
      const ordinal = (ordinals.get(name) ?? 0) + 1;
      ordinals.set(name, ordinal);
      names.set(value, `${name}#${ordinal}`);
    }
  };

  visit(undefined, rootName, root);
  for (const { object, properties } of ports.known.differences()) {
    const name = ports.known.nameOf(object) ?? '?';
    for (const [key, descriptor] of properties) {
      if (descriptor === undefined || isLeft(ports, descriptor)) continue;
      for (const value of [descriptor.value, descriptor.get, descriptor.set])
        visit(undefined, `${name}${keyStep(key)}`, value);
    }
  }
  for (let i = 0; i < queue.length && isWanted.size > 0; i++) {
    const object = queue[i] as object;
    if (typeof object === 'symbol' || found.has(object)) continue;
    edgesOf(ports, adapters, object, (label, value) => visit(object, label, value));
  }
  const paths: (string | undefined)[] = [];
  for (let i = 0; i < wanted.length; i++) paths[i] = pathOf(wanted[i], steps, names);
  return paths;
}

function pathOf(wanted: unknown, steps: SafeMap<unknown, Step>, names: SafeMap<unknown, string>): string | undefined {
  const last = steps.get(wanted);
  if (last === undefined) return undefined;
  let path = '';
  for (let step: Step | undefined = last, value: unknown = wanted; step !== undefined;) {
    path = `${step.label}${path}`;
    value = step.parent;
    if (value === undefined) break;
    step = steps.get(value);
    if (step?.parent === undefined) continue;
    const name = names.get(value);
    // A long path is read from an instance on, not from the root.
    if (name !== undefined && path.length > 400) return `${name}${path}`;
  }
  return path;
}

function edgesOf(
  ports: HeapPorts,
  adapters: readonly Adapter[],
  object: object,
  edge: (label: string, value: unknown) => void,
): void {
  if (ports.external?.(object) !== undefined) return;
  const isProxy = ports.types.isProxy(object);
  const asks = isProxy ? 'proxies' : typeof object === 'function' ? 'functions' : 'objects';
  let isWhole = false;
  for (const adapter of adapters) {
    if (adapter.asks !== asks) continue;
    const parts = taken(adapter, object);
    if (parts === undefined) continue;
    // One that takes what it does not claim has not been asked whether it is its.
    if (parts.whole === true && adapter.claims?.(prototypeOf(object)) === true) isWhole = true;
    parts.header.forEach((value, index) => edge(parts.label?.(index, 'header') ?? ` header ${index}`, value));
    parts.contents.forEach((value, index) => edge(parts.label?.(index, 'contents') ?? ` contents ${index}`, value));
  }
  if (isProxy || isWhole) return;
  let kind: Kind | undefined;
  try {
    kind = typeof object === 'function' ? undefined : kindOfObject(ports, object);
  } catch {
    return;
  }
  kind ??= suggested(ports, object);
  if (kind !== undefined && kind.is(object, ports)) kind.edges?.(object, edge);
  for (const key of ownKeys(object)) {
    if (typeof key === 'string' && isArray(object)) continue;
    const descriptor = descriptorOf(object, key) as PropertyDescriptor;
    const step = keyStep(key);
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
  for (const group of ports.privates?.(prototype) ?? []) {
    edge(' class', group.owner);
    group.read(object)?.forEach((value, index) => edge(`.${group.names?.[index] ?? `#private ${index}`}`, value));
  }
}

/** What would be refused itself leads nowhere. */
function taken(adapter: Adapter, object: object): Parts | undefined {
  try {
    return adapter.take(object);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function suggested(ports: HeapPorts, object: object): Kind | undefined {
  let steps = 0;
  for (
    let each: object | null = prototypeOf(object);
    each !== null && steps < 1000;
    each = prototypeOf(each), steps++
  ) {
    if (ports.types.isProxy(each)) return undefined;
    const kind = kindByPrototype.get(each);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function keyStep(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[Symbol(${key.description ?? ''})]`;
  const text = String(key);
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)) return `.${text}`;
  return /^\d+$/.test(text) ? `[${text}]` : `[${JSON.stringify(text)}]`;
}

/** The class of an instance, from plain data only. */
function instanceName(ports: HeapPorts, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || ports.types.isProxy(value)) return undefined;
  const prototype = prototypeOf(value);
  if (prototype === null || prototype === Object.prototype || ports.types.isProxy(prototype)) return undefined;
  const constructor: unknown = descriptorOf(prototype, 'constructor')?.value;
  if (typeof constructor !== 'function' || ports.types.isProxy(constructor)) return undefined;
  const name: unknown = descriptorOf(constructor, 'name')?.value;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
