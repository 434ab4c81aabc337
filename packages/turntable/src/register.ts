// `node --import turntable/register app.ts`: from here on this thread's program loads transformed. The only module with effects on import.
import { register } from '@turntable/replayer/register';
import { facade } from './facade.ts';

await register(facade);
