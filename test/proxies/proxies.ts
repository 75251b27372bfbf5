import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { writeTlsFiles } from '../support/http/tls-files.ts';
import { until } from '../support/run/polling.ts';
import { freePort } from '../support/run/ports.ts';
import { findProgram } from '../support/run/programs.ts';
import type { Service } from '../support/services/service.ts';

/** A proxy with a configuration of docs/proxies, in front of a running service. */
export interface RunningProxy {
  readonly httpsUrl: string;
  readonly httpUrl: string;
  /** Of the authority that its callers trust. */
  readonly certificate: string;
  stop(): Promise<void>;
}

export const proxyNames = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** Where everything of one proxy is on this machine. */
interface Place extends Tls {
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly serviceHost: string;
  readonly opsPort: string;
  readonly more: readonly Service[];
}

type Tls = Awaited<ReturnType<typeof writeTlsFiles>>;

/** HAProxy may have `more` services behind it. */
export async function startProxy(
  name: ProxyName,
  service: Service,
  more: readonly Service[] = [],
): Promise<RunningProxy> {
  const folder = `${service.settings.TEST_DIRECTORY}/${name}`;
  mkdirSync(folder);
  const tls = await writeTlsFiles(folder);
  const place: Place = {
    ...tls,
    folder,
    httpPort: await freePort(),
    httpsPort: await freePort(),
    serviceHost: new URL(service.url).host,
    opsPort: new URL(service.opsUrl).port,
    more,
  };
  const parameters = prepare[name](place);
  // Caddy keeps what it knows of certificates in the home of its user.
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(await findProgram(name), parameters, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  const stop = () => end(child, tls);
  try {
    for (const port of [place.httpPort, place.httpsPort]) {
      const isUp = async () => child.exitCode !== null || (await isOpen(port));
      await until(isUp, Boolean, `${name} does not listen: ${said}`);
    }
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${said}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    httpsUrl: `https://127.0.0.1:${place.httpsPort}`,
    httpUrl: `http://127.0.0.1:${place.httpPort}`,
    certificate: tls.certificate,
    stop,
  };
}

/** The documented file, with the paths and ports of this test. */
function placed(file: string, replacements: Readonly<Record<string, string>>): string {
  let text = readFileSync(file, 'utf8');
  for (const [documented, actual] of Object.entries(replacements)) {
    if (!text.includes(documented)) throw new Error(`${file} does not say "${documented}" any more`);
    text = text.replaceAll(documented, actual);
  }
  return text;
}

function prepareNginx({ folder, httpPort, httpsPort, ...place }: Place): string[] {
  const site = placed('docs/proxies/nginx.conf', {
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen 443 ssl': `listen 127.0.0.1:${httpsPort} ssl`,
    'server 127.0.0.1:8080': `server ${place.serviceHost}`,
    '/etc/ssl/api.example.org.crt': place.certificateFile,
    '/etc/ssl/api.example.org.key': place.keyFile,
    '/var/log/nginx/vestibule.log': `${folder}/site.log`,
  });
  writeFileSync(`${folder}/site.conf`, site);
  // The surroundings of the site in Debian's nginx.conf, with our own paths.
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((what) => `${what}_temp_path ${folder}/${what};`).join('\n');
  writeFileSync(
    `${folder}/nginx.conf`,
    `pid ${folder}/nginx.pid;\nworker_processes 1;\nevents {}\nhttp {\n${paths}\ninclude ${folder}/site.conf;\n}\n`,
  );
  return ['-p', folder, '-c', `${folder}/nginx.conf`, '-e', `${folder}/start.log`, '-g', 'daemon off;'];
}

function prepareHaproxy({ folder, httpPort, httpsPort, ...place }: Place): string[] {
  const pem = `${folder}/api.example.org.pem`;
  writeFileSync(pem, `${place.certificate}\n${readFileSync(place.keyFile, 'utf8')}`);
  const mayChangeUser = process.getuid?.() === 0;
  const configuration = placed('docs/proxies/haproxy.cfg', {
    'bind :80\n': `bind 127.0.0.1:${httpPort}\n`,
    'bind :443 ': `bind 127.0.0.1:${httpsPort} `,
    'server one 127.0.0.1:8080': `server one ${place.serviceHost}`,
    'port 8081': `port ${place.opsPort}`,
    '/etc/haproxy/api.example.org.pem': pem,
    ...(mayChangeUser ? {} : { 'user haproxy': '', 'group haproxy': '' }),
  });
  const others = place.more.map(
    ({ url, opsUrl }, index) =>
      `    server other${index} ${new URL(url).host} port ${new URL(opsUrl).port}\n`,
  );
  writeFileSync(`${folder}/haproxy.cfg`, `${configuration}${others.join('')}`);
  return ['-db', '-f', `${folder}/haproxy.cfg`];
}

function prepareCaddy({ folder, httpPort, httpsPort, ...place }: Place): string[] {
  const configuration = placed('docs/proxies/Caddyfile', {
    'https://api.example.org {': `https://127.0.0.1:${httpsPort} {\n\tbind 127.0.0.1\n\ttls ${place.certificateFile} ${place.keyFile}`,
    'http://api.example.org {': `http://127.0.0.1:${httpPort} {\n\tbind 127.0.0.1`,
    // The admin port is the same for every Caddy on a machine.
    auto_https: 'admin off\n\tauto_https',
    '127.0.0.1:8080': place.serviceHost,
  });
  writeFileSync(`${folder}/Caddyfile`, configuration);
  return ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`];
}

const prepare = { nginx: prepareNginx, haproxy: prepareHaproxy, caddy: prepareCaddy };

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return open;
}

/** Stops the proxy and removes its TLS keys, because test/after searches what a run leaves. */
async function end(child: ChildProcess, tls: Tls): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  tls.remove();
  rmSync(tls.keyFile.replace('tls.key', 'api.example.org.pem'), { force: true });
}
