// What this user has opened lately, wherever that was.
import { RecentRecordings } from '@turntable/time-machine/recent';
import { turntableCachePath } from './cache-path.ts';

export function openRecentRecordings(): RecentRecordings {
  return new RecentRecordings(turntableCachePath('recent.json', process.env));
}
