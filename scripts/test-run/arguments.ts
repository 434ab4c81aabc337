// Arguments of `npm test`.

export const HELP = `npm test -- [--node MAJOR] [--soak] [--results DIR] [VITEST OPTION…] [PATTERN…]

Runs the test files whose path contains a PATTERN, or all, on each supported Node.js.

  --node MAJOR    run on this version only
  --soak          run the long forms of tests; without PATTERN only files
                  that have one
  --results DIR   write reports and files of failed tests there
                  (default: node_modules/.cache/turntable-tests)
  -t NAME         run only tests whose name matches
  -c, --config FILE
                  use this Vitest configuration

Values of other Vitest options are attached with =, as in --bail=1.
Without PATTERN and --node, each test of a whole program runs on one version only.
A failed file is rerun alone and listed as flaky if that passes.
`;

export interface TestArguments {
  readonly isHelp: boolean;
  readonly isSoak: boolean;
  readonly node: number | undefined;
  readonly results: string | undefined;
  /** Options for Vitest. */
  readonly options: readonly string[];
  readonly patterns: readonly string[];
}

const WITH_VALUE = new Set(['-t', '--testNamePattern', '-c', '--config']);

export function parseTestArguments(args: readonly string[]): TestArguments {
  let [isHelp, isSoak] = [false, false];
  let [node, results]: [number | undefined, string | undefined] = [undefined, undefined];
  const [options, patterns]: [string[], string[]] = [[], []];
  const rest = [...args];
  for (let each = rest.shift(); each !== undefined; each = rest.shift()) {
    if (each === '--help' || each === '-h') isHelp = true;
    else if (each === '--soak') isSoak = true;
    else if (each === '--node') node = Number(rest.shift());
    else if (each === '--results') results = rest.shift();
    else if (WITH_VALUE.has(each)) options.push(each, ...rest.splice(0, 1));
    else if (each.startsWith('-')) options.push(each);
    else patterns.push(each);
  }
  return { isHelp, isSoak, node, results, options, patterns };
}
