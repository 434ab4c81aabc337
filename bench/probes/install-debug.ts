// For `--import`: the loader as `turntable/register` puts it in, with the code of debug mode.

import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';

install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
