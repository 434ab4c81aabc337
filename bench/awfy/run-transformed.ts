// The other side: the program as the transform rewrites it, on a realm of core.

import type { ProgramModule } from './catalog.ts';

export async function loadTransformed(file: URL): Promise<ProgramModule> {
  throw new Error(`cannot load ${file.pathname} transformed: the transform is not there yet`);
}
