// Private members that the program's classes have added to handles. Such a class extends a host class; its private
// members are on the program's proxy. A state lists them after the handle's prototype, class by class: the class, the
// number of members, and the name and value of each.

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

/** The labels of the encoded contents in paths. */
export function memberLabels(classes: readonly ClassPrivateMembers[]): string[] {
  return classes.flatMap(({ names }) => [' class', '', ...names.flatMap((name) => ['', `.${String(name)}`])]);
}

export function decodeMembers(contents: readonly unknown[]): ClassPrivateMembers[] {
  const classes: ClassPrivateMembers[] = [];
  for (let i = 0; i < contents.length;) {
    const [owner, count] = contents.slice(i, i + 2);
    const isWhole = typeof count === 'number' && Number.isInteger(count) && count >= 0;
    if ((typeof owner !== 'function' && typeof owner !== 'object') || owner === null || !isWhole)
      throw new TypeError('expected the private members of a handle by class');
    const end = i + 2 + 2 * count;
    const members = contents.slice(i + 2, end);
    if (members.length !== 2 * count) throw new TypeError('expected names and values of private members of a handle');
    classes.push({
      owner,
      names: members.filter((_, at) => at % 2 === 0),
      values: members.filter((_, at) => at % 2 === 1),
    });
    i = end;
  }
  return classes;
}
