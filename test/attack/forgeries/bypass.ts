import { it } from 'node:test';
import type { Attack } from '../../support/http/attacked.ts';
import { request } from '../../support/http/request.ts';

export function bypassForgeries(attack: Attack): void {
  const target = attack();

  const headers: Record<string, string> = {
    'X-Forwarded-Uri': '/.well-known/jwks.json',
    'X-Original-URL': '/.well-known/jwks.json',
    'X-Original-URI': '/livez',
    'X-Rewrite-URL': '/livez',
    'X-Forwarded-Path': '/livez',
    'X-Forwarded-Prefix': '/public',
    'X-HTTP-Method-Override': 'OPTIONS',
    'X-HTTP-Method': 'OPTIONS',
    'X-Method-Override': 'POST',
    'X-Forwarded-For': '127.0.0.1',
    'X-Forwarded-Host': 'localhost',
    'X-Forwarded-User': 'admin',
    'X-Auth-Request-User': 'admin',
    'X-Real-IP': '127.0.0.1',
    'X-Internal-Request': 'true',
    Forwarded: 'for=127.0.0.1;proto=https',
    Host: 'localhost',
  };
  for (const [name, value] of Object.entries(headers)) {
    it(`[A51] the header ${name}: ${value} does not replace a token`, async () => {
      await target().refusesRequest(
        () => request(target().url, { headers: { [name]: value } }),
        'token_missing',
        '',
      );
    });
  }

  for (const agent of ['GoogleHC/1.0', 'kube-probe/1.33', 'ELB-HealthChecker/2.0', 'Consul Health Check']) {
    it(`[A51] the user agent ${agent} does not replace a token`, async () => {
      const send = () => request(target().url, { headers: { 'user-agent': agent } });
      await target().refusesRequest(send, 'token_missing', '');
    });
  }
}
