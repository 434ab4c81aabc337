// Private fields of objects, by what core knows of their classes: read by the accessors that code in debug mode brings along, which run nothing else of the program's. Private methods
// and accessors hold nothing; an expression may ask for them.
import { types } from 'node:util';
import { Script } from 'node:vm';
import { plainExpression } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import type { PrivateUse } from '@turntable/transform';

type ClassLookup = Pick<Loader['realm'], 'ownerOf' | 'classOf'>;
type RealmClass = Exclude<ReturnType<ClassLookup['classOf']>, undefined>;
type MemberAccessors = Exclude<RealmClass['privates'], null>[string];
const { apply } = Reflect;

/** Names, with `#`, and values; those of the class that comes into being first before others. */
export function privateFields(classes: ClassLookup, object: object): (readonly [name: string, value: unknown])[] {
  const memberLists = classesOf(classes, object).map(({ privates }) =>
    Object.entries(privates ?? {}).flatMap(([name, { field, has, get }]): (readonly [string, unknown])[] =>
      field === true && has(object) ? [[`#${name}`, get(object)]] : [],
    ),
  );
  return memberLists.toReversed().flat();
}

/** By this name the expression asks for them. */
export const READER_NAME = 'tt$private';

const PRIVATE_PATTERN = /#[\p{ID_Start}$_]/u;

/** The same expression as it can be compiled here: it may name private members, and be TypeScript. */
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

/** What an expression asks. Methods and accessors are members as well, and run. */
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

/** That of the class which comes into being last. */
function findPrivateMember(classes: ClassLookup, object: object, name: string): MemberAccessors | undefined {
  for (const { privates } of classesOf(classes, object)) {
    const member = privates && Object.hasOwn(privates, name) ? privates[name] : undefined;
    if (member?.has(object) === true) return member;
  }
  return undefined;
}

/** Its own, if it is one, whose static members it has, and those that it is an object of, the last one first. */
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
