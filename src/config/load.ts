import { OperatorError } from '../base/errors.ts';
import { usualScopeClaims } from '../base/provider-rules.ts';
import { escapeUnseen } from '../base/unicode.ts';
import { withoutSecrets } from '../base/url.ts';
import { readYamlText } from './files.ts';
import { issuersOf, logoutAudiencesOf, type Provider } from './providers.ts';
import { providerRules, type Rule, serviceRules, storageRules } from './rules.ts';
import {
  type Config,
  environmentName,
  keySettings,
  type Setting,
  type StorageConfig,
  serviceSettings,
  settings,
  storageSettings,
  type Values,
  webhookSettings,
} from './settings.ts';

/** Mistakes in the settings file, and misspelt names in the environment, to be reported with all others. */
export const mistakesInFile = Symbol('mistakes in the file of settings');

export type Environment = Readonly<Record<string, string | undefined>> & {
  readonly [mistakesInFile]?: readonly string[] | undefined;
};

/** Reports all mistakes at once, so that the operator can fix them in one go. */
export class SettingsError extends OperatorError {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    // No number: the text about a file may name only its first mistakes.
    const heading = mistakes.length === 1 ? 'There is a mistake' : 'There are mistakes';
    const shown = mistakes.map(escapeUnseen);
    super(`${heading} in the settings:\n${shown.map((mistake) => `  ${mistake}`).join('\n')}`);
    this.mistakes = shown;
  }
}

/** The settings of the running service. Loads the reader of provider lists only if there is a list. */
export async function loadConfig(environment: Environment): Promise<Config> {
  const { values, mistakes } = readEach(settings, environment);
  const config = values as unknown as Config;
  const { providers, mistakes: ofProviders } = await readProviders(config);
  mistakes.push(...ofProviders);
  if (providers === null) Object.defineProperty(values, 'providers', { get: throwUnreadable });
  else values.providers = providers;
  const { brand, mistakes: ofBrand } = await readBrand(config);
  mistakes.push(...ofBrand);
  values.brand = brand;
  return judged(values, mistakes, [...storageRules, ...serviceRules, ...providerRules]) as unknown as Config;
}

/** No providers if a setting that they depend on is invalid. */
async function readProviders(config: Config) {
  try {
    const { idpsFile } = config;
    if (idpsFile === null) return { providers: [onlyProvider(config)], mistakes: [] };
    const { readProvidersFile } = await import('./providers-file.ts');
    // An invalid audience is reported separately and must not hide mistakes in the file.
    const audience = Object.keys(config).includes('apiAudience') ? config.apiAudience : '';
    const { providers, mistakes } = readProvidersFile(
      idpsFile,
      readYamlText('IDPS_FILE', idpsFile),
      audience,
    );
    return { providers: mistakes.length === 0 ? providers : null, mistakes };
  } catch (error) {
    if (error === unreadable) return { providers: null, mistakes: [] };
    if (error instanceof OperatorError) return { providers: null, mistakes: [error.message] };
    throw error;
  }
}

async function readBrand({ brandFile }: Config) {
  if (brandFile === null) return { brand: null, mistakes: [] };
  const { readBrandFile } = await import('./brand-file.ts');
  return readBrandFile(brandFile);
}

/** The provider that the settings describe without IDPS_FILE. */
function onlyProvider(config: Config): Provider {
  const origin = config.idpOrigin ?? '';
  return {
    name: 'provider',
    title: new URL(origin).host,
    origin,
    jwksUrl: `${origin}${config.idpJwksPath}`,
    issuers: issuersOf(origin, config.idpIssuer),
    formerIssuer: config.idpFormerIssuer,
    audiences: [config.apiAudience],
    audienceClaim: 'aud',
    requiredClaims: {},
    allowsNonce: false,
    algorithms: config.allowedAlgorithms,
    requiredScopes: config.idpRequiredScopes,
    scopesFrom: usualScopeClaims,
    requireAtJwt: config.requireAtJwt,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
    webClientId: config.webClientId,
    logoutAudiences: logoutAudiencesOf([], config.webClientId),
    settings: {
      origin: 'IDP_ORIGIN',
      issuer: 'IDP_ISSUER',
      formerIssuer: 'IDP_FORMER_ISSUER',
      jwksPath: 'IDP_JWKS_PATH',
      audience: 'API_AUDIENCE',
      algorithms: 'ALLOWED_ALGORITHMS',
      requiredScopes: 'IDP_REQUIRED_SCOPES',
      requireAtJwt: 'REQUIRE_AT_JWT',
      maxLifetime: 'MAX_TOKEN_LIFETIME_SECONDS',
    },
  };
}

export function loadStorageConfig(environment: Environment): StorageConfig {
  return read(storageSettings, storageRules, environment);
}

export function loadKeyConfig(environment: Environment) {
  return read({ ...storageSettings, ...keySettings }, storageRules, environment);
}

export function loadWebhookConfig(environment: Environment) {
  const { baseUrl, host, port, tlsCertFile } = serviceSettings;
  const table = { ...storageSettings, ...webhookSettings, baseUrl, host, port, tlsCertFile };
  return read(table, storageRules, environment);
}

/** The folder of declarations, the only setting of a command that reads nothing else; null for the default. */
export function loadCollectionsDir(environment: Environment): string | null {
  const { collectionsDir } = serviceSettings;
  return read({ collectionsDir }, [], environment).collectionsDir;
}

export type SettingInForce = ReturnType<typeof settingsInForce>[number];

/** The texts of all settings for display: without secrets. */
export function settingsInForce(environment: Environment) {
  return Object.entries(settings).map(([key, setting]) => {
    const name = environmentName(key);
    const text = environment[name]?.trim();
    if (!text) return { name, value: setting.default, from: 'default' as const };
    const isSecret = setting.secret && !text.startsWith('sqlite:');
    return { name, value: isSecret ? '(secret)' : text, from: 'set' as const };
  });
}

/** Thrown when a rule reads a setting that has no valid value. */
const unreadable = new Error('This setting is wrong.');
const throwUnreadable = () => {
  throw unreadable;
};

function read<Table extends Readonly<Record<string, Setting>>>(
  table: Table,
  rules: readonly Rule[],
  environment: Environment,
) {
  const { values, mistakes } = readEach(table, environment);
  return judged(values, mistakes, rules) as Values<Table>;
}

function readEach(table: Readonly<Record<string, Setting>>, environment: Environment) {
  const values: Record<string, unknown> = {};
  const mistakes = [...(environment[mistakesInFile] ?? [])];
  for (const [key, setting] of Object.entries(table)) {
    try {
      values[key] = readOne(key, setting, environment);
    } catch (error) {
      mistakes.push((error as Error).message);
      Object.defineProperty(values, key, { get: throwUnreadable });
    }
  }
  return { values, mistakes };
}

/** The values, if no rule reports a mistake. */
function judged(values: Record<string, unknown>, mistakes: string[], rules: readonly Rule[]) {
  for (const rule of rules) {
    try {
      const mistake = rule(values as unknown as Config);
      if (mistake) mistakes.push(mistake);
    } catch (error) {
      if (error !== unreadable) throw error;
    }
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return Object.freeze(values);
}

function readOne(key: string, setting: Setting, environment: Environment): unknown {
  const name = environmentName(key);
  // An empty value counts as not set.
  const text = environment[name]?.trim() || setting.default;
  const { required, requiredWithout } = setting;
  const isRequired = required || (requiredWithout !== undefined && !environment[requiredWithout]?.trim());
  if (text === null && isRequired)
    throw new Error(`${name} is not set. ${setting.sentence} Example: ${name}=${setting.example}`);
  try {
    return text === null ? null : setting.parse(text);
  } catch (error) {
    // The value of a secret is not repeated: standard error ends up in logs.
    const found = setting.secret
      ? 'the value is a secret and is not shown'
      : `found "${withoutSecrets(String(text))}"`;
    throw new Error(`${name} ${(error as Error).message}; ${found}. Example: ${name}=${setting.example}`);
  }
}
