// For `--import`: installs the loader like `turntable/register`, with the transform of debug mode.

import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';

install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
