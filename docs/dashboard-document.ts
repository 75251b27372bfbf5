import { type Panel, rows } from './dashboard-panels.ts';

const source = { type: 'prometheus', uid: '$source' };
const [width, height] = [8, 7];

/** deploy/grafana/vestibule.json: rows of three graphs each, and a choice of data source, job and process. */
export function dashboardDocument(): string {
  const panels: object[] = [];
  let y = 0;
  for (const [title, graphs] of Object.entries(rows)) {
    panels.push({ id: panels.length + 1, type: 'row', title, gridPos: { x: 0, y, w: 24, h: 1 } });
    graphs.forEach((graph, index) => {
      const place = { x: (index % 3) * width, y: y + 1 + Math.floor(index / 3) * height };
      panels.push(panelOf(graph, panels.length + 1, { ...place, w: width, h: height }));
    });
    y += 1 + Math.ceil(graphs.length / 3) * height;
  }
  const choose = (name: string, query: string) => ({
    name,
    type: 'query',
    datasource: source,
    query: { query, refId: name },
    includeAll: true,
    multi: true,
    allValue: '.*',
    refresh: 2,
  });
  const dashboard = {
    title: 'Vestibule',
    uid: 'vestibule',
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'source', type: 'datasource', query: 'prometheus' },
        choose('job', 'label_values(vestibule_build_info, job)'),
        choose('instance', 'label_values(vestibule_build_info{job=~"$job"}, instance)'),
      ],
    },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function panelOf({ title, unit, lines }: Panel, id: number, gridPos: object) {
  const targets = lines.map(([expr, legendFormat], index) => {
    return { refId: String.fromCharCode(65 + index), datasource: source, expr, legendFormat };
  });
  return {
    id,
    type: 'timeseries',
    title,
    datasource: source,
    gridPos,
    fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10 } }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets,
  };
}
