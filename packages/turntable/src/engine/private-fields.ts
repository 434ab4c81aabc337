// Private fields of objects, by what core knows of their classes: read by the accessors that code in debug mode brings along, which run nothing else of the program's. Private methods
// and accessors hold nothing.
import { types } from 'node:util';
import type { Loader } from '@turntable/loader';

type Classes = Pick<Loader['realm'], 'ownerOf' | 'classOf'>;

/** Names, with `#`, and values; those of the class that comes into being first before others. */
export function privateFields(classes: Classes, object: object): (readonly [name: string, value: unknown])[] {
  const found: (readonly [string, unknown])[][] = [];
  for (
    let at = types.isProxy(object) ? null : (Object.getPrototypeOf(object) as object | null);
    at !== null && !types.isProxy(at);
    at = Object.getPrototypeOf(at) as object | null
  ) {
    const owner = classes.ownerOf(at);
    const { privates } = (owner && classes.classOf(owner)) ?? {};
    const own = Object.entries(privates ?? {}).flatMap(([name, { field, has, get }]): (readonly [string, unknown])[] =>
      field === true && has(object) ? [[`#${name}`, get(object)]] : [],
    );
    found.push(own);
  }
  return found.toReversed().flat();
}

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const CHAIN = new RegExp(
  String.raw`((?:tt\$private\([^()]*(?:\([^()]*\))?[^()]*\)|\b${NAME})(?:\.${NAME})*)\.#(${NAME})`,
  'u',
);
/** By this name the expression asks for them. */
export const READER = 'tt$private';

/** The same expression, in which a chain of names that leads to a private field asks for it. */
export function withPrivateReads(text: string): string {
  let read = text;
  for (let next = read.replace(CHAIN, `${READER}($1, '#$2')`); next !== read;) {
    read = next;
    next = read.replace(CHAIN, `${READER}($1, '#$2')`);
  }
  return read;
}

export function privateReader(classes: Classes): (object: object, name: string) => unknown {
  return (object, name) => {
    const found =
      Object(object) === object ? privateFields(classes, object).findLast(([each]) => each === name) : undefined;
    if (found === undefined) throw new TypeError(`it has no private field ${name}`);
    return found[1];
  };
}
