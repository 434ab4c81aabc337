// Resources that this process uses, read with Node's original functions: those that the program sees record their
// results.
import { nativeFunctionOf } from '@turntable/loader';
import v8 from 'node:v8';

const now = (nativeFunctionOf(performance.now) ?? performance.now) as typeof performance.now;
const getHeapStatistics = (nativeFunctionOf(v8.getHeapStatistics) ??
  v8.getHeapStatistics) as typeof v8.getHeapStatistics;
const cpuUsage = (nativeFunctionOf(process.cpuUsage) ?? process.cpuUsage) as typeof process.cpuUsage;

/** Time since the start of the process, in milliseconds. */
export function processNow(): number {
  return now.call(performance);
}

/** Processor time of this process, all threads together. */
export function processCpuMs(): number {
  const { user, system } = cpuUsage.call(process);
  return (user + system) / 1000;
}

export function usedHeapBytes(): number {
  return getHeapStatistics().used_heap_size;
}
