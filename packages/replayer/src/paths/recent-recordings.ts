// Recordings that this user has opened recently, from any directory.
import { RecentRecordings } from '@turntable/time-machine/recent';
import { turntableCachePath } from './cache-path.ts';

export function openRecentRecordings(): RecentRecordings {
  return new RecentRecordings(turntableCachePath('recent.json', process.env));
}
