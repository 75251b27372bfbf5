import { writeFileSync } from 'node:fs';
import { schemaText } from '../src/operate/declarations.ts';
import { alertsDocument, operationsDocument } from './alerts-document.ts';
import { configDocument } from './config-document.ts';
import { dashboardDocument } from './dashboard-document.ts';
import { errorsDocument } from './errors-document.ts';
import { builtInDocument } from './openapi-document.ts';
import { overviewTypes } from './overview-types.ts';

/** `npm run docs`: writes the documents that are made from the source. test/rules holds them against it. */
writeFileSync(new URL('config.md', import.meta.url), configDocument());
writeFileSync(new URL('errors.md', import.meta.url), errorsDocument());
writeFileSync(new URL('api/openapi.json', import.meta.url), builtInDocument());
writeFileSync(new URL('collection.schema.json', import.meta.url), schemaText());
writeFileSync(new URL('../deploy/grafana/vestibule.json', import.meta.url), dashboardDocument());
writeFileSync(new URL('../deploy/prometheus/alerts.yaml', import.meta.url), alertsDocument());
writeFileSync(new URL('operations.md', import.meta.url), operationsDocument());
writeFileSync(new URL('../web/src/api/overview.ts', import.meta.url), overviewTypes());
