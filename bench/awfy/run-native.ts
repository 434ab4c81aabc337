// The baseline: the program as Node itself loads it, types stripped and nothing else.

import type { ProgramModule } from './catalog.ts';

export async function loadNative(file: URL): Promise<ProgramModule> {
  return (await import(file.href)) as ProgramModule;
}
