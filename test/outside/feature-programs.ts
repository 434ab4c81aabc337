// The programs of fixtures/features that run by themselves, one for each part of Node.

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

/** What one of them reads from standard input, if it does. */
export function featureInput(name: string): { readonly input?: string } {
  return name === 'input' ? { input: 'one\ntwo\n'.repeat(20_000) } : {};
}
