// This package as `@turntable/replayer` needs it, and the files that its own threads start with.
import { ownProgram, type Facade } from '@turntable/replayer/entry';

export const QUERY_THREAD: URL = ownProgram('query-thread', import.meta.url);

export const facade: Facade = {
  register: ownProgram('register', import.meta.url),
  index: ownProgram('index', import.meta.url),
  load: async () => {
    const [exports, { appDoor }] = await Promise.all([import('./index.ts'), import('./app-door.ts')]);
    return { exports, app: appDoor };
  },
};
