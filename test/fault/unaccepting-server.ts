import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const program = `
  const server = require('node:net').createServer();
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));
`;

/**
 * A stopped server whose accept queue is full: new connections wait for ever, as behind a firewall
 * that drops packets.
 */
export async function startUnacceptingServer() {
  const child = spawn(process.execPath, ['-e', program]);
  const [port] = (await once(child.stdout, 'data')).map((chunk) => Number(String(chunk)));
  child.kill('SIGSTOP');
  const queue: Socket[] = Array.from({ length: 8 }, () => {
    const socket = connect(port as number, '127.0.0.1');
    socket.on('error', () => {});
    return socket.unref();
  });
  await Promise.race(queue.map((socket) => once(socket, 'connect')));
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      for (const socket of queue) socket.destroy();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
