// Programs of fixtures/features that need no client, one for each part of Node.

export const FEATURES: readonly string[] = [
  'files',
  'streams',
  'sockets',
  'web',
  'secure',
  'computing',
  'processes',
  'databases',
  'waiting',
  'input',
  'output',
];

/** Standard input of a program. */
export function featureInput(name: string): { readonly input?: string } {
  return name === 'input' ? { input: 'one\ntwo\n'.repeat(20_000) } : {};
}
