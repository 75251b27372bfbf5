export type { Operation } from './batch.ts';
export { type Client, createClient, type Overview } from './client.ts';
export type { ClientOptions } from './connection.ts';
export { type ClientCode, type FieldError, Problem, type ProblemOf } from './problem.ts';
export type * from './types.ts';
export { etagOf } from './versions.ts';
