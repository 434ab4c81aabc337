// The desktop's recent recordings. Pages receive only paths, names and times.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { RecentRecordings } from '@turntable/time-machine/recent';
import type { WindowState } from '../bridge.ts';

export class DesktopRecents extends RecentRecordings {
  entries(): WindowState['recent'] {
    return this.list().map(({ path, openedAt: time }) => ({
      path,
      name: basename(path),
      time,
      exists: existsSync(path),
    }));
  }

  has(path: string): boolean {
    return this.list().some((each) => each.path === path);
  }
}
