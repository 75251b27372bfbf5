import { execFile, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);

type EngineName = 'docker' | 'podman';

/** Docker or Podman: the same commands, but for what podman adds below. Podman builds with Buildah, which it contains. */
export class Engine {
  readonly name: EngineName;

  private constructor(name: EngineName) {
    this.name = name;
  }

  /** The first that works. A docker command without its daemon does not. */
  static async find(): Promise<Engine> {
    for (const name of ['docker', 'podman'] as const)
      if (await run(name, ['info']).catch(() => null)) return new Engine(name);
    throw new Error(
      'No container engine works here; the image needs one. Start Docker, or install Podman, for example: apt-get install podman runc',
    );
  }

  async ask(...parameters: readonly string[]): Promise<string> {
    const { stdout } = await run(this.name, parameters, { maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  }

  async inspect(kind: 'container' | 'image', name: string): Promise<Inspected> {
    return JSON.parse(await this.ask(kind, 'inspect', name))[0];
  }

  /** Builds what the Dockerfile says. `base` is an image of this machine, used in place of the one in `FROM`. */
  async build(image: string, dockerfile: string, from: string, base: string | null): Promise<void> {
    // A chroot needs fewer rights than a container. OCI images have no health check, which Docker's own format has.
    const isolation = ['--isolation=chroot', '--network=host'];
    const own = ['--format=docker', ...isolation, `--ignorefile=${dockerfile}.dockerignore`];
    const parameters = [
      'build',
      ...(this.name === 'podman' ? own : []),
      ...(base === null ? [] : ['--build-context', `${from}=docker-image://${base}`]),
      `--file=${dockerfile}`,
      `--tag=${image}`,
      '.',
    ];
    const child = spawn(this.name, parameters, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    if (code !== 0)
      throw new Error(`${this.name} build failed; every step was expected to succeed:\n${output}${errors}`);
  }

  async start(image: string, flags: readonly string[]): Promise<string> {
    // Docker mounts no more than it is asked to. Without systemd Podman cannot start the timer of a health check.
    const own = ['--read-only-tmpfs=false', '--health-interval=disable'];
    // Without CAP_SYS_RESOURCE, the engine cannot raise the limits of this process to its defaults.
    const limits = ['--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096'];
    const all = [...limits, ...(this.name === 'podman' ? own : []), ...flags];
    return this.ask('run', '--detach', '--network=host', ...all, image);
  }
}

/** What both engines answer, of what is read here. */
interface Inspected {
  readonly Size: number;
  readonly Config: { readonly Healthcheck: { readonly Test: readonly string[] } };
  readonly State: { readonly Running: boolean; readonly ExitCode: number };
}
