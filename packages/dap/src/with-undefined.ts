// A protocol message whose optional fields may also be undefined: JSON leaves those out.
export type WithUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };
