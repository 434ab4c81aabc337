// Messages of the protocol as they are made here: what is not said may also be undefined, which JSON leaves out.
export type WithUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };
