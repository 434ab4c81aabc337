// Private fields of objects, found through the classes that core knows. The transform adds functions to classes in
// debug mode that read the fields and run no other code of the program. Private methods and accessors hold no values,
// but expressions can use them.
import { types } from 'node:util';
import { Script } from 'node:vm';
import { plainExpression } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import type { PrivateUse } from '@turntable/transform';

type ClassLookup = Pick<Loader['realm'], 'ownerOf' | 'classOf'>;
type RealmClass = Exclude<ReturnType<ClassLookup['classOf']>, undefined>;
type MemberAccessors = Exclude<RealmClass['privates'], null>[string];
const { apply } = Reflect;

/** Private fields of an object, as names with `#` and values. Fields of base classes come first. */
export function privateFields(classes: ClassLookup, object: object): (readonly [name: string, value: unknown])[] {
  const memberLists = classesOf(classes, object).map(({ privates }) =>
    Object.entries(privates ?? {}).flatMap(([name, { field, has, get }]): (readonly [string, unknown])[] =>
      field === true && has(object) ? [[`#${name}`, get(object)]] : [],
    ),
  );
  return memberLists.toReversed().flat();
}

/** Name of the reader function in compiled expressions. */
export const READER_NAME = 'tt$private';

const PRIVATE_PATTERN = /#[\p{ID_Start}$_]/u;

/** Makes an expression compile outside of its class: private names become reader calls, types are removed. */
export function toCompilable(text: string): string {
  return PRIVATE_PATTERN.test(text) || !isScript(text) ? plainExpression(text, READER_NAME) : text;
}

function isScript(text: string): boolean {
  try {
    return new Script(`(${text}\n)`) instanceof Script;
  } catch {
    return false;
  }
}

/** Creates the function that reads private members for an expression. It runs private methods and accessors. */
export function createPrivateReader(classes: ClassLookup) {
  return (object: unknown, name: string, use: PrivateUse, isOptional: boolean): unknown => {
    if (isOptional && (object === undefined || object === null)) return undefined;
    const member = Object(object) === object ? findPrivateMember(classes, object as object, name.slice(1)) : undefined;
    if (use === 'in') return member !== undefined;
    if (member === undefined) throw new TypeError(`it has no private field ${name}`);
    if (use === 'method')
      return (...args: unknown[]) => apply(member.get(object as object) as () => unknown, object, args);
    if (use === 'value') return member.get(object as object);
    return {
      get v() {
        return member.get(object as object);
      },
      set v(value: unknown) {
        member.set(object as object, value);
      },
    };
  };
}

/** The private member of that name in the most derived class that has one. */
function findPrivateMember(classes: ClassLookup, object: object, name: string): MemberAccessors | undefined {
  for (const { privates } of classesOf(classes, object)) {
    const member = privates && Object.hasOwn(privates, name) ? privates[name] : undefined;
    if (member?.has(object) === true) return member;
  }
  return undefined;
}

/** Classes of an instance, most derived first. For a class, the class itself comes first, for its static members. */
function classesOf({ ownerOf, classOf }: ClassLookup, object: object): RealmClass[] {
  const classes: (RealmClass | undefined)[] = [classOf(object)];
  let current: object | null = object;
  while (current !== null && !types.isProxy(current)) {
    current = Object.getPrototypeOf(current) as object | null;
    const owner = current === null || types.isProxy(current) ? undefined : ownerOf(current);
    classes.push(owner && classOf(owner));
  }
  return classes.filter((each) => each !== undefined);
}
