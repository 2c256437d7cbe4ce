import { createHash } from 'node:crypto';
import type { Described } from '../../problems/describe-type';

const style = 'body{font:1rem/1.5 sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}pre{overflow-x:auto}';

/** The page loads nothing and runs nothing; the policy allows its one style by digest. */
export const policyOfPage = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page that explains a type of problem. */
export const problemPage = (described: Described): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${html(described.title)}</title>
    <style>${style}</style>
  </head>
  <body>
    <h1>${html(described.title)}</h1>
    <p><code>${html(described.type)}</code>, status ${described.status}</p>
    <p>${marked(described.meaning)}</p>
    <h2>What to do</h2>
    <p>${marked(described.advice)}</p>
    <h2>What it carries</h2>
    <ul>
${[...described.headers.map(headerItem), ...described.members.map(memberItem), STANDARD].join('\n')}
    </ul>
    <h2>Example</h2>
    <pre><code>${html(JSON.stringify(described.example, undefined, 2))}</code></pre>
    <p><a href="/docs">All endpoints</a></p>
  </body>
</html>
`;

const STANDARD =
  '      <li>the members of every problem (RFC 9457), and <code>requestId</code>, the name of the call</li>';

const headerItem = (name: string): string => `      <li>the header <code>${html(name)}</code></li>`;

const memberItem = ({ name, meaning }: Described['members'][number]): string =>
  `      <li><code>${html(name)}</code>: ${marked(meaning)}</li>`;

/** HTML of a text in which backquotes mark code. */
const marked = (text: string): string => html(text).replaceAll(/`([^`]*)`/gu, '<code>$1</code>');

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const html = (text: string): string => text.replaceAll(/[&<>"]/gu, (character) => entities[character] ?? character);
