import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createDependencies } from '../../../process/dependencies';
import { counter } from '../../../process/metrics';
import { failedTasksIn, healthPages } from '../../../worker/health';

test('a crowd at the pages asks the dependencies and the SDK once', async () => {
  const asked = { redis: 0, sdk: 0 };
  const count = (name: keyof typeof asked) => (asked[name] += 1);
  const metrics = new Registry();
  const redis = { dependency: 'Redis', answers: () => Promise.resolve(count('redis') > 0) };
  const pageAt = healthPages(createDependencies([redis], metrics), metrics, () =>
    Promise.resolve(`x ${count('sdk')}\n`),
  );
  const crowd = Array.from({ length: 100 }, (_, index) => pageAt(index % 2 === 0 ? '/readyz' : '/metrics'));
  expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(asked).toEqual({ redis: 1, sdk: 1 });
});

test('the failed tasks of every reason are added up, those that Temporal did not take too, and nothing else', () => {
  const metrics = [
    '# HELP temporal_workflow_task_execution_failed_total workflow_task_execution_failed',
    '# TYPE temporal_workflow_task_execution_failed_total counter',
    'temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",task_queue="point-alarm"} 2',
    'temporal_workflow_task_execution_failed_total{failure_reason="WorkflowError",task_queue="a b {c} 7"} 3',
    'point_alarm_rejected_workflow_tasks_total{process="worker"} 4',
    'temporal_workflow_task_execution_failed_of_others{x="y"} 50',
    'temporal_workflow_task_execution_latency_count{x="y"} 50',
  ];
  expect(failedTasksIn(metrics.join('\n'))).toBe(9);
});

test('metrics without failed tasks count none', () => expect(failedTasksIn('')).toBe(0));

test('the pages are served also where the SDK does not answer', async () => {
  const metrics = new Registry();
  counter(metrics, 'point_alarm_rejected_workflow_tasks_total')(2);
  const pageAt = healthPages(createDependencies([], metrics), metrics, () => Promise.reject(new Error('too late')));
  expect(JSON.parse((await pageAt('/readyz')).body ?? '')).toMatchObject({ status: 'ready', failedWorkflowTasks: 2 });
  expect((await pageAt('/metrics')).body).toContain('point_alarm_rejected_workflow_tasks_total 2');
});
