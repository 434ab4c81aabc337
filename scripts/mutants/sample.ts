// A seeded sample of mutants over all packages.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../test-run/seeded-random.ts';
import { describeMutation, findMutations, type Mutation } from './mutations.ts';

export interface Mutant {
  readonly package: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly description: string;
  readonly mutation: Mutation;
}

/** Takes the packages in turn, so that each has its share. Mutations of a package are equally likely. */
export function sampleMutants(root: string, packages: readonly string[], seed: number, count: number): Mutant[] {
  const random = seededRandom(seed);
  const mutantsByPackage = packages.map((name) => shuffled(mutantsOf(root, name), random));
  const order = shuffled([...packages.keys()], random);
  const sample: Mutant[] = [];
  for (let round = 0; sample.length < count; round++) {
    const found = order.flatMap((index) => mutantsByPackage[index]?.[round] ?? []);
    if (found.length === 0) break;
    sample.push(...found);
  }
  return sample.slice(0, count);
}

function mutantsOf(root: string, name: string): Mutant[] {
  return globSync(`packages/${name}/src/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.d.ts'))
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return findMutations(file, source).map((mutation) => ({
        package: name,
        file,
        description: `${file}:${describeMutation(source, mutation)}`,
        mutation,
      }));
    });
}

function shuffled<T>(items: T[], random: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}
