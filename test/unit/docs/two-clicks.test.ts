import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../stack/project-root';

/** The pages that `page` links to, below the project's folder. */
const linkedFrom = (page: string): ReadonlyArray<string> =>
  [...readFileSync(join(projectRoot, page), 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)]
    .map(([, target = '']) => relative(projectRoot, resolve(projectRoot, dirname(page), target)))
    .filter((target) => target.endsWith('.md') && existsSync(join(projectRoot, target)));

test('every page of the documents is two clicks from the README', () => {
  const first = linkedFrom('README.md');
  const reached = new Set([...first, ...first.flatMap(linkedFrom)]);
  const pages = ['docs', 'docs/runbook'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

/** What readers of each kind asked, and words of the answer on the page where they find it. */
const questions: ReadonlyArray<readonly [reader: string, question: string, page: string, answer: string]> = [
  ['deciding', 'What is it?', 'README.md', 'an alarm threshold and an alarm status'],
  ['deciding', 'What do I need to run it?', 'README.md', 'You need Node 20.19 or newer'],
  ['deciding', 'How fast is it?', 'README.md', 'measurements per second'],
  ['deciding', 'When should I not use it?', 'README.md', 'Not for machine protection'],
  ['deciding', 'Is it mature?', 'README.md', '## Maturity'],
  ['deciding', 'What licence has it?', 'README.md', '[MIT](LICENSE)'],
  [
    'deciding',
    'What was decided where the specification is silent?',
    'docs/decisions.md',
    '| Not shown | Decided | Because |',
  ],
  ['deciding', 'What guards it?', 'SECURITY.md', '## Who may reach what'],
  ['deciding', 'What stays compatible?', 'docs/upgrades.md', '## What stays compatible'],
  ['deciding', 'What is promised, and tested?', 'docs/reliability.md', '## What was tested'],
  ['REST developer', 'How do I get a token to try?', 'docs/getting-started.md', 'npm run -s token'],
  [
    'REST developer',
    'Which call sets a threshold?',
    'docs/getting-started.md',
    '-X PUT $API/point-alarm-threshold/$NODE',
  ],
  ['REST developer', 'How do I change one limit?', 'docs/getting-started.md', '-X PATCH'],
  ['REST developer', 'What do errors look like?', 'docs/errors.md', 'application/problem+json'],
  ['REST developer', 'May I repeat a call?', 'docs/getting-started.md', '`Idempotency-Key`'],
  ['REST developer', 'How do I keep from overwriting others?', 'docs/faq.md', '`If-Match`'],
  ['REST developer', 'Which claims must my token have?', 'docs/authentication.md', '| Claim or header | Must be |'],
  ['REST developer', 'How large may a body be?', 'docs/configuration.md', '`MAX_BODY_BYTES`'],
  ['REST developer', 'Is there a typed client?', 'docs/client.md', 'createPointAlarmClient'],
  ['REST developer', 'How do I set thousands of thresholds?', 'docs/cli.md', '## Import and export'],
  ['operator', 'An alert fired. What now?', 'docs/runbook/README.md', '## Triage'],
  ['operator', 'Redis is down. What is lost?', 'docs/runbook/PointAlarmRedisUnreachable.md', 'Calls go on'],
  ['operator', 'A node is stuck.', 'docs/runbook/PointAlarmWorkflowTasksFail.md', 'TemporalReportedProblems'],
  ['operator', 'Which nodes are in DANGER?', 'docs/operations.md', '`PointAlarmStatus = 4'],
  ['operator', 'How do I remove a node?', 'docs/operations.md', '## Moving and removing a node'],
  ['operator', 'How do I upgrade?', 'docs/upgrades.md', '## Upgrade'],
  ['operator', 'Which settings must be alike?', 'docs/configuration.md', 'must have the same'],
  ['operator', 'What does a metric mean?', 'docs/metrics.md', '| Metric | In | Type | Labels | Meaning |'],
  ['operator', 'How much memory does a worker need?', 'docs/benchmarks.md', '## Memory'],
  ['operator', 'How do I encrypt what Temporal keeps?', 'docs/operations.md', '## Encryption of payloads'],
  ['consumer', 'What is in an event?', 'docs/events.md', '## PointAlarmStatusEvent'],
  ['consumer', 'May I see an event twice?', 'docs/events.md', '**Duplicates.**'],
  ['consumer', 'In which order do events come?', 'docs/events.md', '**Order.**'],
  ['consumer', 'What if I was away too long?', 'docs/events.md', '**Trimming.**'],
  ['consumer', 'How do I read with several processes?', 'docs/events.md', '## Consuming'],
  ['consumer', 'How do I see that I am behind?', 'docs/runbook/PointAlarmConsumerBehind.md', 'XINFO GROUPS'],
  ['consumer', 'What may a failover lose?', 'docs/reliability.md', 'Failover'],
  ['consumer', 'How do I get everything again?', 'docs/cli.md', '## Publishing again'],
  ['consumer', 'Is there a schema for programs?', 'docs/events.md', 'asyncapi.yaml'],
  ['consumer', 'How do partitions work?', 'docs/events.md', '## Partitions'],
  ['analyst', 'Why is a value between the limits DANGER?', 'docs/thresholds.md', 'read literally'],
  ['analyst', 'How do I make it ALERT?', 'docs/thresholds.md', 'OVERALL_REGIONS=alert-band'],
  ['analyst', 'How do limits relate to ISO 20816?', 'docs/thresholds.md', '### Relation to ISO 20816'],
  ['analyst', 'What do the value types mean?', 'docs/thresholds.md', 'RELATIVE_FULLSCALE'],
  ['analyst', 'Are units converted?', 'docs/thresholds.md', '**Nothing is converted.**'],
  ['analyst', 'Who computes the rate of change?', 'docs/thresholds.md', 'the sender computes it'],
  ['analyst', 'How do I choose limits?', 'docs/thresholds.md', '## Choose band and HAL limits'],
  ['analyst', 'How is the HAL index computed?', 'docs/hal.md', '## The index'],
  ['analyst', 'Is my bearing known?', 'docs/bearings.md', '## The built-in table'],
  ['analyst', 'Can alarms latch or be delayed?', 'docs/thresholds.md', '## What is deliberately not here'],
];

test.each(questions)('%s: %s', (_reader, _question, page, answer) => {
  const first = ['README.md', ...linkedFrom('README.md')];
  expect([...first, ...first.flatMap(linkedFrom)]).toContain(page);
  expect(readFileSync(join(projectRoot, page), 'utf8')).toContain(answer);
});
