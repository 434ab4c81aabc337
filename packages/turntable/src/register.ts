// `node --import turntable/register app.ts` installs the loader in this thread. Only this module has effects on import.
import { register } from '@turntable/replayer/register';
import { facade } from './facade.ts';

await register(facade);
