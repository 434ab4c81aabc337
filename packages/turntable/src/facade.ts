// The replayer's `Facade` for this package, and the entry files of this package's threads.
import { programFileUrl, type Facade } from '@turntable/replayer/entry';

export const QUERY_THREAD_URL: URL = programFileUrl('query-thread', import.meta.url);

export const facade: Facade = {
  register: programFileUrl('register', import.meta.url),
  index: programFileUrl('index', import.meta.url),
  load: async () => {
    const [exports, { processApp: appDoor }] = await Promise.all([import('./index.ts'), import('./app.ts')]);
    return { exports, app: appDoor };
  },
};
