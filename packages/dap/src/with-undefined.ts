// The fields of a protocol message, where optional fields may also be undefined: JSON omits undefined fields.
export type WithUndefined<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };
