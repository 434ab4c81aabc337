// Private members that classes of the program's have put on a handle: such a class extends one from outside, its instances stand there, and what the program
// has of one carries what no Proxy passes on. In a state they come behind the handle's prototype, class by class: the class itself, how many, and of each its
// name and its value.

export interface ClassPrivateMembers {
  readonly owner: object;
  readonly names: readonly unknown[];
  readonly values: readonly unknown[];
}

export function encodeMembers(classes: readonly ClassPrivateMembers[]): unknown[] {
  return classes.flatMap(({ owner, names, values }) => [
    owner,
    values.length,
    ...values.flatMap((value, i) => [names[i], value]),
  ]);
}

/** What these contents are called in a path. */
export function memberLabels(classes: readonly ClassPrivateMembers[]): string[] {
  return classes.flatMap(({ names }) => [' class', '', ...names.flatMap((name) => ['', `.${String(name)}`])]);
}

export function decodeMembers(contents: readonly unknown[]): ClassPrivateMembers[] {
  const classes: ClassPrivateMembers[] = [];
  for (let i = 0; i < contents.length;) {
    const [owner, count] = contents.slice(i, i + 2);
    const isWhole = typeof count === 'number' && Number.isInteger(count) && count >= 0;
    if ((typeof owner !== 'function' && typeof owner !== 'object') || owner === null || !isWhole)
      throw new TypeError('private members of a handle come class by class');
    const end = i + 2 + 2 * count;
    const members = contents.slice(i + 2, end);
    if (members.length !== 2 * count) throw new TypeError('private members of a handle have names and values');
    classes.push({
      owner,
      names: members.filter((_, at) => at % 2 === 0),
      values: members.filter((_, at) => at % 2 === 1),
    });
    i = end;
  }
  return classes;
}
