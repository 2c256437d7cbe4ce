import { readJson } from '../../../process/json';

const TOKEN = /\\.|-?\d[\d.eE+-]*|["{}[\],:]/gsu;

/** Keeps the whole path of each fault of a text. */
export const readJsonByPaths = (text: string): number => {
  readJson(Buffer.from(text));
  const faults = new Set<string>();
  const levels: Array<{ readonly names?: Set<string>; at: string | number }> = [];
  let [opened, lastText]: [number | undefined, string] = [undefined, ''];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '"') {
      if (opened !== undefined) lastText = text.slice(opened, index);
      opened = opened === undefined ? index + 1 : undefined;
    } else if (opened !== undefined) continue;
    else if (token === '{') levels.push({ names: new Set(), at: '' });
    else if (token === '[') levels.push({ at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (token === ':' && level?.names !== undefined) {
      level.at = lastText;
      if (level.names.has(lastText) && faults.size < 1_000) faults.add(levels.map(({ at }) => at).join('.'));
      level.names.add(lastText);
    }
  }
  return faults.size;
};
