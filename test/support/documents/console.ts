/** A command of a document, and what it prints there. */
type Shown = { readonly command: string; readonly output: string };

/**
 * The commands of every ```console block of a Markdown text, also in a list: a line after `$ `, continued by a backslash or
 * an open quote.
 */
export const consoleCommands = (markdown: string): ReadonlyArray<Shown> =>
  [...markdown.matchAll(/^( *)```console\n(.*?)^\1```$/gmsu)].flatMap(([, indent = '', block = '']) =>
    block
      .replaceAll(new RegExp(`^${indent}`, 'gmu'), '')
      .split(/^\$ /mu)
      .slice(1)
      .map((text) => {
        const lines = text.trimEnd().split('\n');
        let length = 1;
        while (length < lines.length && isOpen(lines.slice(0, length).join('\n'))) length += 1;
        return { command: lines.slice(0, length).join('\n'), output: lines.slice(length).join('\n') };
      }),
  );

const isOpen = (command: string): boolean => /[\\|]$/u.test(command) || (command.match(/'/gu) ?? []).length % 2 === 1;

/**
 * What differs from run to run, made the same, without the carriage returns of headers: times, ids of events and stream entries, places in a history, and how many
 * workflows there are, but for none.
 */
export const comparable = (output: string): string =>
  output
    .replaceAll('\r', '')
    .replace(/\b\d{13}\b/gu, '<time>')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/gu, '<sequence id>')
    .replace(/(requestId\\*":\\*")[\w-]{16}/gu, '$1<call>')
    .replace(/<time>-\d+/gu, '<entry>')
    .replace(/\bevent ID \d+/gu, 'event ID <n>')
    .replace(/^Total: [1-9]\d*$/gmu, 'Total: <some>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gu, '<instant>')
    .trim();
