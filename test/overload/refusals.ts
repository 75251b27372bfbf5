import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { openMany, RawConnection } from '../support/load/raw-connection.ts';

/**
 * Connections that send requests with a bad token one behind the other, as fast as they are accepted, and reconnect when
 * they are cut off. A process of its own, so that it takes no CPU time from the measurement: <origin> <connections>.
 */
const file = fileURLToPath(import.meta.url);

export async function startRefusals(origin: string, connections: number): Promise<ChildProcess> {
  const child = spawn('nice', ['-n', '10', process.execPath, file, origin, String(connections)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

const inOnePacket = 200;
const refused = 'GET /api/consumer/v1/me HTTP/1.1\r\nhost: a\r\nauthorization: Bearer abc\r\n\r\n';

if (argv[1] === file) {
  const [origin = '', connections = '0'] = argv.slice(2);
  const bytes = refused.repeat(inOnePacket);
  let answers = 0;
  const flood = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(origin, '127.0.0.2', () => {
      answers += 1;
    });
    const pour = () => {
      while (connection.send(bytes, 0));
    };
    connection.socket.on('drain', pour);
    connection.socket.on('close', () => setTimeout(() => flood().catch(() => {}), 50));
    pour();
    return connection;
  };
  await openMany(Number(connections), flood);
  console.log('flooding');
  process.on('SIGTERM', () => {
    console.log(`${answers} refusals`);
    process.exit();
  });
}
