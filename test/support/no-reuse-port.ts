import { Server } from 'node:net';

/** Loaded before the service: the system has no SO_REUSEPORT. */
const { listen } = Server.prototype;
Server.prototype.listen = function listenOrFail(this: Server, ...parameters: unknown[]) {
  const [where] = parameters;
  if (typeof where === 'object' && where !== null && 'reusePort' in where && where.reusePort === true) {
    const error = Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' });
    process.nextTick(() => this.emit('error', error));
    return this;
  }
  return listen.apply(this, parameters as Parameters<typeof listen>);
} as typeof listen;
