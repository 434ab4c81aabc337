// For `--import`: the loader as `turntable/register` puts it in, with the code of debug mode.

import { createLoaderRealm, debugTransform, install, loaderOptions, transformer } from '@turntable/loader';

install(transformer, createLoaderRealm(debugTransform), loaderOptions({ debug: true }));
