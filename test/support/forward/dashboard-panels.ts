import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../dev/stack/project-root';

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly title: string;
    readonly targets: ReadonlyArray<{ readonly rawSql: string }>;
  }>;
}

/** What each panel of deploy/grafana/`file` asks of the journal, of the time from `since` to `until`, both SQL. */
export const dashboardPanels = (file: string, since: string, until: string) => {
  const { panels } = JSON.parse(readFileSync(join(projectRoot, 'deploy/grafana', file), 'utf8')) as Dashboard;
  return panels.map(({ title, targets: [target] }) => ({
    title,
    sql: (target?.rawSql ?? '')
      .replaceAll('$__timeFilter(at)', `at BETWEEN ${since} AND ${until}`)
      .replaceAll('$__timeGroupAlias(at, $__interval)', `date_trunc('hour', at) AS "time"`)
      .replaceAll('$__timeFrom()', since)
      .replaceAll('$__timeTo()', until),
  }));
};
